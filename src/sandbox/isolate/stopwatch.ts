/** Counts the time of a turn that the guest has the thread, against what it may take. */
export interface Stopwatch {
  start(budget: number): void
  isOver(): boolean
  /** Runs work of the host, which is not counted. */
  aside<T>(work: () => T): T
  /** Milliseconds of the turn. */
  stop(): number
}

export function createStopwatch(): Stopwatch {
  let startedAt = 0
  let budget = Infinity
  let aside = 0
  const elapsed = () => performance.now() - startedAt - aside
  return {
    start(milliseconds) {
      budget = milliseconds
      aside = 0
      startedAt = performance.now()
    },
    isOver: () => elapsed() >= budget,
    aside(work) {
      const from = performance.now()
      try {
        return work()
      } finally {
        aside += performance.now() - from
      }
    },
    stop() {
      const milliseconds = elapsed()
      budget = Infinity
      return milliseconds
    },
  }
}
