import type { CallState } from '../../src/core/call-state.js'
import { hasRoom } from '../../src/core/grants.js'
import type { Decision, EventBody, Verdict } from '../../src/core/events.js'
import type { EffectOf } from '../../src/core/next.js'
import { parentOf } from '../../src/core/state.js'
import { tools } from './scenarios.js'
import { hashOf, type Move, type Rules, type Subject, type World } from './world.js'

/** What the world has against a call, when the gate is asked. */
interface Against {
  readonly verdict?: Verdict
  readonly reasons?: readonly string[]
  readonly page?: number
}

/** The gate in small: modes, then reasons to ask, then what a person said for the rest of the script. */
export function* gate(subject: Subject, world: World, effect: EffectOf<'decide-tool' | 'start-tool'>): Generator<Move> {
  const { slowGate } = subject.scenario
  const held = world.held[effect.id]
  if (held) return yield done(world, effect, held, {}, 'what the gate answered')
  for (const [label, change, against] of againsts(world, effect)) {
    const event = answerOf(subject, { ...world, ...change }, effect, against)
    if (slowGate && effect.type === 'start-tool')
      yield { label: `gate, ${label}`, change: { ...change, held: { ...world.held, [effect.id]: event } }, events: [] }
    else yield done(world, effect, event, change, label)
  }
}

function* againsts(
  world: World,
  { type, call }: EffectOf<'decide-tool' | 'start-tool'>,
): Generator<[label: string, change: Partial<World>, against: Against]> {
  yield [type, {}, {}]
  const trouble = world.trouble - 1
  if (trouble < 0) return
  const { mode, verdict } = tools[call.toolName]!
  yield [`${type}, policy changed`, { trouble }, { verdict: 'deny' }]
  if (mode === 'script') return
  if (type === 'start-tool' && verdict === 'ask') yield [`page field changed`, { trouble, page: world.page + 1 }, {}]
  yield [`${type}, untrusted text was read`, { trouble }, { reasons: ['untrusted'] }]
}

function answerOf(
  { core, rules }: Subject,
  world: World,
  { type, call }: EffectOf<'decide-tool' | 'start-tool'>,
  against: Against,
): EventBody {
  const { callId } = call
  const decision = decide(rules, world, call, against)
  const { hash, grant } = decision
  const isBlind = !rules.gateAtStart && call.phase === 'ready' && against.verdict !== 'deny'
  if (type === 'start-tool' && (isBlind || core.isMet(call, decision.verdict, hash)))
    return { type: 'tool-start', callId, hash: isBlind ? call.hash! : hash, ...(grant !== undefined && { grant }) }
  return { type: 'tool-decision', callId, ...decision }
}

function decide(rules: Rules, world: World, call: CallState, against: Against): Decision {
  const { mode, expires } = tools[call.toolName]!
  const { readOnly } = world.state.modes
  const now = [...reasonsOf(rules, world, call), ...(against.reasons ?? [])]
  const shown = call.reasons ?? []
  const reasons = rules.keepReasons && now.every((reason) => shown.includes(reason)) ? shown : now
  const hash = hashOf(call.input, world.page, reasons)
  const decision = (verdict: Verdict, extra: object = {}) => ({ verdict, mode, hash, reasons, ...extra }) as const
  if (against.verdict === 'deny' || (readOnly && mode === 'write')) return decision('deny')
  if (now.length === 0) return decision('allow')
  if (call.caller === 'program') return decision('deny')
  const asks = decision('ask', expires === undefined ? {} : { detail: { expires } })
  return call.approved === hash ? asks : withGrant(rules, world, call, asks)
}

/** Why a call asks. Found for the checks too, when the call starts. */
export function reasonsOf(rules: Rules, { state, made }: World, call: CallState): string[] {
  const { mode, verdict } = tools[call.toolName]!
  const found: string[] = []
  if (state.modes.askAll && mode !== 'script') found.push('mode')
  if (verdict === 'ask') found.push('risk')
  if (mode !== 'write') return found
  if (rules.repeatAsks && made.includes(keyOf(call))) found.push('repeat')
  if (rules.unknownAsks && state.unknown.size > 0) found.push('unknown')
  return found
}

function withGrant(rules: Rules, { state }: World, call: CallState, asks: Decision): Decision {
  const ofScript = [...state.grants].filter(
    ([, { toolName, parent }]) =>
      toolName === call.toolName && (!rules.grantOfScript || parent === parentOf(call.callId)),
  )
  if (rules.denialForRest && ofScript.some(([, { approved }]) => !approved)) return { ...asks, verdict: 'deny' }
  for (const [id, grant] of ofScript) {
    if (!grant.approved) continue
    if (rules.grantCount && !hasRoom(state.grants, id, call)) continue
    if (rules.grantReasons && asks.reasons?.some((reason) => !grant.reasons.includes(reason))) continue
    if (rules.grantFixed && Object.hasOwn(grant.fixed, '/to') && grant.fixed['/to'] !== toOf(call)) continue
    return { ...asks, verdict: 'allow', grant: id }
  }
  return asks
}

export const keyOf = ({ toolName, input }: CallState): string => `${toolName}:${JSON.stringify(input)}`
export const toOf = ({ input }: CallState): unknown => (input as { readonly to?: unknown } | undefined)?.to

export function done(
  world: World,
  effect: Move['effect'] & {},
  event: EventBody,
  change: Partial<World> = {},
  label?: string,
): Move {
  const { [effect.id]: _, ...inFlight } = world.inFlight
  const { [effect.id]: __, ...held } = world.held
  return { label: label ?? effect.type, change: { inFlight, held, ...change }, events: [event], effect }
}
