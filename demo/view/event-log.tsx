import { useState } from 'preact/hooks'
import type { RunView } from '../desk.js'
import { saveFile } from '../save-file.js'

/** Characters of one event that are shown; the download holds all. */
const shownLength = 240

/** The log itself: all that is stored, and what everything else on this page is made of. */
export function EventLog({ runs }: { readonly runs: readonly RunView[] }) {
  const [isShown, setShown] = useState(false)
  const count = runs.reduce((sum, { events }) => sum + events.length, 0)
  return (
    <section class="event-log" aria-label="Log">
      <details onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>
          Log
          <span class="quiet">
            {count === 1 ? '1 event' : `${count} events`}
            <span class="wide-only">, newest first</span>
          </span>
        </summary>
        {isShown && runs.toReversed().map((view) => <RunEvents key={view.run.id} view={view} />)}
      </details>
      {isShown && (
        <button type="button" class="button-quiet event-log-save" disabled={count === 0} onClick={() => download(runs)}>
          Download as JSON
        </button>
      )}
    </section>
  )
}

function RunEvents({ view }: { readonly view: RunView }) {
  return (
    <ol>
      {view.events.toReversed().map(({ type, at, ...rest }, fromEnd) => {
        const seq = view.events.length - 1 - fromEnd
        return (
          <li key={`${view.run.id}-${seq}`}>
            <span class="event-seq">{seq}</span>
            <span class="event-type" title={new Date(at).toISOString()}>
              {type}
            </span>
            <code>{clip(JSON.stringify(rest))}</code>
          </li>
        )
      })}
    </ol>
  )
}

const clip = (text: string): string =>
  text.length <= shownLength ? text : `${text.slice(0, shownLength)}… (${text.length} characters)`

function download(runs: readonly RunView[]): void {
  const logs = runs.map(({ run, events }) => ({ runId: run.id, events }))
  saveFile('order-desk-log.json', JSON.stringify(logs, null, 2), 'application/json')
}
