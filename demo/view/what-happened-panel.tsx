import { audit, type CallAudit } from 'handrail'
import { useState } from 'preact/hooks'
import { messageOf, type Desk, type RunView } from '../desk.js'
import { happenings, isPlain } from './what-happened.js'

/** For whoever has to answer for it: every call that was more than a read that went well, and what led to it. */
export function WhatHappened({ desk }: { readonly desk: Desk }) {
  const { runs } = desk.view.value
  const [isShown, setShown] = useState(false)
  const [problem, setProblem] = useState<string>()
  return (
    <section class="event-log" aria-label="What happened">
      <details onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>What happened</summary>
        {isShown && runs.length === 0 && <p class="quiet happened-none">Nothing was asked yet.</p>}
        {isShown &&
          runs.toReversed().map((view) => (
            <RunHappened
              key={view.run.id}
              view={view}
              onExport={() => {
                setProblem(undefined)
                desk.exportRun(view.run).catch((error: unknown) => setProblem(messageOf(error)))
              }}
            />
          ))}
        {problem && (
          <p class="notice notice-error" role="alert">
            {problem}
          </p>
        )}
      </details>
    </section>
  )
}

function RunHappened({ view, onExport }: { readonly view: RunView; readonly onExport: () => void }) {
  const { calls } = audit(view.events)
  const asked = view.events.find((event) => event.type === 'user-message')
  const told = calls.filter((call) => !isPlain(call))
  const plain = calls.length - told.length
  const words = asked?.type === 'user-message' ? asked.text : 'Starting'
  return (
    <div class="happened">
      <div class="happened-head">
        <h3>{words}</h3>
        <button type="button" class="button-quiet" aria-label={`Save as a file: ${words}`} onClick={onExport}>
          Save as a file
        </button>
      </div>
      {told.map((call) => (
        <CallHappened key={call.callId} call={call} />
      ))}
      {plain > 0 && <p class="quiet">{plain === 1 ? '1 read was made.' : `${plain} reads were made.`}</p>}
    </div>
  )
}

function CallHappened({ call }: { readonly call: CallAudit }) {
  return (
    <div class="happened-call">
      <h4>
        <code>{call.toolName}</code> <span class="quiet">{call.callId}</span>
      </h4>
      <ol>
        {happenings(call).map(({ at, text, isBad }, i) => (
          // Nothing is ever taken out of the middle.
          <li key={`${at}-${i}`}>
            <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString('en-GB')}</time>
            <span class={isBad ? 'happened-bad' : undefined}>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
