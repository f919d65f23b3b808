import { countDays, daysBetween, showDay, type Day } from './dates.js'
import type { Order } from './orders.js'

export const afterSalesTypes = ['return', 'exchange', 'repair'] as const
export type AfterSalesType = (typeof afterSalesTypes)[number]

/** Days after signing in which after-sales may be requested. */
export const windowDays = 15

export interface AfterSalesRequest {
  /** Issued by the store: `AS-` and a number. */
  readonly id: string
  readonly owner: string
  readonly orderId: string
  readonly type: AfterSalesType
  readonly reason: string
  readonly requestedOn: Day
}

export type RefusalCode = 'not_available' | 'not_signed' | 'too_late' | 'already_requested'

export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
}

export const daysSinceSigned = (order: Order, day: Day): number | undefined =>
  order.signedOn === undefined ? undefined : daysBetween(order.signedOn, day)

/** Days in which a request may still be made, today counted out; undefined when it may not. */
export function daysLeft(order: Order, day: Day): number | undefined {
  const days = daysSinceSigned(order, day)
  return days === undefined || days > windowDays ? undefined : windowDays - days
}

/** One text for an order that does not exist and for one of somebody else. */
export const notAvailable = (orderId: string): Refusal => ({
  code: 'not_available',
  message: `Order ${orderId} is not available.`,
})

/** Why a new request is not possible, in the order in which a person would ask. */
export function refusalOf(
  orderId: string,
  order: Order | undefined,
  request: AfterSalesRequest | undefined,
  day: Day,
): Refusal | undefined {
  if (!order) return notAvailable(orderId)
  if (request) {
    const message = `Order ${orderId} already has the after-sales request ${request.id} (${request.type}).`
    return { code: 'already_requested', message }
  }
  const days = daysSinceSigned(order, day)
  if (days === undefined)
    return { code: 'not_signed', message: `Order ${orderId} is not signed for: its status is ${order.status}.` }
  if (days <= windowDays) return undefined
  const signed = `It was signed for on ${showDay(order.signedOn!)}, ${countDays(days)} ago`
  return { code: 'too_late', message: `${signed}; after-sales may be requested within ${windowDays} days of signing.` }
}
