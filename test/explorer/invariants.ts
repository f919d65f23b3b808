import type { RunEvent } from '../../src/core/events.js'
import { isEarlier } from '../../src/core/next.js'
import { budgetOf, parentOf, type RunState } from '../../src/core/state.js'
import type { CallState } from '../../src/core/call-state.js'
import type { Message } from '../../src/core/transcript.js'
import { tools, type Fed } from './scenarios.js'
import { numberOf, programOf } from './script.js'
import { check, logOf, type Core, type Moment, type World } from './world.js'

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
  for (const callId of Object.keys(results)) {
    const late = { type: 'approval-response', callId, hash: 'x:0', approved: true } as const
    check(!accepts(state, late), 'I1 a late approval is accepted')
  }
}

/** What holds when a call's request leaves. */
export function checkSend(moment: Moment, { callId, mode, toolName, approved, hash }: CallState): void {
  const { state, sent } = moment.world
  const { keyed, verdict } = tools[toolName]!
  check(!state.stop, 'I1 a call executes after the run was stopped')
  check(state.calls.get(callId)?.phase === 'started', 'I1 a call executes that is not started')
  const refused = logOf(moment).some((event) => isNo(event) && event.callId === callId)
  check(!refused, 'I1 a call executes after it was denied or its approval expired')
  if (mode !== 'write') return
  check(!sent[callId] || !!keyed, 'I2 a write is sent a second time')
  if (verdict === 'ask') check(approved === hash, 'I2 a write executes with a hash nobody approved')
}

const isNo = (event: RunEvent): event is RunEvent & { callId: string } =>
  event.type === 'approval-expired' ||
  (event.type === 'tool-decision' && event.verdict === 'deny') ||
  (event.type === 'approval-response' && !event.approved)

/** What holds for an event before it is appended. `log` makes the log with it. */
export function checkAppend(core: Core, world: World, log: () => readonly RunEvent[], event: RunEvent): void {
  if (event.type === 'tool-result') checkResult(world, event)
  if (event.type === 'tool-start') checkStart(world.state, event.callId)
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

function checkStart(state: RunState, callId: string): void {
  const script = state.calls.get(parentOf(callId) ?? '')?.script
  check(!script?.outcome, 'I1 a call starts after its script has ended')
  if (tools[state.calls.get(callId)!.toolName]!.mode !== 'write') return
  for (const other of state.calls.keys()) {
    const mayBeOpen = other === callId || other === parentOf(callId)
    check(mayBeOpen || !isEarlier(other, callId), 'I3 a write starts before an earlier call of the run')
  }
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
    const isSame = again.calls.slice(asked).join() === event.calls.map(({ toolName }) => toolName).join()
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

/** One text for one state. The header is the same in all. */
export const stateKey = (state: RunState): string =>
  JSON.stringify({ ...state, header: undefined, calls: [...state.calls.values()], unknown: [...state.unknown.keys()] })
