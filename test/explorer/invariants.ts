import type { RunEvent, ToolCall } from '../../src/core/events.js'
import { expiryOf, isEarlier } from '../../src/core/next.js'
import { budgetOf, parentOf, type RunState } from '../../src/core/state.js'
import type { CallState } from '../../src/core/call-state.js'
import type { Message } from '../../src/core/transcript.js'
import { keyOf, reasonsOf, toOf } from './gate.js'
import { violationsOf } from './log-invariants.js'
import { tools, type Fed } from './scenarios.js'
import { numberOf, programOf } from './script.js'
import { allRules, check, logOf, type Core, type Moment, type World } from './world.js'

/*
 * I1  nothing executes without leave, or after it was denied, stopped or ended
 * I2  a write takes effect at most once, as it was approved, and never after it settled as not done
 * I3  a write executes alone, in its turn
 * I4  something is due or a person is asked, until the run ends
 * I5  the transcript only grows, and holds one result for each call, in order
 * I6  every prefix of every log comes to an end when it is driven again (resume.ts)
 * I7  a settled call never changes, a started write settles as what is known, and what is not known is kept
 * I8  what an effect appends makes it no longer due
 * I9  a script is fed in log order, and asks for the same on replay
 * I10 a run ends for the reason that its log gives, within its budget
 * I11 the counter of open approvals counts them
 * I12 nothing starts, or is sent again, that the page forbids
 * I13 what asks starts with leave for each reason that there is
 * I14 an answer for the rest is for so many calls of one script, while it is open
 * I15 a person is not asked again when there is nothing new
 * I16 an answer counts in its time only, and nothing expires before
 * L   what violationsOf() finds in the log
 */

/** What holds in every state. */
export function checkState({ accepts }: Core, moment: Moment): void {
  const { state, sent, results } = moment.world
  const calls = [...state.calls.values()]
  const running = calls.filter(({ phase, mode }) => phase === 'started' && mode !== 'script')
  const writes = running.filter(({ mode }) => mode === 'write')
  const asking = calls.filter(({ phase }) => phase === 'asking').length
  check(moment.depth < 200, 'I6 a run does not end')
  check(writes.length < 2 && (writes.length === 0 || running.length === 1), 'I3 a write does not execute alone')
  check(state.asking === asking, 'I11 the state counts other approvals than are open')
  if (state.status === 'running') check(moment.due.size > 0 || asking > 0, 'I4 deadlock')
  else check(state.calls.size === 0, 'I5 the run ended with calls open')
  for (const [callId, { effects }] of Object.entries(sent)) {
    check(effects <= 1, 'I2 a write took effect twice')
    check(results[callId] !== 'error' || effects === 0, 'I2 a write took effect after it had settled as not done')
    if (results[callId] === 'unknown' && effects === 0)
      check(state.unknown.has(callId), 'I7 a write that nobody found done is forgotten')
  }
  for (const { parent } of state.grants.values())
    check(state.calls.has(parent), 'I14 an answer for the rest outlives its script')
  for (const callId of Object.keys(results)) {
    const late = { type: 'approval-response', callId, hash: 'x:0', approved: true } as const
    check(!accepts(state, late), 'I1 a late approval is accepted')
  }
}

/** What holds when a call's request leaves. */
export function checkSend(moment: Moment, { callId, mode, toolName }: CallState): void {
  const { state, sent } = moment.world
  const { keyed } = tools[toolName]!
  check(!state.stop, 'I1 a call executes after the run was stopped')
  check(state.calls.get(callId)?.phase === 'started', 'I1 a call executes that is not started')
  const refused = logOf(moment).some((event) => isNo(event) && event.callId === callId)
  check(!refused, 'I1 a call executes after it was denied or its approval expired')
  if (mode !== 'write') return
  check(!sent[callId] || !!keyed, 'I2 a write is sent a second time')
}

