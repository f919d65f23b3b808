import { defineTool, ToolError, type Tool, type ToolContext } from 'handrail'
import type { Ledger } from './ledger.js'
import type { Point, WriteKind } from './plan.js'

export interface Watch {
  /** The page is at this place. Pending for ever if that is where it dies: a reload takes its time. */
  reach(point: Point): Promise<void>
  /** A tool was asked to run. */
  request(toolName: string, context: ToolContext): void
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Reads that give another value every time, and a write. Each takes a moment, so that a kill can come in between. */
export function createTools(ledger: Ledger, write: WriteKind, watch: Watch): Tool[] {
  const begin = async (toolName: string, context: ToolContext) => {
    watch.request(toolName, context)
    await ledger.note({ toolName, runId: context.runId, callId: context.callId })
  }
  const readStock = defineTool({
    name: 'read_stock',
    description: 'Reads how many there are of a part',
    input: {
      type: 'object',
      properties: { part: { type: 'string' } },
      required: ['part'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    risk: 'read',
    async run(_, context) {
      await begin('read_stock', context)
      await pause(Math.random() * 10)
      return { count: Math.floor(Math.random() * 1000) }
    },
  })
  const settled = async (key: string) => {
    const number = await ledger.settle(key)
    return number === undefined ? ({ state: 'void' } as const) : ({ state: 'done', output: { number } } as const)
  }
  const once = {
    plain: {},
    reconciles: { reconcile: ({ idempotencyKey }: { idempotencyKey: string }) => settled(idempotencyKey) },
    idempotent: { idempotent: true },
  }
  const integer = { type: 'integer' } as const
  const placeOrder = defineTool({
    name: 'place_order',
    description: 'Places an order',
    input: {
      type: 'object',
      properties: { count: integer, reference: integer, at: integer },
      required: ['count', 'reference', 'at'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { number: integer }, required: ['number'] },
    risk: 'irreversible',
    once: once[write],
    async run(input, context) {
      await begin('place_order', context)
      await pause(5)
      await watch.reach('request')
      const { runId, idempotencyKey } = context
      const number = await ledger.act({ runId, key: idempotencyKey, input }, write === 'idempotent')
      if (number === undefined) throw new ToolError('void', 'This order was given up')
      await watch.reach('effect')
      await pause(5)
      await watch.reach('return')
      return { number }
    },
  })
  return [readStock, placeOrder]
}
