import type { ApprovalResponse, AskDetail, RunModes } from './approval.js'
import type { Failure, Mode, Outcome, Reconciliation, RunEvent, ToolCall, Verdict } from './events.js'
import type { Json } from './json.js'
import { modesOf } from './modes.js'
import type { Caller } from './tool-definition.js'

/** Who asked for what, what was decided by which rule, who approved, what ran, what came back, and when. Times: ms since 1970. */
export interface Audit {
  /** In the order in which they were asked for. */
  readonly calls: readonly CallAudit[]
  /** What was about a whole run, in the order of the log. */
  readonly runs: readonly RunAudit[]
}

export interface CallAudit {
  readonly runId: string
  /** Ours, in its run. */
  readonly callId: string
  /** `run:callId`: the tool gets it, the same in each attempt. */
  readonly idempotencyKey: string
  readonly toolName: string
  readonly askedAt: number
  readonly askedBy: Caller
  /** The script's call, and its line that asks. */
  readonly script?: { readonly callId: string; readonly line?: number }
  /** It ran at the provider. */
  readonly executor?: 'provider'
  /** As it was asked. */
  readonly input: Json
  readonly decisions: readonly DecisionAudit[]
  readonly answers: readonly AnswerAudit[]
  /** The question was taken back, as nobody answered in time. */
  readonly expiredAt?: number
  readonly starts: readonly StartAudit[]
  /** Absent: it is open. */
  readonly result?: ResultAudit
  /** What was learnt later of a write whose outcome was unknown. */
  readonly reconciled: readonly ReconciledAudit[]
}

export interface DecisionAudit {
  readonly at: number
  readonly verdict: Verdict
  readonly mode: Mode
  readonly rules: readonly string[]
  readonly reasons: readonly string[]
  readonly hash: string
  readonly failure?: Failure
  readonly detail?: AskDetail
  /** The call whose approval stands for this one too. */
  readonly grant?: string
}

/** The owner's word. */
export interface AnswerAudit extends ApprovalResponse {
  readonly at: number
  readonly by: string
}

/** Each but the first came after an interruption. */
export interface StartAudit {
  readonly at: number
  /** As it was executed. */
  readonly input: Json
  readonly hash: string
  readonly grant?: string
}

export interface ResultAudit {
  readonly at: number
  readonly outcome: Outcome
  readonly output?: Json
  /** In place of an output: that of an earlier call, by its key in the session. */
  readonly ref?: string
  readonly failure?: Failure
  readonly outputInvalid?: string
  /** Requests that were made for it. 0: none was. */
  readonly attempts: number
}

export interface ReconciledAudit {
  readonly at: number
  readonly done: boolean
  /** The owner, or `late`: the tool's own answer, which came late. */
  readonly by: string
  readonly output?: Json
}

export type RunAudit = { readonly runId: string; readonly at: number } & (
  | { readonly what: 'start'; readonly owner: string; readonly model: string; readonly modes: RunModes }
  | { readonly what: 'message'; readonly text: string; readonly warnings: readonly string[] }
  | { readonly what: 'lease'; readonly epoch: number }
  | { readonly what: 'modes'; readonly modes: RunModes }
  | { readonly what: 'stop'; readonly reason: string }
  | { readonly what: 'end'; readonly outcome: string; readonly failure?: Failure }
  /** Of a write whose own log is not among the events. */
  | ({ readonly what: 'reconciled'; readonly callId: string; readonly toolName: string } & ReconciledAudit)
)

type Draft = { -readonly [Field in keyof CallAudit]: CallAudit[Field] } & {
  decisions: DecisionAudit[]
  answers: AnswerAudit[]
  starts: StartAudit[]
  reconciled: ReconciledAudit[]
  /** The input as the gate and the person last left it. */
  current: Json
}
type Of<Type extends RunEvent['type']> = RunEvent & { readonly type: Type }

