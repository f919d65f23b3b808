import { isBuiltIn } from '../../src/core/built-ins.js'
import type { Decision, Mode, Outcome, RunEvent, ToolCall } from '../../src/core/events.js'
import type { Grant, RunModes } from '../../src/core/approval.js'
import { canonicalJson, type Json } from '../../src/core/json.js'
import { isEarlier } from '../../src/core/next.js'
import { parentOf } from '../../src/core/state.js'
import { valuesAt } from '../../src/core/value-path.js'
import { sha256 } from '../../src/tools/hash.js'

/*
 * What must hold in every log, whatever happened to those who wrote it. Found from the events alone, without the fold: so that a
 * fault of the fold is found too.
 *
 * L1  a log has a beginning, a time that does not run back, epochs that grow, and a chain that fits
 * L2  a call is asked for once, and nothing is said of it before that or after its result
 * L3  a call starts only with leave: allowed, approved with the hash that was shown, or granted within the bounds
 * L4  a person answers, and an approval expires, only while the call asks, for the hash that is asked for, in its time
 * L5  a write starts once, alone and in its turn, and ends as what is known
 * L6  what was denied, or was not started, ends as that
 * L7  what the page forbids does not start
 * L8  nothing starts after a stop, and nothing but news comes after the end, when all calls are closed
 * L9  a step asks when its calls are closed, and is answered once
 * L10 a script is fed the results of its calls, once each and in the order of the log, and starts nothing after its end
 * L11 news of a call is of one whose outcome is unknown
 */

/** What is wrong with a log, each with the position of its event. Empty: nothing. Also of a run that is not over. */
export function violationsOf(events: readonly RunEvent[]): string[] {
  const log = new LogReader()
  return events.flatMap((event, seq) => {
    const name = 'callId' in event ? `${event.type} of ${event.callId}` : event.type
    return log.read(event).map((fault) => `event ${seq}, ${name}: ${fault}`)
  })
}

interface Call extends ToolCall {
  phase: 'proposed' | 'asking' | 'ready' | 'refused' | 'started' | 'settled'
  mode?: Mode
  decision?: Decision & { readonly at: number }
  approved?: string
  starts: number
  epoch: number
  outcome?: Outcome
  turns: number
  hasEnded: boolean
  /** Results of its calls that it was not fed yet. */
  readonly unfed: string[]
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

class LogReader {
  #faults: string[] = []
  #last: RunEvent | undefined
  #chain: string | undefined
  #epoch = 0
  #modes: RunModes = {}
  #step = { n: 1, attempt: 0, isOpen: false, isAnswered: false, stepEpoch: 0 }
  #isStopped = false
  #isOver = false
  readonly #calls = new Map<string, Call>()
  readonly #grants = new Map<string, { readonly grant: Grant; readonly parent?: string; readonly by: Set<string> }>()
  readonly #known = new Set<string>()

  /** What is wrong with the next event. */
  read(event: RunEvent): readonly string[] {
    this.#faults = []
    this.#inLine(event)
    if (this.#isOver && event.type !== 'tool-reconciled') this.#no('L8 the run is over')
    this.#take(event)
    this.#last = event
    return this.#faults
  }

  #no(fault: string): void {
    this.#faults.push(fault)
  }

  #inLine(event: RunEvent): void {
    const last = this.#last
    if (!last !== (event.type === 'run-start')) this.#no('L1 a log begins with its run-start, and has no other')
    if (last?.type === 'run-start' && event.type !== 'user-message') this.#no('L1 the user speaks first')
    if (last && last.type !== 'run-start' && event.type === 'user-message') this.#no('L1 the user speaks once')
    if (last && event.at < last.at) this.#no('L1 its time is before that of the event before it')
    if (event.type === 'run-start') this.#chain = event.format >= 2 ? '' : undefined
    const { chain, ...bare } = event
    const expected = this.#chain === undefined ? undefined : chainOf(bare, this.#chain)
    if (chain !== expected) this.#no('L1 its chain does not fit')
    this.#chain = this.#chain === undefined ? undefined : chain
  }

