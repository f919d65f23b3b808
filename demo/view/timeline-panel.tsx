import { useState } from 'preact/hooks'
import type { Desk, RunView } from '../desk.js'
import { EventLog } from './event-log.js'
import { WhatHappened } from './what-happened-panel.js'
import { showDuration, timeline, type CallRow, type Row } from './timeline.js'

export function TimelinePanel({ desk }: { readonly desk: Desk }) {
  const { runs } = desk.view.value
  return (
    <div class="panel trace">
      <section class="trace-timeline" aria-labelledby="timeline-title">
        <div class="panel-head">
          <h2 id="timeline-title">Timeline</h2>
          <span class="quiet wide-only">every call of the assistant, newest request first</span>
        </div>
        <div class="trace-scroll" role="group" aria-label="Calls" tabIndex={0}>
          {runs.length === 0 && <p class="trace-empty">Nothing was asked yet.</p>}
          {runs.toReversed().map((view, i) => (
            <RunRows key={view.run.id} view={view} isNewest={i === 0} />
          ))}
        </div>
      </section>
      <WhatHappened desk={desk} />
      <EventLog runs={runs} />
    </div>
  )
}

function RunRows({ view, isNewest }: { readonly view: RunView; readonly isNewest: boolean }) {
  const [isWhole, setWhole] = useState(false)
  const { events, lines } = view
  const rows = timeline(events, lines)
  const hidden = isWhole ? new Set<string>() : plainRows(rows)
  const asked = events.find((event) => event.type === 'user-message')
  const calls = rows.filter(({ kind }) => kind === 'call').length
  return (
    <details class="trace-run" open={isNewest}>
      <summary>
        <span class="trace-asked">{asked?.type === 'user-message' ? asked.text : 'Starting'}</span>
        <span class="quiet">{calls === 1 ? '1 call' : `${calls} calls`}</span>
      </summary>
      <ol class="trace-rows">
        {rows.map((row) => (hidden.has(row.id) ? null : <RowView key={`${row.kind}-${row.id}`} row={row} />))}
      </ol>
      {hidden.size > 0 && (
        <button type="button" class="button-quiet trace-more" onClick={() => setWhole(true)}>
          {`Show ${hidden.size} more calls that went well`}
        </button>
      )}
    </details>
  )
}

/** Of a long row of reads that went well, the first few say it all. */
const shownPlain = 8

function plainRows(rows: readonly Row[]): ReadonlySet<string> {
  const plain = rows.filter((row) => row.kind === 'call' && row.depth > 0 && row.isPlain)
  return new Set(plain.slice(shownPlain).map(({ id }) => id))
}

function RowView({ row }: { readonly row: Row }) {
  const [isOpen, setOpen] = useState(false)
  const { progress, took } = row
  const state = (
    <>
      <span class={`state state-${progress.tone}`}>{progress.text}</span>
      <span class="trace-took">{took === undefined ? '' : showDuration(took)}</span>
    </>
  )
  if (row.kind === 'step')
    return (
      <li class="trace-row trace-step">
        <span class="trace-name">{row.id.endsWith('.1') ? 'Model' : 'Model, tried again'}</span>
        <span />
        {state}
      </li>
    )
  return (
    <li>
      <details
        class={row.depth > 0 ? 'trace-call trace-child' : 'trace-call'}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary class="trace-row">
          <code class="trace-name">{row.toolName}</code>
          <span class="trace-input">{summaryOf(row)}</span>
          {state}
        </summary>
        {isOpen && <CallDetails row={row} />}
      </details>
    </li>
  )
}

function CallDetails({ row }: { readonly row: CallRow }) {
  const { input, output, failure, prints, waited } = row
  const code = codeOf(row)
  return (
    <div class="trace-details">
      {waited !== undefined && <p class="quiet">{`A person answered after ${showDuration(waited)}.`}</p>}
      <Block title={code === undefined ? 'Input' : 'Script'} text={code ?? JSON.stringify(input ?? null, null, 2)} />
      {prints.length > 0 && <Block title="Printed" text={prints.join('\n')} />}
      {failure && <Block title="Failure" text={textOf(failure)} />}
      {output !== undefined && <Block title="Output" text={JSON.stringify(output, null, 2)} />}
    </div>
  )
}

function Block({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure class="trace-block">
      <figcaption>{title}</figcaption>
      <pre tabIndex={0} role="group" aria-label={title}>
        {text}
      </pre>
    </figure>
  )
}

/** A script's says where, and what to do about it. */
function textOf(failure: NonNullable<CallRow['failure']>): string {
  const { frame, hint } = 'frame' in failure || 'hint' in failure ? failure : {}
  return [`${failure.code}: ${failure.message}`, frame, hint].filter(Boolean).join('\n\n')
}

function codeOf({ toolName, input }: CallRow): string | undefined {
  if (toolName !== 'run_script' || typeof input !== 'object' || input === null || !('code' in input)) return undefined
  return typeof input.code === 'string' ? input.code : undefined
}

/** The arguments in one line; of a script, its first. */
function summaryOf(row: CallRow): string {
  const code = codeOf(row)
  if (code !== undefined) return code.split('\n', 1)[0] ?? ''
  const { input } = row
  if (typeof input !== 'object' || input === null) return ''
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