/** Of one run, or of several of a session, whose logs follow each other. Pure. */
export function audit(events: Iterable<RunEvent>): Audit {
  const calls = new Map<string, Draft>()
  const runs: RunAudit[] = []
  let [runId, owner] = ['', '']
  for (const event of events) {
    if (event.type === 'run-start') [runId, owner] = [event.runId, event.owner]
    const row = runRow(event)
    if (row) runs.push({ runId, at: event.at, ...row })
    if (event.type === 'assistant-message' && !event.complete) continue
    if (event.type === 'assistant-message' || event.type === 'script-turn')
      for (const call of event.calls) calls.set(keyOf(runId, call.callId), begin(runId, call, event))
    else if (event.type === 'tool-reconciled') {
      const { callId, toolName } = event
      const call = calls.get(keyOf(event.runId ?? runId, callId))
      const found = reconciled(event, owner)
      if (call) call.reconciled.push(found)
      else runs.push({ runId: event.runId ?? runId, what: 'reconciled', callId, toolName, ...found })
    } else if ('callId' in event) {
      const call = calls.get(keyOf(runId, event.callId))
      if (call) note(call, event, owner)
    }
  }
  return { calls: [...calls.values()].map(({ current: _current, ...call }) => call), runs }
}

const keyOf = (runId: string, callId: string): string => `${runId}:${callId}`

function begin(runId: string, call: ToolCall, event: Of<'assistant-message' | 'script-turn'>): Draft {
  const { callId, toolName, caller, line, executor, inputText } = call
  const input = call.input ?? inputText ?? null
  return {
    runId,
    callId,
    idempotencyKey: keyOf(runId, callId),
    toolName,
    askedAt: event.at,
    askedBy: caller,
    ...('callId' in event && { script: { callId: event.callId, ...(line !== undefined && { line }) } }),
    ...(executor && { executor }),
    input,
    current: input,
    decisions: [],
    answers: [],
    starts: [],
    reconciled: [],
  }
}

function note(
  call: Draft,
  event: Of<'tool-decision' | 'approval-response' | 'approval-expired' | 'tool-start' | 'tool-result'>,
  owner: string,
): void {
  const { at } = event
  switch (event.type) {
    case 'tool-decision': {
      const { verdict, mode, rules = [], reasons = [], hash, failure, detail, grant, input } = event
      if (input !== undefined) call.current = input
      const more = { ...(failure && { failure }), ...(detail && { detail }), ...(grant !== undefined && { grant }) }
      call.decisions.push({ at, verdict, mode, rules, reasons, hash, ...more })
      return
    }
    case 'approval-response': {
      const { type: _type, callId: _callId, chain: _chain, ...answer } = event
      if (event.edit) call.current = event.edit.input
      call.answers.push({ ...answer, by: owner })
      return
    }
    case 'approval-expired':
      call.expiredAt = at
      return
    case 'tool-start': {
      const { hash, grant, input = call.current } = event
      call.starts.push({ at, input, hash, ...(grant !== undefined && { grant }) })
      return
    }
    case 'tool-result': {
      const { outcome, output, ref, failure, outputInvalid, attempts = call.starts.length > 0 ? 1 : 0 } = event
      call.result = {
        at,
        outcome,
        ...(output !== undefined && { output }),
        ...(ref !== undefined && { ref }),
        ...(failure && { failure }),
        ...(outputInvalid !== undefined && { outputInvalid }),
        attempts,
      }
    }
  }
}

const reconciled = ({ at, done, by, output }: Reconciliation & { at: number }, owner: string): ReconciledAudit => ({
  at,
  done,
  by: by === 'person' ? owner : by,
  ...(output !== undefined && { output }),
})

type RunRow = RunAudit extends infer Row ? (Row extends unknown ? Omit<Row, 'runId' | 'at'> : never) : never

function runRow(event: RunEvent): RunRow | undefined {
  switch (event.type) {
    case 'run-start':
      return {
        what: 'start',
        owner: event.owner,
        model: `${event.model.provider}/${event.model.model}`,
        modes: modesOf(event),
      }
    case 'user-message':
      return { what: 'message', text: event.text, warnings: event.warnings ?? [] }
    case 'lease-start':
      return { what: 'lease', epoch: event.epoch }
    case 'mode-change':
      return { what: 'modes', modes: modesOf(event) }
    case 'run-stop':
      return { what: 'stop', reason: event.reason }
    case 'run-end':
      return { what: 'end', outcome: event.outcome, ...(event.failure && { failure: event.failure }) }
    default:
      return undefined
  }
}
