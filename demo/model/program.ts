import type { AfterSalesType } from '../store/after-sales.js'

/** Lists what can still be returned: every page of signed orders, every order's status, and of all that only a few lines. */
export const returnableProgram = `// Which signed orders are still within the after-sales window?
const policy = await tools.get_after_sales_policy({})

const first = await tools.search_orders({ status: 'signed' })
const others = Array.from({ length: first.pages - 1 }, (_, i) => i + 2)
const rest = await Promise.all(others.map((page) => tools.search_orders({ status: 'signed', page })))
const orders = [first, ...rest].flatMap((found) => found.orders)

const statuses = await Promise.all(orders.map(({ order_id }) => tools.get_order_status({ order_id })))
const returnable = statuses.filter(
  (order) => order.days_since_signed !== null && order.days_since_signed <= policy.days && order.after_sales === null,
)

return {
  days: policy.days,
  checked: statuses.length,
  returnable: returnable.map(({ order_id, item, days_since_signed }) => ({
    order_id,
    item,
    days_left: policy.days - days_since_signed,
  })),
}`

/** Looks each order and the policy up before it asks for anything that cannot be undone. */
export const requestProgram = (orderIds: readonly string[], type: AfterSalesType, reason: string): string =>
  `const order_ids = ${JSON.stringify(orderIds)}
const type = ${JSON.stringify(type)}
const reason = ${JSON.stringify(reason)}

const policy = await tools.get_after_sales_policy({})

async function request(order_id) {
  const order = await tools.get_order_status({ order_id })
  const { item, days_since_signed, after_sales } = order
  if (after_sales !== null) return { order_id, item, problem: 'already requested', request_id: after_sales.request_id }
  if (days_since_signed === null) return { order_id, item, problem: 'not signed for', status: order.status }
  if (days_since_signed > policy.days) return { order_id, item, problem: 'too late', days_since_signed, days: policy.days }
  const { request_id, status } = await tools.submit_after_sales_request({ order_id, type, reason })
  return { order_id, item, request_id, status }
}

const results = await Promise.allSettled(order_ids.map(request))
return {
  type,
  requests: results.map((result, i) => {
    if (result.status === 'fulfilled') return result.value
    const { code, message } = result.reason
    return { order_id: order_ids[i], error: { code, message } }
  }),
}`
