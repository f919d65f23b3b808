/** Tokens of one reply. `input` counts the whole prompt, cached or not; `output` includes reasoning. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  /** The provider did not say: counted from the text. */
  readonly estimated?: boolean
}

export const totalTokens = (usage: Usage): number => usage.input + usage.output

/** A rough count, four characters a token, for what a provider does not report. */
export const estimateTokens = (characters: number): number => Math.ceil(characters / 4)

/** Amounts a run may use. Reaching one ends the run as `budget-exceeded`. */
export interface Budget {
  /** Model requests, attempts included. */
  readonly steps: number
  /** Requests for one step before the run fails. */
  readonly attempts: number
  /** Tool calls, the scripts' included. */
  readonly calls: number
  readonly scripts: number
  readonly tokens: number
  /** Bytes of tool output, as JSON in UTF-8. */
  readonly bytes: number
  /** Milliseconds of driven time: without open approvals, and without the time that nobody drove. */
  readonly time: number
}

export type BudgetName = Exclude<keyof Budget, 'attempts'>
export type Used = Readonly<Record<BudgetName, number>>

export const defaultBudget: Budget = {
  steps: 32,
  attempts: 4,
  calls: 1000,
  scripts: 32,
  tokens: 1_000_000,
  bytes: 32 << 20,
  time: 10 * 60_000,
}

export const nothingUsed: Used = { steps: 0, calls: 0, scripts: 0, tokens: 0, bytes: 0, time: 0 }

const names: readonly BudgetName[] = ['time', 'steps', 'calls', 'scripts', 'tokens', 'bytes']

/** The first budget that is used up: another step may not start. */
export const exceeded = (budget: Budget, used: Used): BudgetName | undefined =>
  names.find((name) => used[name] >= budget[name])
