/** One way to do the work: `run` does it once, and gives the milliseconds that one unit of it took. */
export interface Way {
  readonly what: string
  run(): number | Promise<number>
}

export interface Plan {
  readonly what: string
  /** What is measured, if not milliseconds. */
  readonly quantity?: 'bytes'
  /** What the milliseconds are of: a step, a call, a log. */
  readonly unit: string
  readonly subject: Way
  readonly baseline: Way
  readonly rounds: number
  /** Of the ratio, of how much more the subject takes, or of what it takes: the last two in milliseconds. */
  readonly aim?: { readonly of: 'ratio' | 'difference' | 'subject'; readonly under: number }
}

/** Half of the rounds lie between `low` and `high`. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export interface Comparison {
  readonly what: string
  readonly quantity?: 'bytes'
  readonly unit: string
  readonly rounds: number
  /** In milliseconds a unit, or what else the quantity is. */
  readonly subject: Spread & { readonly what: string }
  readonly baseline: Spread & { readonly what: string }
  /** Subject by baseline, of the two that ran next to each other. */
  readonly ratio: Spread
  readonly aim?: { readonly of: string; readonly under: number; readonly is: number; readonly isMet: boolean }
}

/** What could not be measured. */
export interface Skipped {
  readonly what: string
  readonly why: string
}

export type Outcome = Comparison | Skipped

/** Runs both in turns, so that what disturbs the machine disturbs both; a first round is thrown away. */
export async function compare({ what, quantity, unit, subject, baseline, rounds, aim }: Plan): Promise<Comparison> {
  const pairs: { subject: number; baseline: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const pair = { subject: 0, baseline: 0 }
    if (round % 2 === 0) pair.baseline = await baseline.run()
    pair.subject = await subject.run()
    if (round % 2 === 1) pair.baseline = await baseline.run()
    if (round > 0) pairs.push(pair)
  }
  const of = {
    subject: spreadOf(pairs.map((pair) => pair.subject)),
    baseline: spreadOf(pairs.map((pair) => pair.baseline)),
    ratio: spreadOf(pairs.map((pair) => pair.subject / pair.baseline)),
    difference: spreadOf(pairs.map((pair) => pair.subject - pair.baseline)),
  }
  return {
    what,
    ...(quantity && { quantity }),
    unit,
    rounds,
    subject: { what: subject.what, ...of.subject },
    baseline: { what: baseline.what, ...of.baseline },
    ratio: of.ratio,
    ...(aim && { aim: { ...aim, is: of[aim.of].median, isMet: of[aim.of].median < aim.under } }),
  }
}

function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (part: number) => Number(sorted[Math.round((sorted.length - 1) * part)]!.toPrecision(4))
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Milliseconds that the work takes. */
export async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
