import type { Failure } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { CallState } from '../core/call-state.js'
import { toFailure } from '../errors.js'
import type { PageCall, Reply, ReplyFailure } from './protocol.js'
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
  /** It threw something else. */
  | { readonly status: 'failed'; readonly failure: Failure }
  /** No answer of the page. */
  | { readonly status: 'unreachable'; readonly failure: Failure }
  | { readonly status: 'timeout' | 'aborted'; readonly late: Promise<Reply<Json>> }

export const pageCallOf = ({ log }: RunPorts, { callId, toolName, checked }: CallState): PageCall => ({
  toolName,
  input: checked ?? null,
  session: log.head.session,
  runId: log.runId,
  callId,
  idempotencyKey: `${log.runId}:${callId}`,
})

/**
 * One request to a page tool, the `attempt`-th of its call. Ends when the tool does, at its timeout, or when the signal is
 * aborted.
 */
export async function sendTool(ports: RunPorts, call: CallState, attempt: number, signal: AbortSignal): Promise<Sent> {
  const id = `${ports.log.runId}:${call.callId}#${call.round}.${attempt}`
  const reply = ports.page.execute(id, pageCallOf(ports, call)).catch((error: unknown) => toFailure(error, unreachable))
  const ownTimeout = ports.tools.get(call.toolName)?.definition.timeout ?? defaultTimeout
  const timeout = call.caller === 'program' ? Math.min(ownTimeout, programTimeout) : ownTimeout
  const first = await firstOf(reply, timeout, signal)
  if (first === 'timeout' || first === 'aborted') {
    void Promise.resolve(ports.page.abort(id)).catch(() => undefined)
    return { status: first, late: reply.then((late) => ('ok' in late ? late : { ok: false, failure: late })) }
  }
  if (!('ok' in first)) return { status: 'unreachable', failure: first }
  if (first.ok) return { status: 'ok', output: first.value }
  const { refused, ran } = first.failure
  return { status: refused ? 'refused' : ran ? 'unusable' : 'failed', failure: checked(first.failure) }
}

const unreachable = 'page_unreachable'

/** It crosses a thread, and goes into the log. */
function checked({ code, message, retryable, retryAfter }: ReplyFailure): Failure {
  const isWait = typeof retryAfter === 'number' && Number.isFinite(retryAfter) && retryAfter >= 0
  return { code, message, retryable: retryable === true, ...(isWait && { retryAfter }) }
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
    if (signal.aborted) abort()
    void reply.then(end)
  })
}

export const neverAborted = new AbortController().signal
