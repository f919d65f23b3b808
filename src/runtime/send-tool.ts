import type { Failure } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { CallState } from '../core/call-state.js'
import { toFailure } from '../errors.js'
import type { PageCall, Reply } from './protocol.js'
import type { RunPorts } from './ports.js'

/** Milliseconds a tool may take that states no `limits.timeout`. */
const defaultTimeout = 30_000
/** A provider's program gives up after 270 s. */
const programTimeout = 240_000

/** How one request to a tool ended, as far as this side knows. */
export type Sent =
  | { readonly status: 'ok'; readonly output: Json }
  /** The tool's own refusal: nothing was done. */
  | { readonly status: 'refused'; readonly failure: Failure }
  /** It ran to its end, but what it returned can't be used. */
  | { readonly status: 'unusable'; readonly failure: Failure }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'timeout' | 'aborted'; readonly late: Promise<Reply<Json>> }

export const pageCallOf = ({ log }: RunPorts, { callId, toolName, checked }: CallState): PageCall => ({
  toolName,
  input: checked ?? null,
  runId: log.runId,
  callId,
  idempotencyKey: `${log.runId}:${callId}`,
})

/** One request to a page tool. Ends when the tool does, at its timeout, or when the signal is aborted. */
export async function sendTool(ports: RunPorts, call: CallState, signal: AbortSignal): Promise<Sent> {
  const id = `${ports.log.runId}:${call.callId}#${call.round}`
  const reply = ports.page
    .execute(id, pageCallOf(ports, call))
    .catch((error: unknown): Reply<Json> => ({ ok: false, failure: toFailure(error, 'page_unreachable') }))
  const ownTimeout = ports.tools.get(call.toolName)?.definition.timeout ?? defaultTimeout
  const timeout = call.caller === 'program' ? Math.min(ownTimeout, programTimeout) : ownTimeout
  const first = await firstOf(reply, timeout, signal)
  if (first === 'timeout' || first === 'aborted') {
    void Promise.resolve(ports.page.abort(id)).catch(() => undefined)
    return { status: first, late: reply }
  }
  if (first.ok) return { status: 'ok', output: first.value }
  const { refused, ran, ...failure } = first.failure
  return { status: refused ? 'refused' : ran ? 'unusable' : 'failed', failure }
}

function firstOf<T>(reply: Promise<T>, timeout: number, signal: AbortSignal): Promise<T | 'timeout' | 'aborted'> {
  return new Promise((resolve) => {
    const end = (value: T | 'timeout' | 'aborted') => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(value)
    }
    const abort = () => end('aborted')
    const timer = setTimeout(() => end('timeout'), timeout)
    signal.addEventListener('abort', abort)
    void reply.then(end)
  })
}

export const neverAborted = new AbortController().signal
