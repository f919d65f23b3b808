import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { ToolError, type Tool } from 'handrail'
import { beforeEach, describe, expect, it } from 'vitest'
import { addDays, today } from '../../demo/store/dates.js'
import { openShop, type Shop } from '../../demo/store/shop.js'
import { createTools } from '../../demo/tools.js'

let shop: Shop
let tools: ReadonlyMap<string, Tool>
let keys = 0

beforeEach(async () => {
  globalThis.indexedDB = new IDBFactory()
  shop = await openShop(today())
  tools = toolsOf('mina')
})

let user = 'mina'
function toolsOf(owner: string): ReadonlyMap<string, Tool> {
  user = owner
  return new Map(createTools(shop, owner).map((tool) => [tool.definition.name, tool]))
}
const newKey = () => `key-${keys++}`
const { signal } = new AbortController()

const call = async (name: string, input: object, idempotencyKey = newKey()): Promise<Record<string, unknown>> =>
  (await tools.get(name)!.run(input, { signal, runId: 'run', callId: '1.0', idempotencyKey })) as Record<
    string,
    unknown
  >
const submit = (order_id: string, key = newKey()) => call('submit_after_sales_request', requestOf(order_id), key)
/** With what the page fills in. */
const requestOf = (order_id: string) => ({ order_id, type: 'return', reason: 'The sole came off', customer: user })
const context = { signal, session: 's', runId: 'run', callId: '1.0' }
const check = (order_id: string) => tools.get('submit_after_sales_request')!.check!(requestOf(order_id), context)
const reconcile = (idempotencyKey: string) =>
  tools.get('submit_after_sales_request')!.reconcile!({ idempotencyKey, input: {} })

describe('the tools of the shop', () => {
  it('have the names and risks that they will keep', () => {
    const risks = [...tools.values()].map(({ definition }) => [definition.name, definition.risk])
    expect(risks).toEqual([
      ['search_orders', 'read'],
      ['get_order_status', 'read'],
      ['get_after_sales_policy', 'read'],
      ['read_order_messages', 'read'],
      ['set_delivery_note', 'reversible'],
      ['submit_after_sales_request', 'irreversible'],
    ])
  })

  it('find all orders of the user, and none of anybody else', async () => {
    const found: unknown[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const result = await call('search_orders', { page })
      pages = Number(result.pages)
      found.push(...(result.orders as { order_id: string }[]).map(({ order_id }) => order_id))
    }
    expect(found).toEqual(shop.ordersOf('mina').map(({ id }) => id))
  })

  it('search by words and by status', async () => {
    const { orders } = await call('search_orders', { query: 'running shoes' })
    expect(orders).toEqual([expect.objectContaining({ order_id: 'O-314', status: 'signed' })])
    const { total } = await call('search_orders', { query: 'running shoes', status: 'cancelled' })
    expect(total).toBe(0)
  })

  it('know when O-314 was signed for', async () => {
    const status = await call('get_order_status', { order_id: 'O-314' })
    expect(status).toMatchObject({ signed_on: addDays(today(), -10), days_since_signed: 10, after_sales: null })
  })

  it("say no more of somebody else's order than of one that does not exist", async () => {
    expect(shop.findOrder('jonas', 'O-315')).toBeDefined()
    for (const ask of [(id: string) => call('get_order_status', { order_id: id }), submit]) {
      const [theirs, nobodys] = await Promise.all(
        ['O-315', 'O-99999'].map((id) => ask(id).catch((error: unknown) => error)),
      )
      expect(theirs).toBeInstanceOf(ToolError)
      expect(theirs).toMatchObject({ code: 'not_available', message: 'Order O-315 is not available.' })
      expect(nobodys).toMatchObject({ code: 'not_available', message: 'Order O-99999 is not available.' })
    }
    expect(await check('O-315')).toEqual({ deny: 'Order O-315 is not available.' })
  })

  it("do not tell of another user's request, which the order has", async () => {
    await shop.requests.submit({
      owner: 'jonas',
      orderId: 'O-315',
      type: 'repair',
      reason: 'Broken',
      idempotencyKey: newKey(),
    })
    expect(await check('O-315')).toEqual({ deny: 'Order O-315 is not available.' })
  })
})

