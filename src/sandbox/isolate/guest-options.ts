import type { EngineOptions, Handle } from './engine.js'
import type { ScriptOptions } from '../script.js'
import type { Stopwatch } from './stopwatch.js'

/** What the host makes for the guest to throw. */
export type GuestError =
  | {
      readonly type: 'ToolError'
      readonly code: string
      readonly message: string
      readonly retryable: boolean
      readonly tool: string
      readonly callId?: string
    }
  | { readonly type: 'TypeError' | 'RangeError'; readonly code: string; readonly message: string }

export interface GuestOptions
  extends
    Omit<EngineOptions, 'call' | 'offsetAt'>,
    Pick<ScriptOptions, 'engine' | 'tools' | 'state' | 'locale' | 'timeZone'> {
  readonly stopwatch: Stopwatch
  callTool(name: string, args: readonly Handle[]): Handle
  print(args: readonly Handle[]): void
  /** A callback of the guest threw, and nothing of the guest waits for it. Borrows what it threw. */
  fail(thrown: Handle): void
}
