import type { Approval } from 'handrail'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf, type RunView } from '../desk.js'
import { AskedCall, type Answer } from './asked-call.js'
import { inputRows } from './asked-input.js'
import { editedInput } from './edit-input.js'

interface Asked {
  readonly key: string
  readonly view: RunView
  readonly approval: Approval
}

/** Asks for everything that waits at once. Put aside, it waits in the conversation, until something new is asked. */
export function ApprovalDialog({ runs }: { readonly runs: readonly RunView[] }) {
  const [aside, setAside] = useState<readonly string[]>([])
  const asking = runs.flatMap((view) =>
    view.approvals.map((approval): Asked => ({
      key: `${view.run.id} ${approval.callId} ${approval.hash}`,
      view,
      approval,
    })),
  )
  const isAsking = asking.length > 0
  const wasAsking = useRef(false)
  useEffect(() => {
    // What had the focus is gone with the question: on with the conversation.
    if (!isAsking && wasAsking.current && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.composer textarea')?.focus()
    wasAsking.current = isAsking
  }, [isAsking])
  if (!isAsking) return null
  if (asking.every(({ key }) => aside.includes(key))) return <Aside asking={asking} onReview={() => setAside([])} />
  return <Questions asking={asking} onLater={() => setAside(asking.map(({ key }) => key))} />
}

function Aside({ asking, onReview }: { readonly asking: readonly Asked[]; readonly onReview: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The dialog closed, and nothing had the focus before it.
    if (document.activeElement === document.body) button.current?.focus()
  }, [])
  return (
    <div class="notice notice-warn notice-action" role="status">
      <span>
        <code>{asking[0]!.approval.toolName}</code>
        {asking.length > 1 ? ` and ${asking.length - 1} more wait for your decision.` : ' waits for your decision.'}
      </span>
      <button type="button" ref={button} onClick={onReview}>
        Review
      </button>
    </div>
  )
}

const unanswered: Answer = { isIncluded: true }

function Questions({ asking, onLater }: { readonly asking: readonly Asked[]; readonly onLater: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [reason, setReason] = useState('')
  const [isSending, setSending] = useState(false)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // Not on a button: Enter, still held from sending the message, would decide.
    title.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus()
    }
  }, [])
  const answerOf = ({ key }: Asked) => answers[key] ?? unanswered
  // One that is left has nothing to be left out of.
  const included = asking.length === 1 ? asking : asking.filter((asked) => answerOf(asked).isIncluded)

  const send = async (give: (asked: Asked, answer: Answer) => Promise<void>) => {
    setSending(true)
    const results = await Promise.allSettled(included.map((asked) => give(asked, answerOf(asked))))
    setProblems(
      Object.fromEntries(
        results.flatMap((result, i) =>
          result.status === 'rejected' ? [[included[i]!.key, messageOf(result.reason)]] : [],
        ),
      ),
    )
    setSending(false)
  }
  const approve = async ({ view: { run }, approval }: Asked, { edit, rest }: Answer) => {
    const { callId, hash, input, detail } = approval
    const edited = edit && editedInput(inputRows(input, detail), edit.text)
    if (edited && 'problem' in edited) throw new Error(edited.problem)
    await run.approve(callId, { hash, ...edited, ...(rest && { rest }) })
  }
  const deny = async ({ view: { run }, approval: { callId, hash } }: Asked, { rest }: Answer) => {
    const said = reason.trim()
    await run.deny(callId, { hash, ...(said !== '' && { reason: said }), ...(rest && { rest: true }) })
  }

  return (
    <dialog ref={dialog} class="approval" aria-labelledby="approval-title" onCancel={onLater}>
      <div class="approval-head">
        <h2 id="approval-title" tabIndex={-1} ref={title}>
          Approval needed
        </h2>
        {asking.length > 1 && <span class="quiet">{`${asking.length} calls`}</span>}
      </div>
      <p class="approval-lead">
        {asking.length === 1 ? 'The assistant wants to make this call.' : 'The assistant wants to make these calls.'}
      </p>
      <div class="approval-calls">
        {asking.map((asked) => (
          <AskedCall
            key={asked.key}
            view={asked.view}
            approval={asked.approval}
            answer={answerOf(asked)}
            isOneOfMany={asking.length > 1}
            problem={problems[asked.key]}
            onChange={(answer) => setAnswers({ ...answers, [asked.key]: answer })}
          />
        ))}
      </div>
      <div class="approval-foot">
        <label class="approval-reason">
          Reason, if you say no (optional)
          <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        {asking.length > 1 && (
          <p class="quiet" id="approval-count" aria-live="polite">
            {`Your answer is for ${included.length} of ${asking.length} calls.`}
          </p>
        )}
        <div class="approval-buttons">
          <button type="button" class="button-quiet" onClick={onLater}>
            Decide later
          </button>
          <button
            type="button"
            disabled={isSending || included.length === 0}
            aria-describedby={asking.length > 1 ? 'approval-count' : undefined}
            onClick={() => void send(deny)}
          >
            Deny
          </button>
          <button
            type="button"
            class="button-primary"
            disabled={isSending || included.length === 0}
            aria-describedby={asking.length > 1 ? 'approval-count' : undefined}
            onClick={() => void send(approve)}
          >
            Approve
          </button>
        </div>
      </div>
    </dialog>
  )
}
