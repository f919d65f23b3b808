import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from 'handrail'
import { describe, expect, it } from 'vitest'
import { fromRunModes, modes, toRunModes } from '../../demo/modes.js'
import { inputRows, ownInput, scriptLines, scriptOf } from '../../demo/view/asked-input.js'
import { editedInput } from '../../demo/view/edit-input.js'

const detail = {
  filled: ['customer'],
  sources: [
    { path: '/order_id', from: 'user' as const },
    { path: '/items/0/id', from: 'tool' as const, toolName: 'search_orders', trusted: true },
    { path: '/items/1/id', from: 'tool' as const, toolName: 'read_order_messages' },
    { path: '/reason', from: 'model' as const },
    { path: '/a~1b', from: 'person' as const },
  ],
}
const input = { order_id: 'O-314', items: [{ id: 1 }, { id: 2 }], reason: 'late', 'a/b': 'x', customer: 'mina' }

describe('the rows of an input that a person is asked about', () => {
  it('say of each field where it came from, and which the app filled in', () => {
    expect(inputRows(input, detail).map(({ name, isFilled, origins }) => [name, isFilled, ...origins])).toEqual([
      ['order_id', false, 'from your words'],
      ['items', false, '0/id: from search_orders', '1/id: from read_order_messages, which anybody may have written'],
      ['reason', false, 'written by the model'],
      ['a/b', false, 'changed by you'],
      ['customer', true, 'filled in by the app'],
    ])
  })

  it('of a field are not those of one whose name begins so', () => {
    const rows = inputRows({ id: 'a', id2: 'b' }, { sources: [{ path: '/id2', from: 'user' }] })
    expect(rows.map(({ origins }) => origins)).toEqual([[], ['from your words']])
  })

  it('of many values count what they do not tell', () => {
    const sources = Array.from({ length: 9 }, (_, i) => ({ path: `/ids/${i}`, from: 'user' as const }))
    const [row] = inputRows({ ids: Array.from({ length: 9 }, (_, i) => i) }, { sources })
    expect(row!.origins).toHaveLength(5)
    expect(row!.origins.at(-1)).toBe('and 5 more')
  })

  it('are one for a text', () => {
    expect(inputRows('SELECT 1', { sources: [{ path: '', from: 'model' }] })).toEqual([
      { value: 'SELECT 1', isFilled: false, origins: ['written by the model'] },
    ])
  })
})

describe('an input that a person edits', () => {
  const rows = inputRows(input, detail)
  const text = { order_id: 'O-315', items: '[]', reason: 'true', 'a/b': '' }

  it('keeps texts as texts, reads the rest as JSON, and leaves out what the app fills in', () => {
    expect(editedInput(rows, text)).toEqual({ input: { order_id: 'O-315', items: [], reason: 'true', 'a/b': '' } })
    expect(Object.keys(ownInput(input, detail) as object)).toEqual(['order_id', 'items', 'reason', 'a/b'])
  })

  it('is not sent when a field is no JSON', () => {
    expect(editedInput(rows, { ...text, items: '[' })).toEqual({
      problem: '"items" must be JSON, such as [{"id":1},{"id":2}]',
    })
  })

  it('is a text where the tool takes one', () => {
    expect(editedInput(inputRows('SELECT 1'), { '': 'SELECT 2' })).toEqual({ input: 'SELECT 2' })
  })
})

describe('the line of a script that asks', () => {
  const { events } = {
    events: JSON.parse(readFileSync(join(import.meta.dirname, '../logs/script.json'), 'utf8')) as RunEvent[],
  }

  it('is shown with its neighbours', () => {
    expect(scriptOf('1.0/3')).toBe('1.0')
    expect(scriptOf('1.0')).toBeUndefined()
    const lines = scriptLines(events, '1.0/0', 2)
    expect(lines.map(({ number, isAsking }) => [number, isAsking])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ])
    expect(lines.every(({ text }) => text.length > 0)).toBe(true)
  })
})

it.each(modes)('the mode %s is what the run says that it is', (mode) => {
  expect(fromRunModes(toRunModes(mode))).toBe(mode)
})
