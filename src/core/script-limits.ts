/** What one script may use. */
export interface ScriptLimits {
  /** Milliseconds of CPU for one turn. Waiting for a result costs nothing. */
  readonly cpuMs: number
  /** Milliseconds of CPU for all turns that are not a replay. */
  readonly totalCpuMs: number
  /** Milliseconds in which it only sleeps: no tool and no person is waited for. */
  readonly wallMs: number
  /** Of the isolate's whole memory; the least is 16 MB. */
  readonly memoryBytes: number
  /** Of the isolate's stack. */
  readonly stackBytes: number
  /** Calls of one script. */
  readonly calls: number
  /** Calls that are open at once; more wait in line. */
  readonly openCalls: number
  /** Of one call's input, as JSON. */
  readonly inputBytes: number
  /** Of one call's result, as JSON. */
  readonly resultBytes: number
  /** Of what the script returns, as JSON. */
  readonly returnBytes: number
  /** Of all that it prints. */
  readonly printBytes: number
  /** Of its own text, in UTF-8. */
  readonly sourceBytes: number
  /** Of what it leaves in `state`, as JSON. */
  readonly stateBytes: number
}

export const defaultLimits: ScriptLimits = {
  cpuMs: 2_000,
  totalCpuMs: 10_000,
  wallMs: 60_000,
  memoryBytes: 64 << 20,
  stackBytes: 128 << 10,
  calls: 1_000,
  openCalls: 64,
  inputBytes: 1 << 20,
  resultBytes: 16 << 20,
  returnBytes: 1 << 20,
  printBytes: 64 << 10,
  sourceBytes: 256 << 10,
  stateBytes: 256 << 10,
}
