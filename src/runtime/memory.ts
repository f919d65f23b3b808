import { isNewer, type RunEvent } from '../core/events.js'
import { canonicalJson, type Json, type JsonObject } from '../core/json.js'
import { withChange } from '../core/script-state.js'
import { parentOf, type RunState } from '../core/state.js'
import { emptyTranscript, grow, keyOf, type Message } from '../core/transcript.js'

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
  /** Outputs of the model's own calls, by the key that names a call in the session. */
  readonly #results = new Map<string, Json>()
  #state: JsonObject = {}
  /** What `state` was when a script started, until it ends. */
  readonly #stateAtStart = new Map<string, JsonObject>()

  observe(runId: string, event: RunEvent, before: RunState): void {
    // Nothing goes on from it, and it may not be understood.
    if (isNewer(before.header)) return
    this.#transcript = grow(this.#transcript, event)
    if (event.type === 'tool-reconciled' && event.done) this.#unknown.delete(`${event.runId ?? runId}:${event.callId}`)
    if (event.type === 'tool-start' && event.tools) this.#stateAtStart.set(`${runId}:${event.callId}`, this.#state)
    if (event.type === 'script-turn' && event.state) this.#state = withChange(this.#state, event.state)
    if (event.type === 'tool-result') this.#stateAtStart.delete(`${runId}:${event.callId}`)
    if (event.type === 'tool-result' && event.output !== undefined && parentOf(event.callId) === undefined)
      this.#results.set(keyOf(this.#transcript.run, event.callId), event.output)
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

  /** The output of a call of the model's own, by the handle that the model was shown. */
  resultOf(handle: string): Json | undefined {
    return this.#results.get(handle)
  }

  get handles(): readonly string[] {
    return [...this.#results.keys()]
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

const writeKey = (toolName: string, input: Json): string => `${toolName}:${canonicalJson(input)}`
