import type { CaseTool } from './gate-case.js'

const idInput = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
} as const

export const read = (more: Partial<CaseTool> = {}): CaseTool => ({
  name: 'look_up',
  description: 'Looks an order up.',
  risk: 'read',
  input: idInput,
  run: () => ({ id: 'O-1', state: 'signed' }),
  ...more,
})

export const write = (more: Partial<CaseTool> = {}): CaseTool => ({
  name: 'return_order',
  description: 'Sends an order back.',
  risk: 'irreversible',
  input: idInput,
  run: () => ({ request: 'AS-1' }),
  ...more,
})

export const lookUp = { tool: 'look_up', input: { id: 'O-1' } } as const
export const giveBack = { tool: 'return_order', input: { id: 'O-1' } } as const

/** What a person is asked about a write by its risk alone. */
export const byRisk = [['risk']] as const
