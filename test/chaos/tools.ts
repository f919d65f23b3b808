import { defineTool, ToolError, type Tool, type ToolContext } from 'handrail'
import type { Ledger } from './ledger.js'
import type { Item } from './model.js'
import { declarations, places, type Declaration, type Place, type Point } from './plan.js'
import type { Server } from './server.js'

export interface ToolPorts {
  readonly ledger: Ledger
  readonly server: Server
  /** The page is at this place. Pending for ever if that is where it ends: a reload takes its time. */
  reach(point: Point): Promise<void>
  /** A tool was asked to run. */
  request(toolName: string, context: ToolContext): void
}

/** Milliseconds that a tool waits for the server. */
const timeout = 1_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Reads that give another value every time, and writes. Each takes a moment, so that a disturbance can come in between. */
export function createTools(ports: ToolPorts): Tool[] {
  const writes = places.flatMap((place) => declarations.map((declaration) => createOrder(ports, place, declaration)))
  return [createRead(ports), createFind(ports), ...writes]
}

/** Where the key's effect is, if there is one; else the key is void from now on. */
export const settle = ({ ledger, server }: Pick<ToolPorts, 'ledger' | 'server'>, place: Place, key: string) =>
  place === 'page' ? ledger.settle(key) : server.settle(key)

async function begin(ports: ToolPorts, toolName: string, context: ToolContext): Promise<void> {
  ports.request(toolName, context)
  await ports.ledger.note({ toolName, runId: context.runId, callId: context.callId })
}

const integer = { type: 'integer' } as const
const text = { type: 'string' } as const

const createRead = (ports: ToolPorts) =>
  defineTool({
    name: 'read_stock',
    description: 'Reads how many there are of a part',
    input: { type: 'object', properties: { part: text }, required: ['part'], additionalProperties: false },
    output: { type: 'object', properties: { part: text, count: integer }, required: ['part', 'count'] },
    risk: 'read',
    async run({ part }, context) {
      await begin(ports, 'read_stock', context)
      await pause(Math.random() * 10)
      return { part, count: Math.floor(Math.random() * 1000) }
    },
  })

const createFind = (ports: ToolPorts) =>
  defineTool({
    name: 'find_orders',
    description: 'Finds the parts that were ordered',
    input: { type: 'object', properties: { session: text }, required: ['session'], additionalProperties: false },
    risk: 'read',
    async run({ session }, context) {
      await begin(ports, 'find_orders', context)
      const effects = [...(await ports.ledger.effects()), ...(await ports.server.effects())]
      const items = effects.map(({ input }) => input as Item)
      return { found: items.flatMap((item) => (item.session === session ? [item.part] : [])) }
    },
  })

function createOrder(ports: ToolPorts, place: Place, declaration: Declaration): Tool {
  const name = `order_${place}_${declaration}`
  const isIdempotent = declaration === 'idempotent'
  const reconcile = async ({ idempotencyKey }: { idempotencyKey: string }) => {
    const number = await settle(ports, place, idempotencyKey)
    return number === undefined ? ({ state: 'void' } as const) : ({ state: 'done', output: { number } } as const)
  }
  return defineTool({
    name,
    description: 'Orders a part',
    input: {
      type: 'object',
      properties: { session: text, part: text, count: integer, at: integer, reference: integer },
      required: ['session', 'part', 'count', 'at', 'reference'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { number: integer }, required: ['number'] },
    risk: 'irreversible',
    once: { plain: {}, reconciles: { reconcile }, idempotent: { idempotent: true } }[declaration],
    ...(place === 'server' && { limits: { timeout } }),
    async run(input, context) {
      await begin(ports, name, context)
      await pause(5)
      await ports.reach('request')
      const { runId, idempotencyKey: key } = context
      const effect = { runId, key, input }
      const number = await (place === 'page' ? ports.ledger : ports.server).act(effect, isIdempotent)
      if (number === undefined) throw new ToolError('void', 'This order was given up')
      await ports.reach('effect')
      await pause(5)
      await ports.reach('return')
      return { number }
    },
  }) as Tool
}
