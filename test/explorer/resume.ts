import type { EventBody, Outcome } from '../../src/core/events.js'
import type { Effect } from '../../src/core/next.js'
import { checkFold } from './invariants.js'
import { tools } from './scenarios.js'
import { turnOf } from './script.js'
import { check, hashOf, stamped, type Core, type Moment } from './world.js'

/** I6: this log and every prefix of it comes to an end under a new epoch. `tried` holds the moments already known to. */
export function checkResume(core: Core, end: Moment, tried: WeakSet<Moment>): void {
  checkFold(core, end)
  for (let at: Moment | undefined = end; at && !tried.has(at); at = at.from) {
    tried.add(at)
    if (at.world.state.status === 'running') resume(core, at)
  }
}

/** Drives on in a world where everything goes well and the person says yes. */
function resume({ evolve, next }: Core, { world }: Moment): void {
  const fed: Record<string, string[]> = {}
  for (const [callId, order] of Object.entries(world.fed)) fed[callId] = [...order]
  const results = { ...world.results }
  let state = evolve(world.state, stamped({ type: 'lease-start', epoch: world.state.epoch + 1 }))
  for (let i = 0; state.status === 'running'; i++) {
    check(i < 200, 'I6 a resumed run does not end')
    const effect = next(state)[0]
    const asked = [...state.calls.values()].find(({ phase }) => phase === 'asking')
    check(!!effect || !!asked, 'I6 a resumed run is stuck')
    const event: EventBody = effect
      ? succeed(effect, fed, results)
      : { type: 'approval-response', callId: asked!.callId, hash: asked!.hash!, approved: true }
    if (event.type === 'tool-result') results[event.callId] = event.outcome
    state = evolve(state, stamped(event))
  }
}

function succeed(effect: Effect, fed: Record<string, string[]>, results: Readonly<Record<string, Outcome>>): EventBody {
  switch (effect.type) {
    case 'start-step':
      return { type: 'step-start', step: effect.step, attempt: effect.attempt }
    case 'call-model':
      return {
        type: 'assistant-message',
        step: effect.step,
        complete: true,
        parts: [{ type: 'text', text: 'said' }],
        calls: [],
      }
    case 'check-answer':
      return { type: 'answer-check', step: effect.step, verdict: 'accept' }
    case 'decide-tool': {
      const { callId, toolName, input } = effect.call
      const { verdict, mode } = tools[toolName]!
      return { type: 'tool-decision', callId, verdict, mode, hash: hashOf(input, 0, []) }
    }
    case 'start-tool':
      return { type: 'tool-start', callId: effect.call.callId, hash: effect.call.hash! }
    case 'execute-tool':
      return { type: 'tool-result', callId: effect.call.callId, outcome: 'ok' }
    case 'reconcile-tool':
      return { type: 'tool-result', callId: effect.call.callId, outcome: 'unknown' }
    case 'settle-tool':
      return { type: 'tool-result', callId: effect.call.callId, outcome: effect.outcome }
    case 'end-run':
      return { type: 'run-end', outcome: effect.outcome }
    case 'advance-script': {
      const { callId, script } = effect.call
      const order = (fed[callId] ??= [])
      if (effect.fed !== undefined) order.push(effect.fed)
      const turn = turnOf(effect.call, order, results)
      return { type: 'script-turn', callId, turn: script!.turn, fed: effect.fed, ...turn }
    }
  }
}
