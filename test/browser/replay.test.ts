import { replay } from 'handrail/testing'
import { expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import script from '../logs/script.json'

const input = { type: 'object' } as const
const tools: ToolDefinition[] = ['search_orders', 'get_order_status'].map((name) => ({
  name,
  description: `The tool ${name}`,
  risk: 'read',
  input,
}))

it('a recorded run with a script is replayed in a browser', async () => {
  const events = script as unknown as RunEvent[]
  const result = await replay({ events, context: { instructions: '', tools } })
  expect(result.same ? 'same' : result.divergence.text).toBe('same')
  expect(result.events).toHaveLength(events.length)
})
