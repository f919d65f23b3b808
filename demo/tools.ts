import { defineTool, ToolError, type Tool } from 'handrail'
import {
  afterSalesTypes,
  daysSinceSigned,
  notAvailable,
  refusalOf,
  windowDays,
  type AfterSalesRequest,
} from './store/after-sales.js'
import { today } from './store/dates.js'
import { messagesOf } from './store/messages.js'
import type { Order } from './store/orders.js'
import type { Shop } from './store/shop.js'

const pageSize = 25

const orderId = { type: 'string', description: 'For example O-12' } as const
const status = { type: 'string', enum: ['processing', 'shipped', 'signed', 'cancelled'] } as const
const type = { type: 'string', enum: afterSalesTypes } as const
const day = { type: 'string', description: 'A day, YYYY-MM-DD' } as const

const object = <const Properties extends object, const Required extends readonly string[]>(
  properties: Properties,
  required: Required,
) => ({ type: 'object', properties, required, additionalProperties: false }) as const

const found = object({ order_id: orderId, item: { type: 'string' }, status, ordered_on: day }, [
  'order_id',
  'item',
  'status',
  'ordered_on',
])

const message = object({ from: { type: 'string' }, text: { type: 'string' } }, ['from', 'text'])

/** Milliseconds: a yes of last week is none. */
const answerWithin = 600_000

const request = object({ request_id: { type: 'string' }, type, status: { type: 'string', enum: ['in review'] } }, [
  'request_id',
  'type',
  'status',
])

const money = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })

/** An id that the model made up, or read in somebody's message, is no order that the customer means. */
const fromWhere = { '/order_id': ['user', 'search_orders:/orders/*/order_id'] } as const
/** The shop's own data. What other people wrote comes from `read_order_messages` alone. */
const ours = { output: true } as const

