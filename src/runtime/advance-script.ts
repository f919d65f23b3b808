import type { EventBody, RunEvent, ScriptTurnRecord, StateChange, ToolCall } from '../core/events.js'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../core/json.js'
import { parentOf, type CallState } from '../core/state.js'
import { scriptFailure, type FedResult, type HostResult, type ScriptTurn } from '../sandbox/script.js'
import type { EffectOf } from '../core/next.js'
import type { LiveScript, RunPorts } from './ports.js'

/**
 * One turn of a script. An isolate that is not there yet, or is behind, is first brought to this turn by the turns in the log:
 * starting, going on and resuming are this one path. It is fed only from the log, one result a turn.
 */
export async function advanceScript(
  ports: RunPorts,
  { call, fed }: EffectOf<'advance-script'>,
  signal: AbortSignal,
): Promise<EventBody> {
  const { callId } = call
  const { turn } = call.script!
  const end = () => {
    ports.scripts.get(callId)?.script.end()
    ports.scripts.delete(callId)
  }
  signal.addEventListener('abort', end)
  try {
    const live = begin(ports, call)
    if ('reason' in live) return diverged(ports, callId, turn, fed, live.reason)
    if (live.turn < turn) {
      const difference = await replay(ports, call, live)
      if (difference) return diverged(ports, callId, turn, fed, difference)
    }
    live.turn++
    const made = await (fed === undefined
      ? live.script.start(startOf(ports.log.events, callId).at)
      : live.script.resume(toFed(ports.log.events, callId, fed)))
    if (made.outcome) end()
    const calls = made.calls.map(({ n, toolName, input }): ToolCall => ({
      callId: `${callId}/${n}`,
      toolName,
      input,
      caller: 'script',
    }))
    const prints = made.prints.length > 0 ? { prints: made.prints } : {}
    const state = made.state && changeOf(ports.memory.stateAtStart(ports.log.runId, callId), made.state)
    return {
      type: 'script-turn',
      callId,
      turn,
      fed,
      calls,
      ...prints,
      ...(made.outcome ? { outcome: made.outcome } : {}),
      ...(state ? { state } : {}),
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

type TurnEvent = RunEvent & { type: 'script-turn' }

function begin(ports: RunPorts, call: CallState): LiveScript | { reason: string } {
  const { callId } = call
  const known = ports.scripts.get(callId)
  if (known) return known
  const { log, sandbox, scripts, memory, tools } = ports
  const { header } = log.state
  const engine = header?.engine ?? ''
  if (!header || !sandbox.runs(engine))
    return { reason: `it was started on ${engine}, and only ${sandbox.engine} is here` }
  const start = startOf(log.events, callId)
  const code = isJsonObject(call.checked) && typeof call.checked.code === 'string' ? call.checked.code : ''
  const script = sandbox.start({
    code,
    engine,
    tools: start.tools ?? [],
    // Only what starts now meets the tools of now.
    ...(call.script?.turn === 0 && { definitions: tools.definitions }),
    seed: seedOf(header.seed, callId),
    locale: header.locale,
    timeZone: header.timeZone,
    state: memory.stateAtStart(log.runId, callId),
    limits: start.limits ?? { ...ports.limits, ...limitsOfVersion1 },
  })
  const live: LiveScript = { script, turn: 0 }
  scripts.set(callId, live)
  return live
}

/** Brings a new isolate to where the log is. Returns what it did otherwise than before. */
async function replay({ log }: RunPorts, { callId }: CallState, live: LiveScript): Promise<string | undefined> {
  const past = log.events.filter((event): event is TurnEvent => event.type === 'script-turn' && event.callId === callId)
  const results = past.flatMap(({ fed }) => (fed === undefined ? [] : [toFed(log.events, callId, fed)]))
  const again = await live.script.replay(startOf(log.events, callId).at, results)
  for (const [n, record] of past.entries()) {
    const difference = differenceBetween(again[n], record)
    if (difference) return `at turn ${n} ${difference}`
  }
  live.turn = past.length
  return undefined
}

/** Time is the `at` of the last event delivered: the script's start, or the result that it is fed. */
function toFed(events: readonly RunEvent[], callId: string, fed: string): FedResult {
  const event = events.findLast((e) => e.type === 'tool-result' && e.callId === fed) as RunEvent & {
    type: 'tool-result'
  }
  return { n: Number(fed.slice(callId.length + 1)), at: event.at, result: toHostResult(event) }
}

function toHostResult({ callId, outcome, output, failure }: RunEvent & { type: 'tool-result' }): HostResult {
  if (outcome === 'ok') return { status: 'ok', value: output ?? null }
  const error = failure ?? { code: outcome, message: `The call ended: ${outcome}`, retryable: false }
  return { status: 'error', failure: error, callId }
}

/** A log of version 1 does not hold them. */
const limitsOfVersion1 = { openCalls: 256, printBytes: 1 << 20 }

const startOf = (events: readonly RunEvent[], callId: string) =>
  events.findLast((event) => event.type === 'tool-start' && event.callId === callId) as RunEvent & {
    type: 'tool-start'
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
      return `it called ${toolName} where it had called ${was.toolName}, or with another input`
  }
  return undefined
}

/** By top-level name. */
function changeOf(before: JsonObject, after: JsonObject): StateChange | undefined {
  const text = (value: Json | undefined) => (value === undefined ? undefined : canonicalJson(value))
  const set = Object.entries(after).filter(([name, value]) => text(own(before, name)) !== text(value))
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  if (set.length + removed.length === 0) return undefined
  return { ...(set.length > 0 && { set: Object.fromEntries(set) }), ...(removed.length > 0 && { removed }) }
}

const own = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

function diverged({ log }: RunPorts, callId: string, turn: number, fed: string | undefined, reason: string): EventBody {
  const writes = log.events.flatMap((event) =>
    event.type === 'tool-start' && parentOf(event.callId) === callId ? [event.callId] : [],
  )
  const started = writes.length > 0 ? ` Calls it had started: ${writes.join(', ')}.` : ' It had started no call.'
  const message = `The script can't go on: replayed, ${reason}.${started}`
  const failure = scriptFailure('script_diverged', message)
  return { type: 'script-turn', callId, turn, fed, calls: [], outcome: { status: 'error', failure } }
}
