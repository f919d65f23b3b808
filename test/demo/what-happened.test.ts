import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { audit, type RunEvent } from 'handrail'
import { describe, expect, it } from 'vitest'
import { happenings, isPlain } from '../../demo/view/what-happened.js'

const folder = join(import.meta.dirname, '../logs')
const eventsOf = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as RunEvent[]
const logs = readdirSync(folder).filter((name) => name.endsWith('.json'))

describe('what happened', () => {
  it.each(logs)('tells of each call of %s in the order of time, at every moment of the run', (name) => {
    const events = eventsOf(name)
    for (let length = 0; length <= events.length; length++)
      for (const call of audit(events.slice(0, length)).calls) {
        const times = happenings(call).map(({ at }) => at)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
        expect(times.length).toBeGreaterThan(0)
      }
  })

  it('says who asked, that a person was asked and answered, and what came of it', () => {
    const { calls } = audit(eventsOf('script-approval.json'))
    const [write] = calls.filter((call) => !isPlain(call) && call.toolName === 'submit_after_sales_request')
    const texts = happenings(write!).map(({ text }) => text)
    expect(texts[0]).toMatch(/script of the model asked for it$/)
    expect(texts).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^A person had to decide.*It cannot be undone\.$/),
        expect.stringMatching(/ approved it$/),
        expect.stringMatching(/^It was started: /),
        'It took effect',
      ]),
    )
  })

  it('leaves reads out that were simply made', () => {
    const { calls } = audit(eventsOf('script-approval.json'))
    expect(calls.filter(isPlain).map(({ toolName }) => toolName)).toEqual(
      expect.arrayContaining(['get_order_status', 'search_orders']),
    )
  })
})
