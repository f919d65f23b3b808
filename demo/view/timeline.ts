import type { Json, RunEvent, ToolCall, ToolResult } from 'handrail'

/** How far something is, in words, and what it means for whoever reads it. */
export interface Progress {
  readonly text: string
  readonly tone: 'idle' | 'live' | 'ask' | 'ok' | 'warn' | 'bad'
}

export interface CallRow {
  readonly kind: 'call'
  readonly id: string
  readonly toolName: string
  /** 0 for the model's calls, 1 for those of its script. */
  readonly depth: number
  /** Another run of the same shape may be hidden: a read that went well. */
  readonly isPlain: boolean
  readonly input?: Json
  readonly progress: Progress
  /** Milliseconds from start to result. */
  readonly took?: number
  /** Milliseconds that a person took to answer. */
  readonly waited?: number
  readonly output?: Json
  readonly failure?: ToolResult['failure']
  readonly prints: readonly string[]
}

export interface StepRow {
  readonly kind: 'step'
  readonly id: string
  readonly progress: Progress
  readonly took?: number
}

export type Row = CallRow | StepRow

interface Draft {
  readonly call: ToolCall
  readonly prints: string[]
  progress: Progress
  mode?: string
  checked?: Json
  askedAt?: number
  answeredAt?: number
  startedAt?: number
  result?: RunEvent & { type: 'tool-result' }
}

type Answer = RunEvent & { readonly type: 'assistant-message' }

/** Everything that was asked of the model and of the tools, in the order of the log; a script's calls follow it. Pure. */
export function timeline(events: readonly RunEvent[], lines: ReadonlyMap<string, number> = new Map()): readonly Row[] {
  const drafts = new Map<string, Draft>()
  const steps: { id: string; start: number; end?: Answer; isSentBack?: boolean }[] = []
  const propose = (calls: readonly ToolCall[]) => {
    for (const call of calls) drafts.set(call.callId, { call, prints: [], progress: words.proposed })
  }
  for (const event of events) {
    if (event.type === 'step-start') steps.push({ id: `${event.step}.${event.attempt}`, start: event.at })
    if (event.type === 'assistant-message') {
      const step = steps.at(-1)
      if (step) step.end = event
      propose(event.calls)
    }
    if (event.type === 'script-turn') {
      drafts.get(event.callId)?.prints.push(...(event.prints ?? []))
      propose(event.calls)
    }
    if (event.type === 'answer-check' && event.verdict === 'repair')
      Object.assign(steps.at(-1) ?? {}, { isSentBack: true })
    if ('callId' in event) note(drafts.get(event.callId), event)
  }
  for (const [callId, line] of lines) {
    const draft = drafts.get(callId)
    if (draft?.progress === words.started) draft.progress = { ...words.started, text: `running, line ${line}` }
  }
  const calls = [...drafts.values()].map(toRow)
  return steps.flatMap(({ id, start, end, isSentBack }) => {
    const own = new Set(end?.calls.map(({ callId }) => callId))
    const step: StepRow = {
      kind: 'step',
      id,
      progress: isSentBack ? sentBack : stepProgress(end),
      ...(end && { took: end.at - start }),
    }
    const made = calls
      .filter((row) => own.has(row.id))
      .flatMap((row) => [row, ...calls.filter((child) => child.id.startsWith(`${row.id}/`))])
    return [step, ...made]
  })
}

const words = {
  proposed: { text: 'waiting', tone: 'idle' },
  asking: { text: 'needs approval', tone: 'ask' },
  ready: { text: 'approved', tone: 'live' },
  started: { text: 'running', tone: 'live' },
  refused: { text: 'denied', tone: 'bad' },
  /** The provider runs it: what came of it is in its next reply. */
  allowed: { text: 'allowed', tone: 'ok' },
  ok: { text: 'done', tone: 'ok' },
  error: { text: 'error', tone: 'bad' },
  denied: { text: 'denied', tone: 'bad' },
  cancelled: { text: 'cancelled', tone: 'idle' },
  timeout: { text: 'timed out', tone: 'bad' },
  unknown: { text: 'unknown', tone: 'warn' },
  skipped: { text: 'skipped', tone: 'idle' },
} as const satisfies Readonly<Record<string, Progress>>

function note(draft: Draft | undefined, event: RunEvent): void {
  if (!draft) return
  switch (event.type) {
    case 'tool-decision':
      draft.mode = event.mode
      draft.checked = event.input
      draft.progress =
        event.verdict === 'ask' ? words.asking : event.verdict === 'deny' ? words.refused : words.proposed
      if (event.verdict === 'ask') draft.askedAt ??= event.at
      return
    case 'approval-response':
      draft.answeredAt = event.at
      draft.progress = event.approved ? words.ready : words.refused
      return
    case 'tool-start':
      draft.startedAt = event.at
      draft.progress = words.started
      return
    case 'tool-result':
      draft.result = event
      draft.progress = draft.call.executor && event.outcome === 'ok' ? words.allowed : words[event.outcome]
      return
    case 'tool-reconciled':
      if (event.done && event.runId === undefined) draft.progress = { text: 'done, found later', tone: 'ok' }
      return
    default:
  }
}

function toRow({ call, prints, progress, mode, checked, askedAt, answeredAt, startedAt, result }: Draft): CallRow {
  return {
    kind: 'call',
    id: call.callId,
    toolName: call.toolName.replace(/^script\./, ''),
    depth: call.callId.split('/').length - 1,
    isPlain: mode === 'read' && result?.outcome === 'ok',
    input: checked ?? call.input,
    progress,
    prints,
    ...(startedAt !== undefined && result && { took: result.at - startedAt }),
    ...(askedAt !== undefined && answeredAt !== undefined && { waited: answeredAt - askedAt }),
    output: result?.output,
    failure: result?.failure,
  }
}

const sentBack: Progress = { text: 'sent back', tone: 'warn' }

function stepProgress(end: Answer | undefined): Progress {
  if (!end) return { text: 'answering', tone: 'live' }
  if (!end.complete) return { text: end.failure?.code.replaceAll('_', ' ') ?? 'cut off', tone: 'bad' }
  if (end.calls.length === 0) return { text: 'answered', tone: 'ok' }
  return { text: end.calls.length === 1 ? 'asked for 1 call' : `asked for ${end.calls.length} calls`, tone: 'ok' }
}

/** `0.4 s`, `12 ms`, `3 min`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