const isNo = (event: RunEvent): event is RunEvent & { callId: string } =>
  event.type === 'approval-expired' ||
  (event.type === 'tool-decision' && event.verdict === 'deny') ||
  (event.type === 'approval-response' && !event.approved)

/** What holds for an event before it is appended. `log` makes the log with it. */
export function checkAppend(core: Core, world: World, log: () => readonly RunEvent[], event: RunEvent): void {
  if (event.type === 'tool-result') checkResult(world, event)
  if (event.type === 'tool-start') checkStart(world, log, event)
  if (event.type === 'tool-decision') checkAsked(world.state, event)
  if (event.type === 'approval-response' || event.type === 'approval-expired') checkTime(world.state, event)
  if (event.type === 'script-turn') checkReplay(log(), event.callId, world.state)
  if (event.type === 'answer-check') check(!world.state.stop, 'I10 an answer is checked after the run was stopped')
  if (event.type === 'step-start' || event.type === 'run-end') checkTranscript(core, log())
  if (event.type === 'step-start') checkStep(world.state, log().slice(0, -1))
  if (event.type === 'run-end') {
    const why = event.budget ? `${event.outcome}: ${event.budget}` : event.outcome
    check(why === reasonToEnd(world.state, log()), `I10 a run ends as ${why} for another reason`)
  }
}

function checkResult({ state, sent, results }: World, { callId, outcome }: RunEvent & { type: 'tool-result' }): void {
  const call = state.calls.get(callId)
  const was = sent[callId]
  check(!(callId in results), 'I7 a settled call gets a second result')
  const hasOpenChild = [...state.calls.keys()].some((other) => parentOf(other) === callId)
  check(!hasOpenChild, 'I7 a script settles before its calls')
  if (call?.mode === 'write' && call.phase === 'started')
    check(['ok', 'unknown', 'error'].includes(outcome), `I7 a started write settled as ${outcome}`)
  if (outcome === 'error') check(!was || was.effects === 0, 'I2 a write that took effect settled as error')
  if (['denied', 'cancelled', 'skipped'].includes(outcome))
    check(!was || (was.effects === 0 && !was.pending), `I7 a write that took effect, or may, settled as ${outcome}`)
}

function checkStart(world: World, log: () => readonly RunEvent[], event: RunEvent & { type: 'tool-start' }): void {
  const { state } = world
  const { callId } = event
  checkLeave(world, log, event)
  const script = state.calls.get(parentOf(callId) ?? '')?.script
  check(!script?.outcome, 'I1 a call starts after its script has ended')
  if (tools[state.calls.get(callId)!.toolName]!.mode !== 'write') return
  for (const other of state.calls.keys()) {
    const mayBeOpen = other === callId || other === parentOf(callId)
    check(mayBeOpen || !isEarlier(other, callId), 'I3 a write starts before an earlier call of the run')
  }
}

function checkLeave(world: World, log: () => readonly RunEvent[], event: RunEvent & { type: 'tool-start' }): void {
  const { state } = world
  const call = state.calls.get(event.callId)!
  const { mode } = tools[call.toolName]!
  check(mode !== 'write' || !world.modes.readOnly, 'I12 a write starts while the run only reads')
  const grant = event.grant === undefined ? undefined : state.grants.get(event.grant)
  const isApproved = call.approved !== undefined && call.approved === event.hash
  const known = grant?.reasons ?? (isApproved ? (call.reasons ?? []) : [])
  for (const reason of reasonsOf(allRules, world, call))
    check(known.includes(reason), `I13 a call starts without leave for the reason: ${reason}`)
  if (event.grant === undefined) return
  const isShown = call.reasons?.every((reason) => grant?.reasons.includes(reason))
  check(isShown !== false, 'I14 a call starts with another reason than was shown')
  check(!!grant?.approved, 'I14 a call starts on an answer for the rest that is not there')
  check(grant.parent === parentOf(event.callId), 'I14 a call starts on an answer for another script')
  const to = grant.fixed['/to']
  check(to === undefined || to === toOf(call), 'I14 a call starts with another value than was fixed')
  const all = log()
  const given = all.findLastIndex(
    (one) => one.type === 'approval-response' && one.callId === event.grant && !!one.grant,
  )
  const later = all.slice(given)
  const ids = later.flatMap((one) => (one.type === 'tool-start' && one.grant === event.grant ? [one.callId] : []))
  check(new Set(ids).size <= (grant.count ?? Infinity), 'I14 more calls start than the person said')
}

