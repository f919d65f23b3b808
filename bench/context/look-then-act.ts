import type { Json } from '../../src/core/json.js'
import { literal } from '../../src/tools/declarations-literal.js'
import { copyOf, reads, type Action, type Order, type Product, type User } from './retail.js'

/** One call of a plan, and what it gave when the plan was run. */
export interface Done extends Action {
  readonly value?: Json
  readonly error?: string
}

export interface Plan {
  /** All that the person says. */
  readonly request: string
  readonly done: readonly Done[]
  /** What the assistant must tell the person. */
  readonly answers: readonly string[]
}

/**
 * The scripts that a model could write for a plan without knowing what it will find: one looks at all that the plan looks at,
 * and gives what the writes and the answers are chosen from; one acts, and gives what came of it.
 */
export function lookThenAct(plan: Plan): readonly string[] {
  const looks = plan.done.filter(({ name }) => name in reads && name !== 'calculate')
  const acts = plan.done.filter((done) => !looks.includes(done))
  return [...(looks.length > 0 ? [look(plan)] : []), ...(acts.length > 0 ? [act(plan, looks, acts)] : [])]
}

function look(plan: Plan): string {
  const { lines, given } = lookLines(plan)
  return [...lines, `return { ${given.join(', ')} }`].join('\n')
}

const call = ({ name, arguments: input }: Action): string => `tools.${name}(${literal(input as unknown as Json)})`
const all = (ids: string, field: string, tool: string): string =>
  `await Promise.all(${ids}.map((${field}) => tools.${tool}({ ${field} })))`

/** The lines that look, and the fields of what they give. */
export function lookLines({ request, done, answers }: Plan): {
  readonly lines: readonly string[]
  readonly given: readonly string[]
} {
  const looks = done.filter(({ name }) => name in reads && name !== 'calculate')
  const of = (prefix: string) => looks.filter(({ name }) => name.startsWith(prefix))
  const finds = unique(of('find_user').map(call))
  const orders = of('get_order').flatMap(({ value }) => (value ? [value as unknown as Order] : []))
  const user = of('get_user').at(0)?.value as unknown as User | undefined
  const products = of('get_product').flatMap(({ value }) => (value ? [value as unknown as Product] : []))
  const items = unique(of('get_item').map(({ arguments: { item_id } }) => item_id!))
  const needs = needsOf(done, answers, orders)
  const lines: string[] = []
  const given: string[] = []

  if (finds.length > 0)
    lines.push(`const user_id = await ${finds.length > 1 ? `Promise.any([${finds.join(', ')}])` : finds[0]}`)
  const userId = finds.length > 0 ? 'user_id' : literal(user?.user_id ?? '')
  if (user) {
    lines.push(`const user = await tools.get_user_details({ ${finds.length > 0 ? 'user_id' : `user_id: ${userId}`} })`)
    given.push('pay: Object.values(user.payment_methods).map((p) => [p.id, p.balance])')
    if (needs.userAddress) given.push('address: user.address')
  }
  if (finds.length > 0 && (needs.userId || looks.length === of('find_user').length)) given.push('user_id')
  if (orders.length > 0) {
    const ids = unique(orders.map(({ order_id }) => order_id))
    const areSaid = ids.every((id) => request.includes(id))
    const source = user && !areSaid ? 'user.orders' : literal(ids)
    lines.push(`const orders = ${all(source, 'order_id', 'get_order_details')}`)
    const fields = [
      'id: o.order_id',
      'status: o.status',
      'items: o.items.map((i) => [i.name, i.item_id, i.price, ...Object.values(i.options)])',
      ...(needs.payments ? ['paid: o.payment_history.map((p) => [p.payment_method_id, p.amount])'] : []),
      ...(needs.tracking ? ['tracking: o.fulfillments.flatMap((f) => f.tracking_id)'] : []),
      ...(needs.orderAddress ? ['address: o.address'] : []),
    ]
    given.push(`orders: orders.map((o) => ({ ${fields.join(', ')} }))`)
  }
  if (products.length > 0) {
    const ordered = new Set(orders.flatMap((order) => order.items.map(({ product_id }) => product_id)))
    const names = unique(products.map(({ name }) => name))
    const isKnown = products.every(({ product_id }) => ordered.has(product_id))
    const source = isKnown
      ? `[...new Set(orders.flatMap((o) => o.items).filter((i) => ${literal(names)}.includes(i.name)).map((i) => i.product_id))]`
      : literal(unique(products.map(({ product_id }) => product_id)))
    lines.push(`const products = ${all(source, 'product_id', 'get_product_details')}`)
    given.push(
      'available: products.map((p) => [p.name, ...Object.values(p.variants).filter((v) => v.available).map((v) => [v.item_id, v.price, ...Object.values(v.options)])])',
    )
  }
  if (items.length > 0) {
    lines.push(`const items = ${all(literal(items), 'item_id', 'get_item_details')}`)
    given.push('items')
  }
  return { lines, given }
}

