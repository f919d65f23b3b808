import type { Repeated } from '../core/approval.js'
import { isBuiltIn } from '../core/built-ins.js'
import type { CallState } from '../core/call-state.js'
import { isNewer, type RunEvent } from '../core/events.js'
import { canonicalJson, type Json, type JsonObject } from '../core/json.js'
import { withChange } from '../core/script-state.js'
import { parentOf, type RunState } from '../core/state.js'
import { emptyTranscript, grow, keyOf, type Message } from '../core/transcript.js'
import { Provenance } from './provenance.js'

export interface OpenUnknown {
  readonly runId: string
  readonly callId: string
  readonly toolName: string
}

/** What is not trusted and is no tool's output. No tool can be called so. */
const attachedFile = '(an attached file)'
const hostedTool = '(a tool that the provider runs)'

/**
 * What a session remembers over its runs, as one fold over their logs: the transcript, the writes made, those still unknown, and
 * where values came from.
 */
export class SessionMemory {
  #transcript = emptyTranscript
  readonly provenance = new Provenance()
  readonly #writes = new Map<string, Repeated>()
  readonly #unknown = new Map<string, OpenUnknown & { readonly write: string }>()
  /** Numbers of runs, which keys of calls begin with. */
  readonly #numbers = new Map<string, number>()
  #messageWarnings: readonly string[] = []
  /** Outputs of the model's own calls, by the key that names a call in the session. */
  readonly #results = new Map<string, Json>()
  #state: JsonObject = {}
  /** What `state` was when a script started, until it ends. */
  readonly #stateAtStart = new Map<string, JsonObject>()

  observe(runId: string, event: RunEvent, before: RunState): void {
    // Nothing goes on from it, and it may not be understood.
    if (isNewer(before.header)) return
    this.#transcript = grow(this.#transcript, event)
    this.#numbers.set(runId, this.#transcript.run)
    this.#trace(runId, event, before)
    if (event.type === 'tool-start' && event.tools) this.#stateAtStart.set(`${runId}:${event.callId}`, this.#state)
    if (event.type === 'script-turn' && event.state) this.#state = withChange(this.#state, event.state)
    if (event.type === 'tool-result') this.#stateAtStart.delete(`${runId}:${event.callId}`)
    if (event.type === 'tool-result' && event.output !== undefined && parentOf(event.callId) === undefined)
      this.#results.set(keyOf(this.#transcript.run, event.callId), event.output)
    if (event.type === 'tool-result') this.#settle(runId, event, before.calls.get(event.callId))
    if (event.type === 'tool-reconciled') this.#reconcile(event.runId ?? runId, event)
  }

  /** The name of a call in the session. */
  keyOf(runId: string, callId: string): string {
    return keyOf(this.#numbers.get(runId) ?? this.#transcript.run, callId)
  }

  #trace(runId: string, event: RunEvent, before: RunState): void {
    const { provenance } = this
    if (event.type === 'run-start') this.#messageWarnings = []
    if (event.type === 'user-message') {
      provenance.sawUser(event.text)
      if (event.instructions) provenance.sawInstructions(event.instructions)
      if (event.files?.length) provenance.sawUntrusted(attachedFile)
      this.#messageWarnings = event.warnings ?? []
    }
    // What a provider's own tool found, or made, is in such parts only.
    if (event.type === 'assistant-message' && event.parts.some(({ type }) => type === 'other'))
      provenance.sawUntrusted(hostedTool)
    if (event.type === 'approval-response' && event.edit)
      provenance.sawEdit(
        this.keyOf(runId, event.callId),
        before.calls.get(event.callId)?.checked ?? null,
        event.edit.input,
      )
  }

  #settle(runId: string, event: RunEvent & { type: 'tool-result' }, call: CallState | undefined): void {
    if (!call || call.phase !== 'started' || call.mode === 'script' || call.executor || isBuiltIn(call.toolName)) return
    const { outcome, output, failure, trusted = false } = event
    const { toolName } = call
    const key = this.keyOf(runId, event.callId)
    if (!trusted && (output !== undefined || failure)) this.provenance.sawUntrusted(toolName)
    this.provenance.sawWarnings(event.warnings ?? [])
    if (outcome === 'ok' && output !== undefined) this.provenance.sawOutput({ toolName, call: key, trusted, output })
    if (call.mode !== 'write' || (outcome !== 'ok' && outcome !== 'unknown')) return
    const write = writeKey(toolName, call.checked ?? null)
    this.#writes.set(write, { call: key, outcome, ...(output !== undefined && { output }) })
    if (outcome === 'unknown')
      this.#unknown.set(`${runId}:${event.callId}`, { runId, callId: event.callId, toolName, write })
  }

  #reconcile(runId: string, event: RunEvent & { type: 'tool-reconciled' }): void {
    const { callId, toolName, done, output, trusted = false, warnings = [] } = event
    const open = this.#unknown.get(`${runId}:${callId}`)
    if (!done) return
    this.#unknown.delete(`${runId}:${callId}`)
    const call = this.keyOf(runId, callId)
    if (open) this.#writes.set(open.write, { call, outcome: 'ok', ...(output !== undefined && { output }) })
    this.provenance.sawWarnings(warnings)
    if (output === undefined) return
    this.provenance.sawOutput({ toolName, call, trusted, output })
    if (!trusted) this.provenance.sawUntrusted(toolName)
  }

  /** A run that was deleted keeps its number, so that the handles of the others stay what they are. */
  skipRun(): void {
    this.#transcript = { ...this.#transcript, run: this.#transcript.run + 1 }
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

  /** The last write with this input. */
  repeated(toolName: string, input: Json): Repeated | undefined {
    return this.#writes.get(writeKey(toolName, input))
  }

  /** Why guardrails want what acts outside to ask: over the newest run's message, and over outputs of the session. */
  get warnings(): readonly string[] {
    return [...this.#messageWarnings, ...this.provenance.warnings]
  }

  get openUnknown(): readonly OpenUnknown[] {
    return [...this.#unknown.values()]
  }

  findUnknown(runId: string, callId: string): OpenUnknown | undefined {
    return this.#unknown.get(`${runId}:${callId}`)
  }
}

const writeKey = (toolName: string, input: Json): string => `${toolName}:${canonicalJson(input)}`
