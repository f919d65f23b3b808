import { daysLeft, type AfterSalesRequest } from './after-sales.js'
import { today, type Day } from './dates.js'
import { createOrders, type Order } from './orders.js'
import { openRequestStore, type RequestStore } from './request-store.js'

/** The shop's own data. Whoever asks says for which owner, and gets nothing else. */
export interface Shop {
  readonly requests: RequestStore
  /** Newest first. */
  ordersOf(owner: string): readonly Order[]
  findOrder(owner: string, id: string): Order | undefined
}

/** An order as a row of the page's table. */
export interface OrderRow {
  readonly order: Order
  readonly request?: AfterSalesRequest
  readonly note?: string
  /** Days in which after-sales may still be requested. */
  readonly daysLeft?: number
}

export async function openShop(start: Day): Promise<Shop> {
  const orders = createOrders(start).toReversed()
  const findOrder = (owner: string, id: string) => orders.find((order) => order.id === id && order.owner === owner)
  const requests = await openRequestStore(findOrder)
  return { requests, findOrder, ordersOf: (owner) => orders.filter((order) => order.owner === owner) }
}

export async function loadRows(shop: Shop, owner: string): Promise<readonly OrderRow[]> {
  const [made, notes] = await Promise.all([shop.requests.ofOwner(owner), shop.requests.notesOf(owner)])
  const byOrder = new Map(made.map((request) => [request.orderId, request]))
  return shop.ordersOf(owner).map((order) => {
    const request = byOrder.get(order.id)
    const note = notes.get(order.id)
    return { order, request, daysLeft: request ? undefined : daysLeft(order, today()), ...(note && { note }) }
  })
}