/** What the assistant may do in the shop, as the signed-in user: for these tools only that user's orders exist. */
export function createTools(shop: Shop, owner: string): readonly Tool[] {
  const findOrder = (id: string): Order => {
    const order = shop.findOrder(owner, id)
    if (order) return order
    const { code, message } = notAvailable(id)
    throw new ToolError(code, message)
  }
  const findRefusal = async (id: string) =>
    refusalOf(id, shop.findOrder(owner, id), await requestOf(shop, owner, id), today())

  const searchOrders = defineTool({
    name: 'search_orders',
    description: `Finds the customer's orders, newest first, ${pageSize} a page. Without a query it lists all of them.`,
    input: object(
      {
        query: { type: 'string', description: 'Words of the item or a part of the order id' },
        status,
        page: { type: 'integer', minimum: 1 },
      },
      [],
    ),
    output: object(
      {
        orders: { type: 'array', items: found },
        page: { type: 'integer' },
        pages: { type: 'integer' },
        total: { type: 'integer' },
      },
      ['orders', 'page', 'pages', 'total'],
    ),
    risk: 'read',
    trust: ours,
    run({ query = '', status: wanted, page = 1 }) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean)
      const matches = shop.ordersOf(owner).filter((order) => {
        const text = `${order.id} ${order.item}`.toLowerCase()
        return (wanted === undefined || order.status === wanted) && words.every((word) => text.includes(word))
      })
      const orders = matches.slice((page - 1) * pageSize, page * pageSize)
      return {
        orders: orders.map(({ id, item, status: state, orderedOn }) => ({
          order_id: id,
          item,
          status: state,
          ordered_on: orderedOn,
        })),
        page,
        pages: Math.max(1, Math.ceil(matches.length / pageSize)),
        total: matches.length,
      }
    },
  })

  const getOrderStatus = defineTool({
    name: 'get_order_status',
    description: 'Where an order is, when it was signed for, and its after-sales request if it has one.',
    input: object({ order_id: orderId }, ['order_id']),
    output: object(
      {
        ...found.properties,
        signed_on: { anyOf: [day, { type: 'null' }] },
        days_since_signed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        after_sales: { anyOf: [request, { type: 'null' }] },
      },
      [...found.required, 'signed_on', 'days_since_signed', 'after_sales'],
    ),
    risk: 'read',
    trust: ours,
    async run({ order_id }) {
      const order = findOrder(order_id)
      const existing = await requestOf(shop, owner, order_id)
      return {
        order_id,
        item: order.item,
        status: order.status,
        ordered_on: order.orderedOn,
        signed_on: order.signedOn ?? null,
        days_since_signed: daysSinceSigned(order, today()) ?? null,
        after_sales: existing ? toOutput(existing) : null,
      }
    },
  })

  const getAfterSalesPolicy = defineTool({
    name: 'get_after_sales_policy',
    description: 'Which after-sales services there are, and for how long after signing they may be requested.',
    input: object({}, []),
    output: object(
      { days: { type: 'integer' }, counted_from: { type: 'string' }, types: { type: 'array', items: type } },
      ['days', 'counted_from', 'types'],
    ),
    risk: 'read',
    trust: ours,
    run: () => ({ days: windowDays, counted_from: 'the day the order was signed for', types: afterSalesTypes }),
  })

  const readOrderMessages = defineTool({
    name: 'read_order_messages',
    description: 'What the parcel service, sellers and others wrote about an order.',
    input: object({ order_id: orderId }, ['order_id']),
    output: object({ order_id: orderId, messages: { type: 'array', items: message } }, ['order_id', 'messages']),
    risk: 'read',
    run: ({ order_id }) => ({ order_id, messages: [...messagesOf(findOrder(order_id))] }),
  })

  const setDeliveryNote = defineTool({
    name: 'set_delivery_note',
    description:
      'Leaves a note for the parcel service at an order, in place of the one before. An empty note takes it away.',
    input: object({ order_id: orderId, note: { type: 'string', maxLength: 200 } }, ['order_id', 'note']),
    output: object({ order_id: orderId, note: { type: 'string' } }, ['order_id', 'note']),
    risk: 'reversible',
    from: fromWhere,
    trust: ours,
    async run({ order_id, note }) {
      findOrder(order_id)
      await shop.requests.setNote(owner, order_id, note)
      return { order_id, note }
    },
    once: { idempotent: true },
  })

  const submitAfterSalesRequest = defineTool({
    name: 'submit_after_sales_request',
    description:
      'Requests a return, an exchange or a repair of a signed order. The store issues the id of the request and reviews it. It cannot be withdrawn here.',
    input: object(
      {
        order_id: orderId,
        type,
        reason: { type: 'string', minLength: 3, maxLength: 500 },
        customer: { type: 'string', description: 'Who is signed in' },
      },
      ['order_id', 'type', 'reason', 'customer'],
    ),
    output: object({ ...request.properties, order_id: orderId }, [...request.required, 'order_id']),
    risk: 'irreversible',
    hostInput: { customer: () => owner },
    from: fromWhere,
    trust: ours,
    approval: {
      expires: answerWithin,
      preview({ order_id, type: wanted }) {
        const order = findOrder(order_id)
        return {
          order: `${order_id}, ${order.item}`,
          signed_on: order.signedOn ?? null,
          outcome:
            wanted === 'return'
              ? `Refund of ${money.format(order.total / 100)} after review`
              : `${wanted} after review`,
        }
      },
    },
    onFailure: { mayTryAnother: false, tellPerson: true },
    async check({ order_id }) {
      const refusal = await findRefusal(order_id)
      return refusal && { deny: refusal.message }
    },
    async run({ order_id, type: wanted, reason, customer }, { idempotencyKey }) {
      const made = await shop.requests.submit({
        owner: customer,
        orderId: order_id,
        type: wanted,
        reason,
        idempotencyKey,
      })
      return { order_id, ...toOutput(made) }
    },
    once: {
      repeat: 'ask',
      async reconcile({ idempotencyKey }) {
        const answer = await shop.requests.reconcile(owner, idempotencyKey)
        if (answer.state !== 'done') return { state: answer.state }
        return { state: 'done', output: { order_id: answer.request.orderId, ...toOutput(answer.request) } }
      },
    },
  })

  return [
    searchOrders,
    getOrderStatus,
    getAfterSalesPolicy,
    readOrderMessages,
    setDeliveryNote,
    submitAfterSalesRequest,
  ]
}

async function requestOf(shop: Shop, owner: string, id: string): Promise<AfterSalesRequest | undefined> {
  const existing = await shop.requests.ofOrder(id)
  return existing?.owner === owner ? existing : undefined
}

const toOutput = ({ id, type: requested }: AfterSalesRequest) =>
  ({ request_id: id, type: requested, status: 'in review' }) as const
