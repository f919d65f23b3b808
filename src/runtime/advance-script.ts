import type { EventBody, RunEvent, ScriptTurnRecord, ToolCall } from '../core/events.js'
import { canonicalJson, isJsonObject } from '../core/json.js'
import { parentOf, type CallState } from '../core/state.js'
import type { HostResult, ScriptTurn } from '../sandbox/script.js'
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
    const past = live.turn < turn ? turnsOf(ports, callId) : []
    for (let n = live.turn; n < turn; n++) {
      const again = await makeTurn(ports, call, live, past[n]?.fed, true)
      const difference = differenceBetween(again, past[n]!)
      if (difference) return diverged(ports, callId, turn, fed, `at turn ${n} ${difference}`)
    }
    const made = await makeTurn(ports, call, live, fed, false)
    if (made.outcome) end()
    const calls = made.calls.map(({ n, toolName, input }): ToolCall => ({
      callId: `${callId}/${n}`,
      toolName,
      input,
      caller: 'script',
    }))
    const prints = made.prints.length > 0 ? { prints: made.prints } : {}
    return {
      type: 'script-turn',
      callId,
      turn,
      fed,
      calls,
      ...prints,
      ...(made.outcome ? { outcome: made.outcome } : {}),
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

type TurnEvent = RunEvent & { type: 'script-turn' }

const turnsOf = ({ log }: RunPorts, callId: string): TurnEvent[] =>
  log.events.filter((event): event is TurnEvent => event.type === 'script-turn' && event.callId === callId)

function begin(ports: RunPorts, call: CallState): LiveScript | { reason: string } {
  const known = ports.scripts.get(call.callId)
  if (known) return known
  const { log, sandbox, limits, scripts } = ports
  const { header } = log.state
  if (header?.engine !== sandbox.engine)
    return { reason: `it was started on ${header?.engine}, and only ${sandbox.engine} is here` }
  const start = startOf(log.events, call.callId)
  const code = isJsonObject(call.checked) && typeof call.checked.code === 'string' ? call.checked.code : ''
  const script = sandbox.start({ code, tools: start.tools ?? [], seed: seedOf(header.seed, call.callId), limits })
  const live: LiveScript = { script, turn: 0 }
  scripts.set(call.callId, live)
  return live
}

/** Time is the `at` of the last event delivered: the script's start, or the result that it is fed. */
async function makeTurn(
  { log }: RunPorts,
  { callId }: CallState,
  live: LiveScript,
  fed: string | undefined,
  isReplay: boolean,
): Promise<ScriptTurn> {
  if (fed === undefined) {
    live.turn++
    return live.script.start(startOf(log.events, callId).at, isReplay)
  }
  const event = log.events.findLast((e) => e.type === 'tool-result' && e.callId === fed) as RunEvent & {
    type: 'tool-result'
  }
  live.turn++
  return live.script.resume(Number(fed.slice(callId.length + 1)), event.at, toHostResult(event), isReplay)
}

function toHostResult({ outcome, output, failure }: RunEvent & { type: 'tool-result' }): HostResult {
  if (outcome === 'ok') return { status: 'ok', value: output ?? null }
  return {
    status: 'error',
    failure: failure ?? { code: outcome, message: `The call ended: ${outcome}`, retryable: false },
  }
}

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

function differenceBetween(turn: ScriptTurn, record: ScriptTurnRecord): string | undefined {
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

function diverged({ log }: RunPorts, callId: string, turn: number, fed: string | undefined, reason: string): EventBody {
  const writes = log.events.flatMap((event) =>
    event.type === 'tool-start' && parentOf(event.callId) === callId ? [event.callId] : [],
  )
  const started = writes.length > 0 ? ` Calls it had started: ${writes.join(', ')}.` : ' It had started no call.'
  const message = `The script can't go on: replayed, ${reason}.${started}`
  const failure = { code: 'script_diverged', message, retryable: false }
  return { type: 'script-turn', callId, turn, fed, calls: [], outcome: { status: 'error', failure } }
}
