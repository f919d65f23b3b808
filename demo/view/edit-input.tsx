import type { Json } from 'handrail'
import { useEffect, useRef } from 'preact/hooks'
import type { InputRow } from './asked-input.js'

interface Props {
  readonly rows: readonly InputRow[]
  readonly text: Readonly<Record<string, string>>
  readonly onText: (text: Readonly<Record<string, string>>) => void
  readonly onUndo: () => void
}

/** The input as a form. What the app filled in is shown, and cannot be changed. */
export function EditInput({ rows, text, onText, onUndo }: Props) {
  const form = useRef<HTMLFieldSetElement>(null)
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [])
  return (
    <fieldset class="asked-edit" ref={form}>
      <legend>Arguments, as you want them</legend>
      {rows.map(({ name = '', value, isFilled }) => (
        <label key={name}>
          <span>
            {name || 'text'}
            {isFilled && <span class="quiet"> (filled in by the app)</span>}
            {!isFilled && typeof value !== 'string' && <span class="quiet"> (as JSON)</span>}
          </span>
          <textarea
            rows={1}
            readOnly={isFilled}
            value={isFilled ? JSON.stringify(value) : (text[name] ?? '')}
            onInput={(event) => onText({ ...text, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="button" class="button-quiet" onClick={onUndo}>
        Undo the changes
      </button>
    </fieldset>
  )
}

/** The input that was typed, or what is wrong with it. A text stays a text, whatever is typed. */
export function editedInput(
  rows: readonly InputRow[],
  text: Readonly<Record<string, string>>,
): { readonly input: Json } | { readonly problem: string } {
  const fields: Record<string, Json> = {}
  for (const { name = '', value, isFilled } of rows) {
    if (isFilled) continue
    const typed = text[name] ?? ''
    if (typeof value === 'string') {
      fields[name] = typed
      continue
    }
    try {
      fields[name] = JSON.parse(typed) as Json
    } catch {
      return { problem: `"${name}" must be JSON, such as ${JSON.stringify(value)}` }
    }
  }
  return { input: rows[0]?.name === undefined && rows.length === 1 ? fields['']! : fields }
}