function checkAsked(state: RunState, { callId, verdict, hash }: RunEvent & { type: 'tool-decision' }): void {
  const call = state.calls.get(callId)
  for (const { approved, parent, toolName } of state.grants.values()) {
    const isDenied = !approved && parent === parentOf(callId) && toolName === call?.toolName
    check(!isDenied || verdict === 'deny' || call.approved === hash, 'I14 a call asks that was denied for the rest')
  }
  if (verdict !== 'ask' || call?.approved === undefined || call.approved === hash) return
  type Shown = [input: unknown, page: number, reasons: readonly string[]]
  const [was, now] = [call.approved, hash].map((one) => JSON.parse(one) as Shown) as [Shown, Shown]
  const isSame = JSON.stringify(was.slice(0, 2)) === JSON.stringify(now.slice(0, 2))
  const isNew = now[2].some((reason) => !was[2].includes(reason))
  check(!isSame || isNew, 'I15 a person is asked again though there is nothing new')
}

function checkTime(state: RunState, event: RunEvent & { type: 'approval-response' | 'approval-expired' }): void {
  const call = state.calls.get(event.callId)
  const expires = tools[call?.toolName ?? '']?.expires ?? Infinity
  const end = (call?.decidedAt ?? 0) + expires
  if (event.type === 'approval-expired') check(event.at >= end, 'I16 an approval expires before its time')
  else check(event.at < end, 'I16 an answer counts after its time')
}

/** What a result makes of the world. */
export function settledWith(world: World, { callId, outcome }: RunEvent & { type: 'tool-result' }): Partial<World> {
  const call = world.state.calls.get(callId)
  const isMade = call?.mode === 'write' && call.phase === 'started' && (outcome === 'ok' || outcome === 'unknown')
  const made = isMade ? [...world.made, keyOf(call)] : world.made
  return { results: { ...world.results, [callId]: outcome }, made }
}

/** The log of a run that has ended. */
export function checkLog(moment: Moment): void {
  const found = violationsOf(logOf(moment))
  check(found.length === 0, `L ${found.join('; ')}`)
}

/** From the log alone: the results in log order, and the same calls again. */
function checkReplay(log: readonly RunEvent[], callId: string, state: RunState): void {
  const program = programOf(state.calls.get(callId)!)
  const fed: Fed[] = []
  const results: Fed[] = []
  let asked = 0
  for (const event of log) {
    if (event.type === 'tool-result' && parentOf(event.callId) === callId)
      results.push({ n: numberOf(event.callId), outcome: event.outcome })
    if (event.type !== 'script-turn' || event.callId !== callId) continue
    if (event.fed !== undefined) {
      const result = results[fed.length]
      check(result?.n === numberOf(event.fed), 'I9 a script was fed out of log order')
      fed.push(result!)
    }
    const again = program(fed)
    const isSame = again.calls.slice(asked).join() === event.calls.map(askedAs).join()
    check(isSame && again.outcome === event.outcome?.status, 'I9 a script asks for something else on replay')
    asked = again.calls.length
  }
}

