import type { RunEvent } from '../core/events.js'
import { HandrailError } from '../errors.js'
import type { Divergence } from './divergence.js'
import { openPlayer } from './player.js'
import { toRecording, type RecordedRun } from './recording.js'
import type { ReplayOptions } from './replay-options.js'

export type ReplayResult =
  | { readonly same: true; readonly events: readonly RunEvent[] }
  /** `events`: up to the divergence. */
  | { readonly same: false; readonly divergence: Divergence; readonly events: readonly RunEvent[] }

/**
 * Runs a recorded run again, offline: the same runtime, with the model's replies, the tools' results and the person's answers
 * from the log. Stops at the first difference. With `tools` or `model`, that side is live: the result then says whether today's
 * tools still give what they gave, or today's model still asks for the same.
 * @throws {HandrailError} `invalid_recording`, `invalid_options`, `sandbox_unavailable`, and `replay_failed` for what breaks the loop.
 */
export async function replay(run: RecordedRun, options: ReplayOptions = {}): Promise<ReplayResult> {
  const { tools, model } = options
  if (tools !== undefined && !Array.isArray(tools)) refuse('"tools" must be an array of what defineTool returns')
  if (model !== undefined && typeof model.generate !== 'function') refuse('"model" must have a function "generate"')
  const player = await openPlayer(toRecording(run), options, (options.earlier ?? []).map(toRecording))
  try {
    const divergence = await player.play()
    const { events } = player
    return divergence ? { same: false, divergence, events } : { same: true, events }
  } finally {
    player.end()
  }
}

function refuse(why: string): never {
  throw new HandrailError('invalid_options', `Cannot replay a run: ${why}`)
}
