import type { RunEvent, StateChange } from '../core/events.js'
import { canonicalJson, type Json, type JsonObject } from '../core/json.js'
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
  #state: JsonObject = {}
  /** What `state` was when a script started, until it ends. */
  readonly #stateAtStart = new Map<string, JsonObject>()

  observe(runId: string, event: RunEvent, before: RunState): void {
    this.#transcript = grow(this.#transcript, event)
    if (event.type === 'tool-reconciled' && event.done) this.#unknown.delete(`${event.runId ?? runId}:${event.callId}`)
    if (event.type === 'tool-start' && event.tools) this.#stateAtStart.set(`${runId}:${event.callId}`, this.#state)
    if (event.type === 'script-turn' && event.state) this.#state = changed(this.#state, event.state)
    if (event.type === 'tool-result') this.#stateAtStart.delete(`${runId}:${event.callId}`)
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

  /** What a script found in `state` when it started, however often it is replayed. */
  stateAtStart(runId: string, callId: string): JsonObject {
    return this.#stateAtStart.get(`${runId}:${callId}`) ?? {}
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

const changed = (state: JsonObject, { set = {}, removed = [] }: StateChange): JsonObject =>
  Object.fromEntries(Object.entries({ ...state, ...set }).filter(([name]) => !removed.includes(name)))

const writeKey = (toolName: string, input: Json): string => `${toolName}:${canonicalJson(input)}`
