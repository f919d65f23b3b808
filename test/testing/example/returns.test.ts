import { readFile } from 'node:fs/promises'
import { expectRun, replay } from 'handrail/testing'
import { expect, it } from 'vitest'
import { getOrder } from './return-tools.js'

const file = await readFile(new URL('./returns.jsonl', import.meta.url), 'utf8')

it('requests a return only when a person has approved', () => {
  expectRun(file)
    .toCallInOrder('get_order', 'request_return')
    .toAsk('request_return', { reasons: ['cannot be undone'] })
    .toCall('request_return', { id: 'O-314' }, 'ok')
    .notToRepeatWrites()
    .toEnd('completed')
    .toAnswer(/AS-O-314/)
    .toStayWithin({ steps: 3, calls: 2 })
})

it('does the same with this version of the library', async () => {
  const result = await replay(file)
  expect(result.same ? 'same' : result.divergence.text).toBe('same')
})

it('still gets from get_order what it got', async () => {
  const result = await replay(file, { tools: [getOrder] })
  expect(result.same ? 'same' : result.divergence.text).toBe('same')
})