describe('what others wrote', () => {
  it('is read by one tool alone, whose output is not trusted', async () => {
    const trusted = [...tools.values()].map(({ definition: { name, trusted = false } }) => [name, trusted])
    expect(trusted.filter(([, isTrusted]) => !isTrusted)).toEqual([['read_order_messages', false]])
    expect(await call('read_order_messages', { order_id: 'O-312' })).toMatchObject({
      messages: [{ text: expect.stringContaining('NOTE TO ASSISTANTS') }],
    })
    await expect(call('read_order_messages', { order_id: 'O-315' })).rejects.toMatchObject({ code: 'not_available' })
  })
})

describe('set_delivery_note', () => {
  it("keeps one note an order, which is its owner's alone", async () => {
    await call('set_delivery_note', { order_id: 'O-314', note: 'Ring' })
    await call('set_delivery_note', { order_id: 'O-314', note: 'Ring twice' })
    await expect(call('set_delivery_note', { order_id: 'O-315', note: 'x' })).rejects.toBeInstanceOf(ToolError)
    expect([...(await shop.requests.notesOf('mina'))]).toEqual([['O-314', 'Ring twice']])
    expect([...(await shop.requests.notesOf('jonas'))]).toEqual([])
    await call('set_delivery_note', { order_id: 'O-314', note: '' })
    expect((await shop.requests.notesOf('mina')).size).toBe(0)
  })
})

describe('submit_after_sales_request', () => {
  it('lets the app say who the customer is, and takes an order from the customer or from a search', () => {
    const { definition } = tools.get('submit_after_sales_request')!
    expect(definition).toMatchObject({ hostInput: ['customer'], onFailure: { tellPerson: true } })
    expect(definition.from).toEqual({ '/order_id': ['user', 'search_orders:/orders/*/order_id'] })
  })

  it('makes one request a key, with an id that the store issues', async () => {
    const key = newKey()
    const first = await submit('O-314', key)
    expect(first).toMatchObject({
      order_id: 'O-314',
      request_id: expect.stringMatching(/^AS-\d+$/),
      status: 'in review',
    })
    expect(await submit('O-314', key)).toEqual(first)
    expect(await shop.requests.ofOwner('mina')).toHaveLength(1)
  })

  it('makes one request an order when two are sent at once', async () => {
    const results = await Promise.allSettled([submit('O-314'), submit('O-314')])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'already_requested' } })
  })

  it('is refused by its check before a person is asked', async () => {
    const orders = shop.ordersOf('mina')
    const late = orders.find(({ signedOn }) => signedOn !== undefined && signedOn < addDays(today(), -15))!
    const shipped = orders.find(({ status }) => status === 'shipped')!
    expect(await check('O-314')).toBeUndefined()
    expect(await check(late.id)).toEqual({ deny: expect.stringContaining('within 15 days') })
    expect(await check(shipped.id)).toEqual({ deny: expect.stringContaining('not signed for') })
    const { request_id } = await submit('O-314')
    expect(await check('O-314')).toEqual({ deny: expect.stringContaining(String(request_id)) })
  })

  it('finds by its key what it did', async () => {
    const key = newKey()
    const output = await submit('O-314', key)
    expect(await reconcile(key)).toEqual({ state: 'done', output })
  })

  it('makes a key void that did nothing, and refuses it from then on', async () => {
    const key = newKey()
    expect(await reconcile(key)).toEqual({ state: 'void' })
    await expect(submit('O-314', key)).rejects.toMatchObject({ code: 'void_key' })
    expect(await shop.requests.ofOwner('mina')).toEqual([])
    expect(await submit('O-314')).toMatchObject({ order_id: 'O-314' })
  })

  it("does not find another owner's key", async () => {
    const key = newKey()
    await submit('O-314', key)
    tools = toolsOf('jonas')
    expect(await reconcile(key)).toEqual({ state: 'void' })
  })
})
