import {
  cents,
  found,
  methodOf,
  orderOf,
  productOf,
  userOf,
  type Address,
  type Database,
  type Input,
  type Order,
  type Tool,
  type Variant,
} from './retail.js'

export const writes: Readonly<Record<string, Tool>> = {
  cancel_pending_order(db, { order_id, reason }) {
    const order = orderIn(db, order_id!, 'pending', 'cancelled')
    if (reason !== 'no longer needed' && reason !== 'ordered by mistake') throw new Error('Invalid reason')
    const user = userOf(db, order.user_id)
    const refunds = order.payment_history.map((payment) => ({ ...payment, transaction_type: 'refund' as const }))
    for (const { amount, payment_method_id } of refunds) credit(user.payment_methods[payment_method_id]!, amount)
    order.status = 'cancelled'
    order.cancel_reason = reason
    order.payment_history.push(...refunds)
    return order
  },

  exchange_delivered_order_items(db, input) {
    const order = orderIn(db, input.order_id!, 'delivered', 'exchanged')
    const difference = cents(differenceOf(order, swapsOf(db, order, input)))
    const method = methodOf(userOf(db, order.user_id), input.payment_method_id!)
    if (method.source === 'gift_card' && method.balance! < difference)
      throw new Error('Insufficient gift card balance to pay for the price difference')
    order.status = 'exchange requested'
    order.exchange_items = input.item_ids!.toSorted()
    order.exchange_new_items = input.new_item_ids!.toSorted()
    order.exchange_payment_method_id = input.payment_method_id!
    order.exchange_price_difference = difference
    return order
  },

  modify_pending_order_items(db, input) {
    const order = orderIn(db, input.order_id!, 'pending', 'modified')
    const swaps = swapsOf(db, order, input)
    const difference = cents(differenceOf(order, swaps))
    const method = methodOf(userOf(db, order.user_id), input.payment_method_id!)
    if (method.source === 'gift_card' && method.balance! < difference)
      throw new Error('Insufficient gift card balance to pay for the new item')
    order.payment_history.push({
      transaction_type: difference > 0 ? 'payment' : 'refund',
      amount: Math.abs(difference),
      payment_method_id: input.payment_method_id!,
    })
    credit(method, -difference)
    for (const { id, variant } of swaps) {
      const item = order.items.find(({ item_id }) => item_id === id)!
      item.item_id = variant.item_id
      item.price = variant.price
      item.options = variant.options
    }
    order.status = 'pending (item modified)'
    return order
  },

  modify_pending_order_address(db, { order_id, ...address }) {
    const order = pendingOrder(db, order_id!)
    order.address = addressOf(address)
    return order
  },

  modify_pending_order_payment(db, { order_id, payment_method_id }) {
    const order = pendingOrder(db, order_id!)
    const user = userOf(db, order.user_id)
    const method = methodOf(user, payment_method_id!)
    const [first, ...others] = order.payment_history
    if (first?.transaction_type !== 'payment' || others.length > 0)
      throw new Error('There should be exactly one payment for a pending order')
    if (first.payment_method_id === payment_method_id)
      throw new Error('The new payment method should be different from the current one')
    if (method.source === 'gift_card' && method.balance! < first.amount)
      throw new Error('Insufficient gift card balance to pay for the order')
    order.payment_history.push(
      { ...first, payment_method_id: payment_method_id! },
      { ...first, transaction_type: 'refund' },
    )
    credit(method, -first.amount)
    credit(user.payment_methods[first.payment_method_id]!, first.amount)
    return order
  },

  modify_user_address(db, { user_id, ...address }) {
    const user = userOf(db, user_id!)
    user.address = addressOf(address)
    return user
  },

  return_delivered_order_items(db, { order_id, item_ids, payment_method_id }) {
    const order = orderIn(db, order_id!, 'delivered', 'returned')
    const { source } = methodOf(userOf(db, order.user_id), payment_method_id!)
    if (source !== 'gift_card' && payment_method_id !== order.payment_history[0]!.payment_method_id)
      throw new Error('Payment method should be the original payment method')
    checkItems(order, item_ids!)
    order.status = 'return requested'
    order.return_items = item_ids!.toSorted()
    order.return_payment_method_id = payment_method_id!
    return order
  },

  transfer_to_human_agents: () => 'Transfer successful',
}

function orderIn(db: Database, id: string, status: string, done: string): Order {
  const order = orderOf(db, id)
  if (order.status !== status) throw new Error(`Non-${status} order cannot be ${done}`)
  return order
}

/** Its items may have been modified before. */
function pendingOrder(db: Database, id: string): Order {
  const order = orderOf(db, id)
  if (!order.status.includes('pending')) throw new Error('Non-pending order cannot be modified')
  return order
}

function credit(method: { readonly source: string; balance?: number }, amount: number): void {
  if (method.source === 'gift_card') method.balance = cents(method.balance! + amount)
}

const addressOf = ({ address1, address2, city, state, country, zip }: Input): Address => ({
  address1: address1!,
  address2: address2!,
  city: city!,
  state: state!,
  country: country!,
  zip: zip!,
})

function checkItems(order: Order, ids: readonly string[]): void {
  const count = (list: readonly string[], id: string) => list.filter((each) => each === id).length
  const all = order.items.map(({ item_id }) => item_id)
  for (const id of ids) if (count(ids, id) > count(all, id)) throw new Error(`Number of ${id} not found.`)
}

interface Swap {
  readonly id: string
  readonly variant: Variant
}

function swapsOf(db: Database, order: Order, { item_ids, new_item_ids }: Input): readonly Swap[] {
  checkItems(order, item_ids!)
  if (item_ids!.length !== new_item_ids!.length) throw new Error('The number of items to be exchanged should match.')
  return item_ids!.map((id: string, i: number) => {
    const { product_id } = found(
      order.items.find(({ item_id }) => item_id === id),
      `Item ${id}`,
    )
    const variant = found(productOf(db, product_id).variants[new_item_ids![i]!], 'Variant')
    if (!variant.available) throw new Error(`New item ${variant.item_id} not found or available`)
    return { id, variant }
  })
}

const differenceOf = (order: Order, swaps: readonly Swap[]): number =>
  swaps.reduce(
    (sum, { id, variant }) => sum + variant.price - order.items.find(({ item_id }) => item_id === id)!.price,
    0,
  )
