import { budgetOf } from '../core/state.js'
import type { RunLog } from './log.js'

/** Stops the run when its budget of driven time is used up. The clock stands while a person is asked. */
export function watchDeadline(log: RunLog, now: () => number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const left = (): number => budgetOf(log.state).time - log.state.used.time - Math.max(0, now() - log.state.lastAt)
  const arm = () => {
    if (timer !== undefined || log.state.asking > 0 || log.state.status !== 'running' || log.state.stop) return
    timer = setTimeout(check, Math.min(Math.max(0, left()), 2 ** 31 - 1))
  }
  const check = () => {
    timer = undefined
    if (log.state.asking > 0) return
    if (left() > 0) return arm()
    void log.accept({ type: 'run-stop', reason: 'deadline' }).catch(() => false)
  }
  arm()
  const unsubscribe = log.subscribe(arm)
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}
