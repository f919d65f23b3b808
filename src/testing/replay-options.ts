import type { Model } from '../models/model.js'
import type { Sandbox } from '../sandbox/script.js'
import type { Tool } from '../tools/tool.js'
import type { RecordedRun } from './recording.js'

export interface ReplayOptions {
  /** Run live, in place of what the log holds of the tools of these names. */
  readonly tools?: readonly Tool[]
  /** Asked live, in place of the replies of the log. */
  readonly model?: Model
  /** Runs the scripts. Default: the real engine, in this thread. */
  readonly sandbox?: Sandbox
  /** The runs of the session before this one, the first one first: their writes and outputs count for the gate. */
  readonly earlier?: readonly RecordedRun[]
}
