import type { Approval, Risk } from 'handrail'
import { useEffect, useState } from 'preact/hooks'
import type { RunView } from '../desk.js'
import { inputRows, scriptLines, scriptOf, type InputRow } from './asked-input.js'
import { EditInput } from './edit-input.js'
import { RestOfScript, type Rest } from './rest-of-script.js'
import { showInput } from './show-input.js'

export const riskText: Readonly<Record<Risk, string>> = {
  read: 'It only reads.',
  reversible: 'It changes something, and can be undone.',
  irreversible: 'It cannot be undone.',
  sensitive: 'It touches something sensitive.',
}

/** What a person has made of a question so far. */
export interface Answer {
  readonly isIncluded: boolean
  /** The input as they changed it, while it is being changed. */
  readonly edit?: { readonly text: Readonly<Record<string, string>> }
  readonly rest?: Rest
}

interface Props {
  readonly view: RunView
  readonly approval: Approval
  readonly answer: Answer
  /** Others are asked beside it. */
  readonly isOneOfMany: boolean
  readonly problem?: string
  readonly onChange: (answer: Answer) => void
}

/** One call that waits for a person, with all that is known of it. */
export function AskedCall({ view, approval, answer, isOneOfMany, problem, onChange }: Props) {
  const { callId, toolName, input, risk, reasons, detail, expiresAt } = approval
  const others = reasons.filter((each) => !risk || each !== riskText[risk])
  const rows = inputRows(input, detail)
  const id = `asked-${view.run.id}-${callId.replaceAll(/\W/g, '-')}`
  const { untrusted = [], preview, previewFailure, line, repeats } = detail
  return (
    <section class="asked" aria-labelledby={id}>
      <div class="asked-head">
        {isOneOfMany && (
          <input
            type="checkbox"
            aria-label={`Include ${toolName} ${summaryOf(rows)}`}
            checked={answer.isIncluded}
            onChange={(event) => onChange({ ...answer, isIncluded: event.currentTarget.checked })}
          />
        )}
        <h3 id={id}>
          <code>{toolName}</code>
        </h3>
        <strong class={`risk risk-${risk ?? 'sensitive'}`}>{risk ?? 'risk unknown'}</strong>
        <Expiry expiresAt={expiresAt} />
      </div>
      {risk && <p class="quiet">{riskText[risk]}</p>}
      {others.length > 0 && (
        <ul class="asked-reasons" aria-label="Why you are asked">
          {others.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {untrusted.length > 0 && (
        <p class="notice notice-warn">
          {`Before this, the assistant read text that anybody may have written (${untrusted.join(', ')}). Make sure that this is what you want.`}
        </p>
      )}
      {repeats && (
        <div class="notice notice-warn">
          {`It repeats ${repeats.call}, which ${repeats.outcome === 'ok' ? 'took effect' : 'may have taken effect'}.`}
          {repeats.output !== undefined && <pre>{showInput(repeats.output)}</pre>}
        </div>
      )}
      {answer.edit ? (
        <EditInput
          rows={rows}
          text={answer.edit.text}
          onText={(text) => onChange({ ...answer, edit: { text } })}
          onUndo={() => onChange({ ...answer, edit: undefined })}
        />
      ) : (
        <Input rows={rows} onEdit={(text) => onChange({ ...answer, edit: { text } })} />
      )}
      {preview !== undefined && <Preview value={preview} />}
      {previewFailure !== undefined && (
        <p class="quiet">{`What would happen could not be found out: ${previewFailure}`}</p>
      )}
      {line !== undefined && <Lines view={view} callId={callId} line={line} />}
      {scriptOf(callId) !== undefined && (
        <RestOfScript
          toolName={toolName}
          fields={rows.flatMap(({ name, isFilled }) => (name === undefined || isFilled ? [] : [name]))}
          rest={answer.rest}
          onChange={(rest) => onChange({ ...answer, rest })}
        />
      )}
      {problem && (
        <p class="notice notice-error" role="alert">
          {problem}
        </p>
      )}
    </section>
  )
}

function Input({
  rows,
  onEdit,
}: {
  readonly rows: readonly InputRow[]
  readonly onEdit: (text: Record<string, string>) => void
}) {
  return (
    <div class="asked-input">
      <div class="asked-title">
        <h4>Arguments</h4>
        <button type="button" class="button-quiet" onClick={() => onEdit(textsOf(rows))}>
          Edit
        </button>
      </div>
      <dl>
        {rows.map(({ name = 'text', value, isFilled, origins }) => (
          <div key={name} class={isFilled ? 'asked-row asked-filled' : 'asked-row'}>
            <dt>{name}</dt>
            <dd>
              <pre>{showValue(value)}</pre>
              {origins.map((origin) => (
                <span key={origin} class="asked-origin quiet">
                  {origin}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** As JSON, so that a text is told from a number. */
const showValue = (value: InputRow['value']): string => showInput(JSON.stringify(value, null, 2))

const textsOf = (rows: readonly InputRow[]): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap(({ name = '', value, isFilled }) =>
      isFilled ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  )

const summaryOf = (rows: readonly InputRow[]): string =>
  rows
    .filter(({ isFilled }) => !isFilled)
    .map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
    .slice(0, 80)

function Preview({ value }: { readonly value: InputRow['value'] }) {
  const rows = inputRows(value)
  return (
    <div class="asked-preview">
      <h4>What would happen</h4>
      <dl>
        {rows.map(({ name = '', value: each }) => (
          <div key={name} class="asked-row">
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{typeof each === 'string' ? showInput(each) : showInput(JSON.stringify(each))}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Lines({ view, callId, line }: { readonly view: RunView; readonly callId: string; readonly line: number }) {
  const lines = scriptLines(view.events, callId, line)
  return (
    <details class="asked-lines">
      <summary>{`Asked by line ${line} of the assistant's script`}</summary>
      {lines.length > 0 && (
        <pre tabIndex={0} role="group" aria-label={`The script around line ${line}`}>
          {lines
            .map(({ number, text, isAsking }) => `${isAsking ? '>' : ' '} ${number} | ${showInput(text)}`)
            .join('\n')}
        </pre>
      )}
    </details>
  )
}

/** Counts down; nobody is told each second. */
function Expiry({ expiresAt }: { readonly expiresAt: number | undefined }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (expiresAt === undefined) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [expiresAt])
  if (expiresAt === undefined) return null
  const left = Math.max(0, Math.ceil((expiresAt - now) / 1000))
  const text = left === 0 ? 'too late' : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`
  return (
    <span class="asked-expiry quiet" role="timer" aria-live="off">
      {text}
    </span>
  )
}