/** The last request against the one before it. */
function checkTranscript({ grow, emptyTranscript }: Core, log: readonly RunEvent[]): void {
  let before: readonly Message[] | undefined
  let now: readonly Message[] | undefined
  let transcript = emptyTranscript
  for (const event of log) {
    transcript = grow(transcript, event)
    if (event.type === 'step-start' || event.type === 'run-end') [before, now] = [now, transcript.messages]
  }
  if (!before || !now) return
  const isKept = JSON.stringify(now.slice(0, before.length)) === JSON.stringify(before)
  check(isKept, 'I5 a request edits the transcript')
  const grown = now.slice(before.length)
  const isAnswerFirst = !grown.some(({ role }) => role === 'assistant') || grown[0]!.role === 'assistant'
  check(isAnswerFirst, 'I5 a message slipped in before the answer to an earlier request')
  for (const [i, message] of now.entries()) {
    if (message.role !== 'assistant') continue
    const after = now.slice(i + 1, i + 1 + message.calls.length)
    const answered = after.map((one) => (one.role === 'tool' ? one.call.callId : one.role)).join()
    const asked = message.calls.map(({ callId }) => callId).join()
    check(answered === asked, 'I5 results do not follow their calls, once each and in order')
  }
}

function checkStep(state: RunState, before: readonly RunEvent[]): void {
  const { attempts } = budgetOf(state)
  check(reasonToEnd(state, before) === 'none', 'I10 a request is made though the log gives a reason to end')
  check(state.step.attempt < attempts, 'I10 a step is tried more often than its budget says')
}

/** Found from the log alone, so that it can differ from what the fold says. */
function reasonToEnd(state: RunState, log: readonly RunEvent[]): string {
  const { attempts, steps } = budgetOf(state)
  const requests = log.filter((event) => event.type === 'step-start')
  const start = log.findLastIndex((event) => event.type === 'step-start')
  const answer = log.slice(start).find((event) => event.type === 'assistant-message')
  const stop = log.find((event) => event.type === 'run-stop')
  const isLast = answer?.complete && answer.calls.length === 0 && answer.finish !== 'resend'
  const verdict = log.slice(start).find((event) => event.type === 'answer-check')?.verdict
  const isInDoubt = answer?.finish === 'length' || owesCall(log)
  if (isLast && (verdict === 'accept' || !isInDoubt)) return 'completed'
  if (stop) return stop.reason === 'deadline' ? 'budget-exceeded: time' : 'cancelled'
  if (answer?.failure?.retryable === false || verdict === 'fail') return 'failed'
  if (isLast && verdict === undefined) return 'nothing: its answer is in doubt'
  if (start >= 0 && !answer?.complete && requests.at(-1)!.attempt >= attempts) return 'failed'
  return requests.length >= steps ? 'budget-exceeded: steps' : 'none'
}

/** The run's tool choice demands a call that no complete message has asked for. */
function owesCall(log: readonly RunEvent[]): boolean {
  const choice = log.find((event) => event.type === 'run-start')?.toolChoice
  if (choice?.mode !== 'required') return false
  const calls = log.flatMap((event) => (event.type === 'assistant-message' ? event.calls : []))
  return !calls.some(({ toolName }) => choice.tools?.includes(toolName))
}

/** The log makes the state, and nothing that the state was made of has changed since. */
export function checkFold({ fold }: Core, moment: Moment): void {
  check(stateKey(fold(logOf(moment))) === stateKey(moment.world.state), 'I6 the log folds to another state')
}

/** One text for one state. The header is the same in all, and of time only what it has ended. */
export function stateKey(state: RunState): string {
  const { lastAt, used } = state
  const calls = [...state.calls.values()].map((call) => {
    const isLate = call.phase === 'asking' && lastAt >= expiryOf(call)
    return { ...call, decidedAt: undefined, isLate }
  })
  const [unknown, grants] = [[...state.unknown.keys()], [...state.grants]]
  return JSON.stringify({ ...state, header: undefined, lastAt: 0, used: { ...used, time: 0 }, calls, unknown, grants })
}

const askedAs = ({ toolName, input }: ToolCall): string => {
  const { to = 'a' } = input as { readonly to?: string }
  return to === 'a' ? toolName : `${toolName}>${to}`
}
