import type { Approval, Risk } from 'handrail'
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf, type RunView } from '../desk.js'
import { showInput } from './show-input.js'

const riskText: Readonly<Record<Risk, string>> = {
  read: 'It only reads.',
  reversible: 'It changes something, and can be undone.',
  irreversible: 'It cannot be undone.',
  sensitive: 'It touches something sensitive.',
}

/** Asks for one approval after the other. Put aside, it waits in the conversation. */
export function ApprovalDialog({ runs }: { readonly runs: readonly RunView[] }) {
  const [aside, setAside] = useState<string>()
  const asking = runs.flatMap((view) => view.approvals.map((approval) => ({ view, approval })))
  const first = asking[0]
  if (!first) return null
  const id = `${first.view.run.id}-${first.approval.hash}`
  if (aside === id)
    return (
      <div class="notice notice-warn notice-action" role="status">
        <span>
          <code>{first.approval.toolName}</code> waits for your decision.
        </span>
        <button type="button" onClick={() => setAside(undefined)}>
          Review
        </button>
      </div>
    )
  return <Question key={id} {...first} count={asking.length} onLater={() => setAside(id)} />
}

interface Props {
  readonly view: RunView
  readonly approval: Approval
  readonly count: number
  readonly onLater: () => void
}

function Question({ view, approval, count, onLater }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isAnswered, setAnswered] = useState(false)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // Not on a button: Enter, still held from sending the message, would decide.
    title.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const { run } = view
  const { callId, toolName, input, risk, reasons, hash } = approval
  const answer = (send: () => Promise<void>) => {
    setAnswered(true)
    send().catch((error: unknown) => {
      setProblem(messageOf(error))
      setAnswered(false)
    })
  }
  const others = reasons.filter((each) => !risk || each !== riskText[risk])
  return (
    <dialog ref={dialog} class="approval" aria-label="Approval needed" onCancel={onLater}>
      <div class="approval-head">
        <h2 tabIndex={-1} ref={title}>
          Approval needed
        </h2>
        {count > 1 && <span class="quiet">{`first of ${count}`}</span>}
      </div>
      <p class="approval-lead">The assistant wants to make this call.</p>
      <dl>
        <dt>Tool</dt>
        <dd>
          <code>{toolName}</code>
        </dd>
        <dt>Risk</dt>
        <dd>
          <strong class={`risk risk-${risk ?? 'sensitive'}`}>{risk ?? 'unknown'}</strong>
          {risk && ` ${riskText[risk]}`}
        </dd>
        {others.length > 0 && <dt>Why you are asked</dt>}
        {others.map((each) => (
          <dd key={each}>{each}</dd>
        ))}
        <dt id="approval-arguments">Arguments</dt>
        <dd>
          <pre tabIndex={0} role="group" aria-labelledby="approval-arguments">
            {showInput(input)}
          </pre>
        </dd>
      </dl>
      <label class="approval-reason">
        Reason, if you say no (optional)
        <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      {problem && (
        <p class="notice notice-error" role="alert">
          {problem}
        </p>
      )}
      <div class="approval-buttons">
        <button type="button" class="button-quiet" onClick={onLater}>
          Decide later
        </button>
        <button
          type="button"
          disabled={isAnswered}
          onClick={() => answer(() => run.deny(callId, reason.trim() === '' ? undefined : reason.trim()))}
        >
          Deny
        </button>
        <button
          type="button"
          class="button-primary"
          disabled={isAnswered}
          onClick={() => answer(() => run.approve(callId, { hash }))}
        >
          Approve
        </button>
      </div>
    </dialog>
  )
}
