import type { EventBody, ToolCall } from '../core/events.js'
import type { EffectOf } from '../core/next.js'
import type { CallState } from '../core/call-state.js'
import { changeOf } from '../core/script-state.js'
import { isBuiltIn } from '../core/built-ins.js'
import { scriptFailure, type ScriptTurn } from '../sandbox/script.js'
import { wallOver } from './call-built-in.js'
import type { LiveScript } from './live-scripts.js'
import type { RunPorts } from './ports.js'
import { diverged, liveScript, replay, resultOf, toFed } from './replay-script.js'
import { startOf } from './script-start.js'

/** Milliseconds between two words on how a script goes. */
const tellEvery = 100

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
  const { log, scripts } = ports
  const end = () => scripts.end(callId)
  signal.addEventListener('abort', end)
  try {
    scripts.unpark(callId)
    const over = fed === undefined ? undefined : wallFailure(ports, fed)
    if (over) return { type: 'script-turn', callId, turn, fed, calls: [], outcome: { status: 'error', failure: over } }
    const live = liveScript(ports, call)
    if ('reason' in live) return diverged(ports, callId, turn, fed, live.reason)
    if (live.turn < turn) {
      const difference = await replay(ports, call, live)
      if (difference) return diverged(ports, callId, turn, fed, difference)
    }
    live.turn++
    const made = await (fed === undefined
      ? live.script.start(startOf(log.events, callId).at)
      : nextTurn(ports, call, live, fed))
    scripts.spend(callId, made.cpuMs)
    if (made.outcome) end()
    else scripts.park(callId)
    tell(ports, callId, live, made)
    return { type: 'script-turn', callId, turn, fed, ...recordOf(ports, callId, made) }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** The results that wait in the log are fed together; each turn is still one event, in their order. */
function nextTurn(ports: RunPorts, call: CallState, live: LiveScript, fed: string): Promise<ScriptTurn> {
  for (const id of call.script!.queue) {
    if (live.ahead.has(id)) continue
    if (wallFailure(ports, id)) break
    live.ahead.set(id, live.script.resume(toFed(ports, call.callId, id)))
  }
  const turn = live.ahead.get(fed)!
  live.ahead.delete(fed)
  return turn
}

function recordOf({ log, memory }: RunPorts, callId: string, { calls, prints, outcome, state }: ScriptTurn) {
  const change = state && changeOf(memory.stateAtStart(log.runId, callId), state)
  return {
    calls: calls.map(({ n, toolName, input, line }): ToolCall => ({
      callId: `${callId}/${n}`,
      toolName,
      input,
      caller: 'script',
      ...(line !== undefined && { line }),
    })),
    ...(prints.length > 0 && { prints }),
    ...(outcome && { outcome }),
    ...(change && { state: change }),
  }
}

/** Its sleep found that its time is over: it is not fed, because it could catch that. */
function wallFailure({ log }: RunPorts, fed: string) {
  const { failure } = resultOf(log.events, fed)
  if (failure?.code !== wallOver || !isBuiltIn(toolNameOf(log.events, fed))) return undefined
  return scriptFailure('script_wall', failure.message)
}

function toolNameOf(events: RunPorts['log']['events'], callId: string): string {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!
    const call = event.type === 'script-turn' ? event.calls.find((each) => each.callId === callId) : undefined
    if (call) return call.toolName
  }
  return ''
}

function tell(ports: RunPorts, callId: string, live: LiveScript, turn: ScriptTurn): void {
  const now = ports.now()
  if (!turn.outcome && now - live.toldAt < tellEvery) return
  live.toldAt = now
  const { line, memoryBytes } = turn
  const cpuMs = ports.scripts.spent(callId)
  ports.onProgress({ callId, turns: live.turn, cpuMs, memoryBytes, ...(line !== undefined && { line }) })
}