/** Which parts of what is found the writes and the answers need, beside what is always given. */
function needsOf(done: readonly Done[], answers: readonly string[], orders: readonly Order[]) {
  const writes = done.filter(({ name }) => !(name in reads))
  const isIn = (value: unknown) => answers.some((answer) => JSON.stringify(value).includes(answer))
  const takes = (field: string) => writes.some(({ arguments: input }) => field in input)
  const isAmount = answers.some((answer) => /^\d+(\.\d+)?$/.test(answer))
  return {
    userId: takes('user_id'),
    userAddress: takes('address1'),
    orderAddress: takes('address1') || orders.some(({ address }) => isIn(address)),
    payments: takes('payment_method_id') || isAmount,
    tracking: orders.some(({ fulfillments }) => isIn(fulfillments)),
  }
}

/** All writes, one after the other, with the arguments that were chosen. */
function act({ answers }: Plan, looks: readonly Done[], acts: readonly Done[]): string {
  const lines: string[] = []
  const given: string[] = []
  const unseen = answers.filter((answer) => !looks.some(({ value }) => holds(value ?? null, answer)))
  for (const [i, done] of acts.entries()) {
    if (done.name === 'calculate') given.push(`(${done.arguments.expression}).toFixed(2)`)
    else {
      lines.push(`const r${i + 1} = await ${call(done)}${done.error === undefined ? '' : '.catch((e) => e.message)'}`)
      given.push(outcomeOf(done, `r${i + 1}`))
      const order = done.value as unknown as Order | undefined
      if (order?.items && unseen.some((answer) => holds(copyOf(order.items), answer))) given.push(`r${i + 1}.items`)
    }
  }
  return [...lines, `return ${given.length > 1 ? `[${given.join(', ')}]` : given[0]}`].join('\n')
}

/** What the assistant is told of a write: what became of it, and the money that moved. */
export function outcomeOf({ name, error }: Done, result: string): string {
  if (error !== undefined || name === 'transfer_to_human_agents') return result
  if (name === 'modify_user_address') return `${result}.address.zip`
  const money = name.startsWith('exchange')
    ? `, ${result}.exchange_price_difference`
    : name === 'cancel_pending_order' || name === 'modify_pending_order_items'
      ? `, ${result}.payment_history.at(-1)`
      : ''
  return `[${result}.order_id, ${result}.status${money}]`
}

/** Whether an answer is somewhere in a value: a number as it is said, or a part of a text. */
export function holds(value: Json, answer: string): boolean {
  if (typeof value === 'number') return String(value) === answer || value.toFixed(2) === answer
  if (typeof value === 'string')
    return value === answer || (answer.length > 3 && value.toLowerCase().includes(answer.toLowerCase()))
  return typeof value === 'object' && value !== null && Object.values(value).some((each: Json) => holds(each, answer))
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]
