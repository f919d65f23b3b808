import type { RunEvent } from '../core/events.js'
import { canonicalJson, type Json } from '../core/json.js'
import type { RunState } from '../core/state.js'
import { emptyTranscript, grow, type Message } from '../core/transcript.js'

export interface OpenUnknown {
  readonly runId: string
  readonly callId: string
  readonly toolName: string
}

/** What a session remembers over its runs, as one fold over their logs: the transcript, the writes made, those still unknown. */
export class SessionMemory {
  #transcript = emptyTranscript
  readonly #writes = new Map<string, string>()
  readonly #unknown = new Map<string, OpenUnknown>()

  observe(runId: string, event: RunEvent, before: RunState): void {
    this.#transcript = grow(this.#transcript, event)
    if (event.type === 'tool-reconciled' && event.done) this.#unknown.delete(`${event.runId ?? runId}:${event.callId}`)
    if (event.type !== 'tool-result' || (event.outcome !== 'ok' && event.outcome !== 'unknown')) return
    const call = before.calls.get(event.callId)
    if (call?.mode !== 'write') return
    this.#writes.set(writeKey(call.toolName, call.checked ?? null), event.outcome)
    if (event.outcome === 'unknown')
      this.#unknown.set(`${runId}:${event.callId}`, { runId, callId: event.callId, toolName: call.toolName })
  }

  /** What the next model request sends. */
  get messages(): readonly Message[] {
    return this.#transcript.messages
  }

  /** Why a write with this input would be a repetition. */
  repeated(toolName: string, input: Json): string | undefined {
    const outcome = this.#writes.get(writeKey(toolName, input))
    if (!outcome) return undefined
    const how = outcome === 'ok' ? 'and took effect' : 'and its outcome is unknown'
    return `The same call of ${toolName} with the same input was made earlier in this conversation, ${how}.`
  }

  get openUnknown(): readonly OpenUnknown[] {
    return [...this.#unknown.values()]
  }

  findUnknown(runId: string, callId: string): OpenUnknown | undefined {
    return this.#unknown.get(`${runId}:${callId}`)
  }
}

const writeKey = (toolName: string, input: Json): string => `${toolName}:${canonicalJson(input)}`
