import type { RunEvent } from '../core/events.js'
import type { ScriptLimits } from '../sandbox/script.js'
import type { RunPorts } from './ports.js'

type ToolStart = RunEvent & { readonly type: 'tool-start' }

/** The last start of a call that has one. */
export const startOf = (events: readonly RunEvent[], callId: string): ToolStart =>
  events.findLast((event): event is ToolStart => event.type === 'tool-start' && event.callId === callId)!

/** What a script was started with, wherever it is resumed. A log of version 1 does not hold it. */
export const limitsOf = ({ log, limits }: RunPorts, callId: string): ScriptLimits =>
  startOf(log.events, callId).limits ?? { ...limits, openCalls: 256, printBytes: 1 << 20 }
