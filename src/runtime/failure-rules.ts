import type { CallState } from '../core/call-state.js'
import type { ToolResult } from '../core/events.js'
import type { RunPorts } from './ports.js'

/** The result of a call that was made, with what its tool wants done when it fails. */
export function withRules({ tools }: RunPorts, call: CallState, result: ToolResult, attempts: number): ToolResult {
  const made = attempts > 1 ? { ...result, attempts } : result
  if (result.outcome === 'ok' || result.outcome === 'cancelled') return made
  const { mayTryAnother, tellPerson } = tools.get(call.toolName)?.definition.onFailure ?? {}
  const notes = [made.note, mayTryAnother === false ? noOther : undefined].filter((note) => note !== undefined)
  return { ...made, ...(notes.length > 0 && { note: notes.join(' ') }), ...(tellPerson && { tellPerson }) }
}

const noOther = 'Do not try another tool in its place: tell the user that it failed.'
