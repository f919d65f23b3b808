import { defineTool, ToolError } from 'handrail'

const orders: Record<string, { item: string; state: string }> = { 'O-314': { item: 'boots', state: 'delivered' } }

export const getOrder = defineTool({
  name: 'get_order',
  description: 'Looks an order up by its id.',
  risk: 'read',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  run({ id }) {
    const order = orders[id]
    if (!order) throw new ToolError('not_found', `There is no order ${id}`)
    return order
  },
})

export const requestReturn = defineTool({
  name: 'request_return',
  description: 'Requests the return of an order.',
  risk: 'irreversible',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  run: ({ id }) => ({ request: `AS-${id}` }),
})
