import type { EventBody, RunEvent, ScriptTurnRecord } from '../core/events.js'
import { canonicalJson, isJsonObject, type Json } from '../core/json.js'
import { parentOf } from '../core/state.js'
import type { CallState } from '../core/call-state.js'
import { scriptFailure, type FedResult, type HostResult, type ScriptTurn } from '../sandbox/script.js'
import type { LiveScript } from './live-scripts.js'
import type { RunPorts } from './ports.js'
import { limitsOf, startOf } from './script-start.js'

type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type }

/** The script's isolate, made if it is not there. Or why it can't be. */
export function liveScript(ports: RunPorts, call: CallState): LiveScript | { readonly reason: string } {
  const { callId } = call
  const known = ports.scripts.get(callId)
  if (known) return known
  const { log, sandbox, scripts, memory, tools } = ports
  const { header } = log.state
  const engine = header?.engine ?? ''
  if (!header || !sandbox.runs(engine))
    return { reason: `it was started on ${engine}, and only ${sandbox.engine} is here` }
  const limits = limitsOf(ports, callId)
  const code = isJsonObject(call.checked) && typeof call.checked.code === 'string' ? call.checked.code : ''
  const script = sandbox.start({
    code,
    engine,
    tools: startOf(log.events, callId).tools ?? [],
    // Only what starts now meets the tools of now.
    ...(call.script?.turn === 0 && { definitions: tools.scriptTools }),
    seed: seedOf(header.seed, callId),
    locale: header.locale,
    timeZone: header.timeZone,
    state: memory.stateAtStart(log.runId, callId),
    limits: { ...limits, totalCpuMs: Math.max(1, limits.totalCpuMs - scripts.spent(callId)) },
  })
  return scripts.add(callId, script)
}

/** Brings a new isolate to where the log is. Returns what it did otherwise than before. */
export async function replay(ports: RunPorts, { callId }: CallState, live: LiveScript): Promise<string | undefined> {
  const { events } = ports.log
  const past = events.filter((event): event is EventOf<'script-turn'> => isTurnOf(event, callId))
  const results = past.flatMap(({ fed }) => (fed === undefined ? [] : [toFed(ports, callId, fed)]))
  const again = await live.script.replay(startOf(events, callId).at, results)
  for (const [n, record] of past.entries()) {
    const difference = differenceBetween(again[n], record)
    if (difference) return `at turn ${n} ${difference}`
  }
  live.turn = past.length
  return undefined
}

const isTurnOf = (event: RunEvent, callId: string): boolean => event.type === 'script-turn' && event.callId === callId

export const resultOf = (events: readonly RunEvent[], callId: string): EventOf<'tool-result'> =>
  events.findLast((event): event is EventOf<'tool-result'> => event.type === 'tool-result' && event.callId === callId)!

/** Time is the `at` of the last event delivered: the script's start, or the result that it is fed. */
export function toFed(ports: RunPorts, callId: string, fed: string): FedResult {
  const event = resultOf(ports.log.events, fed)
  return { n: Number(fed.slice(callId.length + 1)), at: event.at, result: toHostResult(ports, event) }
}

function toHostResult({ memory }: RunPorts, event: EventOf<'tool-result'>): HostResult {
  const { callId, outcome, output, ref, failure } = event
  if (outcome === 'ok') return { status: 'ok', value: (ref === undefined ? output : memory.resultOf(ref)) ?? null }
  const error = failure ?? { code: outcome, message: `The call ended: ${outcome}`, retryable: false }
  return { status: 'error', failure: error, callId }
}

/** A seed for each script of a run, so that two scripts do not see the same random numbers. */
function seedOf(seed: number, callId: string): number {
  let hash = seed >>> 0
  for (let i = 0; i < callId.length; i++) hash = (Math.imul(hash, 31) + callId.charCodeAt(i)) >>> 0
  return hash
}

function differenceBetween(turn: ScriptTurn | undefined, record: ScriptTurnRecord): string | undefined {
  if (!turn) return 'it had ended'
  if (turn.outcome)
    return `it ended (${turn.outcome.status === 'error' ? turn.outcome.failure.message : 'ok'}), and had gone on before`
  if (turn.calls.length !== record.calls.length)
    return `it made ${turn.calls.length} calls, and had made ${record.calls.length}`
  for (const [i, { toolName, input }] of turn.calls.entries()) {
    const was = record.calls[i]!
    if (was.toolName !== toolName || canonicalJson(was.input ?? null) !== canonicalJson(input))
      return `it called ${shown(toolName, input)}, and had called ${shown(was.toolName, was.input ?? null)}`
  }
  return undefined
}

const shown = (toolName: string, input: Json): string => {
  const text = JSON.stringify(input)
  return `${toolName}(${text.length <= 200 ? text : `${text.slice(0, 200)}…`})`
}

/** A script that can't be replayed ends, and says what it may have done. */
export function diverged(
  { log }: RunPorts,
  callId: string,
  turn: number,
  fed: string | undefined,
  reason: string,
): EventBody {
  const { calls } = log.state
  const begun = log.events.flatMap((event) =>
    event.type === 'tool-decision' && parentOf(event.callId) === callId && event.mode === 'write' ? [event.callId] : [],
  )
  const writes = [...new Set(begun)].filter(
    (id) => calls.get(id)?.phase === 'started' || log.events.some((e) => e.type === 'tool-start' && e.callId === id),
  )
  const started = writes.length > 0 ? ` Writes it had started: ${writes.join(', ')}.` : ' It had started no write.'
  const failure = scriptFailure('script_diverged', `The script can't go on: replayed, ${reason}.${started}`)
  return { type: 'script-turn', callId, turn, fed, calls: [], outcome: { status: 'error', failure } }
}
