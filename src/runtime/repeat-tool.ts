import type { CallState } from '../core/call-state.js'
import type { Json } from '../core/json.js'
import { maySend } from '../core/modes.js'
import { parentOf } from '../core/state.js'
import type { Reply } from './protocol.js'
import type { RunPorts } from './ports.js'
import { neverAborted, sendTool, type Sent } from './send-tool.js'
import { sleep } from './sleep.js'

/** How a call was sent, once or more often. */
export interface Sends {
  /** The last request. */
  readonly sent: Sent
  readonly attempts: number
  /** It may have taken effect before: a refusal now does not say that nothing was done. */
  readonly isUnclear: boolean
  /** What is still to come of requests that took too long. */
  readonly late: readonly Promise<Reply<Json>>[]
}

/** Milliseconds before the first repetition; doubled at each. */
const firstWait = 250
const longestOwnWait = 8_000
/** Milliseconds. A tool that wants to be asked again later than that is not asked again. */
const longestWait = 60_000

/**
 * Sends a call, and sends it again with the same key: a read and an idempotent write as often as `limits.retries` says, and an
 * idempotent write once in any case while it is not clear what became of it. Only after what may pass, and not once the run or its
 * script is over.
 */
export async function sendRepeatedly(ports: RunPorts, call: CallState, signal: AbortSignal): Promise<Sends> {
  const isOver = () => signal.aborted || isLeft(ports, call)
  const late: Promise<Reply<Json>>[] = []
  let isUnclear = false
  for (let attempts = 1; ; attempts++) {
    const sent = await sendTool(ports, call, attempts, call.mode === 'read' ? signal : neverAborted)
    if ('late' in sent) late.push(sent.late)
    const sends = { sent, attempts, isUnclear, late }
    isUnclear ||= isDoubtful(sent)
    const wait = waitAfter(sent, attempts)
    if (wait === undefined || attempts > mostRepetitions(ports, call, isUnclear) || isOver()) return sends
    await pause(wait, ports, isOver, signal)
    if (isOver()) return sends
  }
}

const isDoubtful = ({ status }: Sent): boolean =>
  status === 'failed' || status === 'unreachable' || status === 'timeout'

function mostRepetitions({ tools }: RunPorts, { toolName, mode }: CallState, isUnclear: boolean): number {
  const { retries = 0, idempotent } = tools.get(toolName)?.definition ?? {}
  if (mode === 'read') return retries
  if (!idempotent) return 0
  return isUnclear ? Math.max(1, retries) : retries
}

/** Milliseconds; undefined of what does not pass. By chance up to a half more, so that many pages do not come back together. */
function waitAfter(sent: Sent, attempts: number): number | undefined {
  if (sent.status === 'ok' || sent.status === 'unusable' || sent.status === 'aborted') return undefined
  const { retryable, retryAfter } = 'failure' in sent ? sent.failure : { retryable: true, retryAfter: undefined }
  if (sent.status === 'refused' && !retryable) return undefined
  if (retryAfter !== undefined && retryAfter > longestWait) return undefined
  const wait = retryAfter ?? Math.min(longestOwnWait, firstWait * 2 ** (attempts - 1))
  return wait * (1 + Math.random() / 2)
}

/** Nobody waits for it any more, or the page forbids it now: what was begun is ended, and nothing is sent again. */
export function isLeft({ log: { state } }: RunPorts, call: CallState): boolean {
  const parent = parentOf(call.callId)
  if (!maySend(state.modes, call)) return true
  return state.stop !== undefined || (parent !== undefined && state.calls.get(parent)?.script?.outcome !== undefined)
}

async function pause(ms: number, { log }: RunPorts, isOver: () => boolean, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const look = () => {
    if (isOver()) over.abort()
  }
  const unsubscribe = log.subscribe(look)
  signal.addEventListener('abort', look)
  try {
    look()
    await sleep(ms, over.signal)
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', look)
  }
}