  #take(event: RunEvent): void {
    switch (event.type) {
      case 'run-start':
      case 'lease-start':
        if (event.epoch <= this.#epoch) this.#no('L1 its epoch is not new')
        this.#epoch = event.epoch
        if (event.type === 'run-start') this.#modes = event
        return
      case 'user-message':
        return
      case 'mode-change':
        this.#modes = event
        return
      case 'step-start':
        return this.#startStep(event)
      case 'assistant-message':
        return this.#answer(event)
      case 'answer-check':
        if (!this.#step.isAnswered || this.#isStopped) this.#no('L9 there is no answer to check')
        this.#step = { ...this.#step, isAnswered: false }
        return
      case 'script-turn':
        return this.#turn(event)
      case 'tool-decision':
        return this.#decide(event)
      case 'approval-response':
      case 'approval-expired':
        return this.#respond(event)
      case 'tool-start':
        return this.#start(event)
      case 'tool-result':
        return this.#settle(event)
      case 'tool-reconciled': {
        if (event.runId !== undefined) return
        const call = this.#calls.get(event.callId)
        const isUnknown = call?.outcome === 'unknown' && call.mode === 'write' && !this.#known.has(event.callId)
        if (!isUnknown) this.#no('L11 its outcome is not unknown')
        if (event.done) this.#known.add(event.callId)
        return
      }
      case 'run-stop':
        if (this.#isStopped) this.#no('L8 the run was stopped before')
        this.#isStopped = true
        return
      case 'run-end':
        if (this.#open().length > 0)
          this.#no(
            `L8 calls are open: ${this.#open()
              .map(({ callId }) => callId)
              .join()}`,
          )
        this.#isOver = true
    }
  }

  #open = (): Call[] => [...this.#calls.values()].filter(({ phase }) => phase !== 'settled')

  #startStep({ step, attempt }: EventOf<'step-start'>): void {
    const was = this.#step
    if (this.#isStopped) this.#no('L8 the run was stopped')
    if (this.#open().length > 0) this.#no('L9 calls of the step before are open')
    if (was.isOpen && was.stepEpoch === this.#epoch) this.#no('L9 the request before it is not answered')
    const isNext = step === was.n ? attempt === was.attempt + 1 : step === was.n + 1 && attempt === 1
    if (!isNext) this.#no(`L9 it is not the one after ${was.n}.${was.attempt}`)
    this.#step = { n: step, attempt, isOpen: true, isAnswered: false, stepEpoch: this.#epoch }
  }

  #answer({ step, complete, calls }: EventOf<'assistant-message'>): void {
    if (!this.#step.isOpen || step !== this.#step.n) this.#no('L9 nothing was asked that it could answer')
    if (this.#step.stepEpoch !== this.#epoch) this.#no('L9 it answers a request of an epoch that is over')
    if (!complete && calls.length > 0) this.#no('L9 a message that was cut asks for calls')
    this.#step = { ...this.#step, isOpen: false, isAnswered: complete && calls.length === 0 }
    this.#propose(calls, undefined)
  }

  #propose(calls: readonly ToolCall[], parent: string | undefined): void {
    for (const call of calls) {
      if (this.#calls.has(call.callId)) this.#no(`L2 call ${call.callId} is asked for a second time`)
      if (parentOf(call.callId) !== parent) this.#no(`L2 call ${call.callId} is not of who asks for it`)
      const nothing = { starts: 0, epoch: 0, turns: 0, hasEnded: false, unfed: [] }
      this.#calls.set(call.callId, { ...call, ...nothing, phase: 'proposed' })
    }
  }

  /** The call, if it is open. */
  #find(callId: string): Call | undefined {
    const call = this.#calls.get(callId)
    if (!call) this.#no('L2 nobody asked for it')
    else if (call.phase === 'settled') this.#no('L2 it has a result')
    else return call
    return undefined
  }

  #turn(event: EventOf<'script-turn'>): void {
    const call = this.#find(event.callId)
    if (!call) return
    if (this.#isStopped) this.#no('L8 the run was stopped')
    if (call.mode !== 'script' || call.phase !== 'started') this.#no('L10 it is no script that was started')
    if (event.turn !== call.turns) this.#no(`L10 turn ${event.turn} comes after ${call.turns} turns`)
    if (call.hasEnded) this.#no('L10 the script has ended')
    const expected = call.turns === 0 ? undefined : call.unfed.shift()
    if (event.fed !== expected || (call.turns > 0 && expected === undefined))
      this.#no(`L10 it is fed ${event.fed}, and ${expected} is next`)
    call.turns += 1
    call.hasEnded = event.outcome !== undefined
    this.#propose(event.calls, event.callId)
  }

  #decide(event: EventOf<'tool-decision'>): void {
    const call = this.#find(event.callId)
    if (!call) return
    if (this.#isStopped) this.#no('L8 the run was stopped')
    const isInterrupted = call.phase === 'started' && call.mode === 'read' && call.epoch !== this.#epoch
    if (call.phase === 'refused') this.#no('L6 it was denied')
    if (call.phase === 'started' && !isInterrupted) this.#no('L2 it was started')
    const isApproved = event.verdict === 'ask' && call.approved === event.hash
    call.mode = event.mode
    call.decision = event
    call.phase = event.verdict === 'deny' ? 'refused' : event.verdict === 'allow' || isApproved ? 'ready' : 'asking'
  }

  #respond(event: EventOf<'approval-response' | 'approval-expired'>): void {
    const call = this.#find(event.callId)
    if (!call) return
    const { hash, detail, at } = call.decision ?? { at: 0 }
    const ends = detail?.expires === undefined ? Infinity : at + detail.expires
    if (this.#isStopped) this.#no('L8 the run was stopped')
    if (call.phase !== 'asking') this.#no('L4 the call does not ask')
    if (event.hash !== hash) this.#no('L4 it is for another hash than the call asks for')
    if (event.type === 'approval-expired' && event.at < ends) this.#no('L4 its time is not over')
    if (event.type === 'approval-response' && event.at >= ends) this.#no('L4 its time is over')
    if (event.type === 'approval-expired' || !event.approved) call.phase = 'refused'
    else if (event.edit) Object.assign(call, { phase: 'proposed', input: event.edit.input, approved: event.edit.hash })
    else Object.assign(call, { phase: 'ready', approved: event.hash })
    if (event.type === 'approval-response' && event.grant)
      this.#grants.set(call.callId, { grant: event.grant, parent: parentOf(call.callId), by: new Set() })
  }

  #start(event: EventOf<'tool-start'>): void {
    const call = this.#find(event.callId)
    if (!call) return
    const { mode, decision } = call
    if (this.#isStopped) this.#no('L8 the run was stopped')
    if (call.phase === 'refused') this.#no('L6 it was denied')
    if (mode === 'write' && call.starts > 0) this.#no('L5 a write is started a second time')
    const isInterrupted = call.phase === 'started' && mode === 'read' && call.epoch !== this.#epoch
    if (call.phase !== 'ready' && !isInterrupted) this.#no(`L3 it starts while it is ${call.phase}`)
    if (this.#calls.get(parentOf(event.callId) ?? '')?.hasEnded) this.#no('L10 its script has ended')
    const isApproved = call.approved !== undefined && call.approved === event.hash
    const needsLeave = decision?.verdict !== 'allow' || decision.grant !== undefined
    if (event.grant !== undefined) this.#spend(call, event.grant, executed(call, event))
    else if (needsLeave && !isApproved) this.#no('L3 nobody approved what it starts with')
    this.#permitted(call, isApproved || event.grant !== undefined)
    if (mode !== 'script') this.#inTurn(call)
    Object.assign(call, { phase: 'started', epoch: this.#epoch, starts: call.starts + 1 })
  }

  #spend(call: Call, id: string, input: Json): void {
    const open = this.#grants.get(id)
    if (!open) return this.#no(`L3 call ${id} has no grant`)
    const { grant, parent, by } = open
    by.add(call.callId)
    if (!grant.approved) this.#no('L3 the grant is a denial')
    if (parent === undefined || parent !== parentOf(call.callId)) this.#no('L3 the grant is for another script')
    if (grant.toolName !== call.toolName) this.#no(`L3 the grant is for ${grant.toolName}`)
    if (by.size > (grant.count ?? Infinity)) this.#no(`L3 the grant is for ${grant.count} calls`)
    for (const [path, value] of Object.entries(grant.fixed)) {
      const found = valuesAt(input, path)
      const isSame = found.length === 1 && canonicalJson(found[0]!.value) === canonicalJson(value)
      if (!isSame) this.#no(`L3 the grant is for another value of ${path}`)
    }
    const other = call.decision?.reasons?.find((reason) => !grant.reasons.includes(reason))
    if (other !== undefined) this.#no(`L3 the grant is without the reason: ${other}`)
  }

  #permitted({ toolName, mode }: Call, isAsked: boolean): void {
    const { allow, readOnly, askAll } = this.#modes
    if (mode === 'script' || isBuiltIn(toolName)) return
    if (readOnly && mode === 'write') this.#no('L7 the run only reads')
    if (allow && !allow.includes(toolName)) this.#no('L7 the tool is not allowed in this run')
    if (askAll && !isAsked) this.#no('L7 every call asks in this run')
  }

  #inTurn({ callId, mode }: Call): void {
    for (const other of this.#open()) {
      if (other.callId === callId || other.callId === parentOf(callId)) continue
      const isExecuting = other.phase === 'started' && other.mode !== 'script'
      if (isExecuting && (mode === 'write' || other.mode === 'write')) this.#no(`L5 call ${other.callId} executes`)
      else if (mode === 'write' && isEarlier(other.callId, callId))
        this.#no(`L5 the earlier call ${other.callId} is open`)
    }
  }

  #settle({ callId, outcome }: EventOf<'tool-result'>): void {
    const call = this.#find(callId)
    if (!call) return
    const { phase, mode = 'none' } = call
    const isStarted = phase === 'started'
    const known = isStarted ? outcomes[mode] : unstarted[phase === 'refused' ? 'refused' : 'other']
    const rule = isStarted && mode === 'write' ? 'L5' : 'L6'
    if (!known.includes(outcome))
      this.#no(`${rule} it is ${isStarted ? `a started ${mode}` : phase}, and ends as ${outcome}`)
    if (this.#open().some((other) => parentOf(other.callId) === callId)) this.#no('L10 calls of the script are open')
    call.phase = 'settled'
    call.outcome = outcome
    const script = this.#calls.get(parentOf(callId) ?? '')
    if (script && !script.hasEnded) script.unfed.push(callId)
  }
}

/** Of an event without its own. */
export const chainOf = (event: object, previous: string): string => sha256(previous + JSON.stringify(event))

const outcomes: Readonly<Record<Mode | 'none', readonly Outcome[]>> = {
  read: ['ok', 'error', 'timeout', 'cancelled', 'skipped'],
  write: ['ok', 'error', 'unknown'],
  script: ['ok', 'error', 'timeout', 'cancelled'],
  none: [],
}
const unstarted: Readonly<Record<'refused' | 'other', readonly Outcome[]>> = {
  refused: ['denied'],
  other: ['cancelled', 'skipped'],
}

const executed = (call: Call, { input }: { readonly input?: Json }): Json => input ?? call.input ?? null
