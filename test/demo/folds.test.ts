import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run, RunEvent } from 'handrail'
import { expect, it } from 'vitest'
import { conversation } from '../../demo/view/conversation.js'
import { showInput } from '../../demo/view/show-input.js'
import { showDuration, timeline } from '../../demo/view/timeline.js'

const folder = join(import.meta.dirname, '../logs')
const logs = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, events: JSON.parse(readFileSync(join(folder, name), 'utf8')) as RunEvent[] }))

const runOf = (events: readonly RunEvent[]) => {
  const isOpen = events.at(-1)?.type !== 'run-end'
  return { run: {} as Run, events, approvals: [], unknown: [], toTell: [], lines: new Map<string, number>(), isOpen }
}

it.each(logs)('the timeline of $name has each call once, under its script, and how it ended', ({ events }) => {
  const proposed = events.flatMap((event) =>
    event.type === 'assistant-message' || event.type === 'script-turn' ? event.calls.map(({ callId }) => callId) : [],
  )
  const rows = timeline(events).filter((row) => row.kind === 'call')
  expect(rows.map(({ id }) => id).toSorted()).toEqual(proposed.toSorted())
  const orphans = rows.filter(({ id }, i) => {
    const parent = id.split('/').slice(0, -1).join('/')
    return parent !== '' && !rows.slice(0, i).some((earlier) => earlier.id === parent)
  })
  expect(orphans).toEqual([])
  for (const row of rows) {
    const result = events.find((event) => event.type === 'tool-result' && event.callId === row.id)
    expect(['idle', 'live', 'ask'].includes(row.progress.tone)).toBe(
      result?.type !== 'tool-result' || ['cancelled', 'skipped'].includes(result.outcome),
    )
  }
})

it('the timeline says which line a script has reached, until it ends', () => {
  const { events } = logs.find(({ name }) => name === 'script.json')!
  const start = events.findIndex((event) => event.type === 'tool-start')
  const wordsOf = (part: readonly RunEvent[]) =>
    timeline(part, new Map([['1.0', 4]])).flatMap((row) => (row.id === '1.0' ? [row.progress.text] : []))
  expect([wordsOf(events.slice(0, start + 1)), wordsOf(events)]).toEqual([['running, line 4'], ['done']])
})

it.each(logs)('the conversation of $name shows every text, at every moment of the run', ({ events }) => {
  for (let length = 0; length <= events.length; length++) conversation(runOf(events.slice(0, length)))
  const shown = conversation(runOf(events)).flatMap((item) => (item.kind === 'assistant' ? [item.text] : []))
  const said = events.flatMap((event) =>
    event.type === 'assistant-message' && event.complete
      ? event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  )
  for (const text of said) expect(shown.join('')).toContain(text)
})

it('the conversation says of a script whether it failed, and after how many calls', () => {
  const { events } = logs.find(({ name }) => name === 'script.json')!
  const wordsOf = (part: readonly RunEvent[]) =>
    conversation(runOf(part)).flatMap((item) => (item.kind === 'activity' ? [item.text] : []))
  const failed = events.map((event) =>
    event.type === 'tool-result' && event.callId === '1.0' ? { ...event, outcome: 'error' as const } : event,
  )
  expect([wordsOf(events), wordsOf(failed)]).toEqual([
    ['Ran a script that made 5 calls'],
    ['Ran a script that failed after 5 calls'],
  ])
})

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1500, '1.5 s'],
  [90_000, '2 min'],
  [7_200_000, '2 h'],
])('showDuration(%d) is %s', (ms, text) => {
  expect(showDuration(ms)).toBe(text)
})

it('an answer that was sent back is told in the conversation and in the timeline', () => {
  const { events } = logs.find(({ name }) => name === 'answer-check.json')!
  const back = events.filter((event) => event.type === 'answer-check' && event.verdict === 'repair').length
  const told = conversation(runOf(events)).filter((item) => item.kind === 'activity' && item.text.startsWith('Asked'))
  const steps = timeline(events).filter(({ kind, progress }) => kind === 'step' && progress.tone === 'warn')
  expect([told.length, steps.length]).toEqual([back, back])
  expect(back).toBeGreaterThan(0)
})

it('a call that the provider runs is told as allowed, and not as made here; a denied one as not made', () => {
  const { events } = logs.find(({ name }) => name === 'provider-approval.json')!
  const wordsOf = (part: readonly RunEvent[]) =>
    conversation(runOf(part)).flatMap((item) => (item.kind === 'activity' ? [item.text] : []))
  expect(wordsOf(events)).toContain('The provider may now call crm.delete')
  const denied = events.map((event) =>
    event.type === 'tool-result' && event.callId === '1.1' ? { ...event, outcome: 'denied' as const } : event,
  )
  expect(wordsOf(denied)).toContain('Did not call crm.delete')
  expect(timeline(events).find(({ kind, id }) => kind === 'call' && id === '1.1')?.progress.text).toBe('allowed')
})

it('what is to be approved is shown with all that is in it, and a text as it is', () => {
  expect(showInput('SELECT "a"\nFROM b')).toBe('SELECT "a"\nFROM b')
  expect(showInput({ to: 'a\u202eb\u200b' })).toBe('{\n  "to": "a\\u202eb\\u200b"\n}')
})
