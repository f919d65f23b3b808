import { isBuiltIn } from '../core/built-ins.js'
import type { RunEvent } from '../core/events.js'
import type { Json } from '../core/json.js'

/** Calls of a failed script that the model is told of. */
const mostCalls = 40
/** Characters of a call's input that it is shown. */
const shownInput = 200

/**
 * What a script had called before it failed, and what came of each, for the model that must decide what is left to do. Of many,
 * the writes and the failures are kept, and the last reads.
 */
export function callsOf(events: readonly RunEvent[], scriptId: string): Json[] {
  const calls = new Map<string, Entry>()
  for (const event of events) {
    if (event.type === 'script-turn' && event.callId === scriptId)
      for (const { callId, toolName, input = null } of event.calls)
        if (!isBuiltIn(toolName)) calls.set(callId, { tool: toolName, input: shown(input), outcome: 'not started' })
    const entry = 'callId' in event ? calls.get(event.callId) : undefined
    if (!entry) continue
    if (event.type === 'tool-decision') entry.isWrite = event.mode === 'write'
    if (event.type === 'tool-result') {
      entry.outcome = event.outcome
      if (event.failure) entry.error = event.failure.message
    }
  }
  return listed([...calls.values()])
}

interface Entry {
  readonly tool: string
  readonly input: Json
  outcome: string
  error?: string
  isWrite?: boolean
}

function listed(all: readonly Entry[]): Json[] {
  const important = new Set(all.filter(({ isWrite, outcome }) => isWrite || outcome !== 'ok').slice(-mostCalls))
  for (const entry of all.toReversed()) if (important.size < mostCalls) important.add(entry)
  const shownEntries = all.filter((entry) => important.has(entry))
  const left = all.length - shownEntries.length
  return [
    ...(left > 0 ? [`${left} more calls are not shown`] : []),
    ...shownEntries.map(({ tool, input, outcome, error }): Json => ({
      tool,
      input,
      outcome,
      ...(error !== undefined && { error }),
    })),
  ]
}

function shown(input: Json): Json {
  const text = JSON.stringify(input)
  return text.length <= shownInput ? input : `${text.slice(0, shownInput)}…`
}
