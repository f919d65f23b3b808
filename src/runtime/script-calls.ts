import { isBuiltIn } from '../core/built-ins.js'
import type { RunEvent } from '../core/events.js'
import type { Json } from '../core/json.js'

/** Calls of a failed script that the model is told of. */
const mostCalls = 40
/** Characters of a call's input that it is shown, and of what failed. */
const shownInput = 200
const shownError = 200
/** Characters of all of them: with the error of the script itself they are less than a model is shown of a result. */
const mostCharacters = 9_000

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
      if (event.failure) entry.error = cut(event.failure.message, shownError)
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
  const writes = all.filter(({ isWrite }) => isWrite)
  const failures = all.filter(({ isWrite, outcome }) => !isWrite && outcome !== 'ok')
  const chosen = new Map<Entry, Json>()
  let left = mostCharacters
  for (const entry of [writes, failures, all].flatMap((each) => each.toReversed())) {
    if (chosen.size === mostCalls || chosen.has(entry)) continue
    const { tool, input, outcome, error } = entry
    const json: Json = { tool, input, outcome, ...(error !== undefined && { error }) }
    const length = JSON.stringify(json).length
    if (length > left) break
    left -= length
    chosen.set(entry, json)
  }
  const hidden = all.length - chosen.size
  return [
    ...(hidden > 0 ? [`${hidden} more calls are not shown`] : []),
    ...all.flatMap((entry) => (chosen.has(entry) ? [chosen.get(entry)!] : [])),
  ]
}

function shown(input: Json): Json {
  const text = JSON.stringify(input)
  return text.length <= shownInput ? input : cut(text, shownInput)
}

/** As much of a text, and no half of a character. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
