import { useState } from 'preact/hooks'
import type { RunView } from '../desk.js'

interface Told {
  readonly key: string
  readonly toolName: string
  readonly message: string
}

/** Failures that a person must hear of, whatever the assistant makes of them; until they say that they did. */
export function ToldFailures({ runs }: { readonly runs: readonly RunView[] }) {
  const [read, setRead] = useState<readonly string[]>([])
  const told = runs.flatMap(toldIn).filter(({ key }) => !read.includes(key))
  if (told.length === 0) return null
  return (
    <div class="notice notice-error notice-action" role="alert">
      <ul class="told">
        {told.map(({ key, toolName, message }) => (
          <li key={key}>
            <code>{toolName}</code> {message}
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => setRead([...read, ...told.map(({ key }) => key)])}>
        I have read it
      </button>
    </div>
  )
}

const toldIn = ({ run, toTell }: RunView): readonly Told[] =>
  toTell.map(({ callId, toolName, outcome, failure }) => ({
    key: `${run.id} ${callId}`,
    toolName,
    message: `did not work: ${failure?.message ?? outcome}`,
  }))
