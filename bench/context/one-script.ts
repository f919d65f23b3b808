import type { Json } from '../../src/core/json.js'
import { literal } from '../../src/tools/declarations-literal.js'
import { holds, lookLines, outcomeOf, type Done, type Plan } from './look-then-act.js'
import { copyOf, reads, type Database, type Order, type OrderItem, type Product, type Variant } from './retail.js'

/**
 * One script that finds, chooses and acts: by the names of things, and by the options in which a new item differs from the old.
 * That is what the person asked for, though perhaps in other words. What cannot be found so is written as the plan has it.
 * Undefined: there is nothing to look at, or nothing to do.
 */
export function oneScript(plan: Plan, db: Database): string | undefined {
  const acts = plan.done.filter(({ name }) => !(name in reads))
  if (acts.length === 0 || !plan.done.some(({ name }) => name === 'get_order_details')) return undefined
  const writer = createWriter(plan, db)
  const done = acts.map((act, i) => `const r${i + 1} = await ${writer.call(act)}`)
  const outcomes = acts.map((act, i) => outcomeOf(act, `r${i + 1}`))
  const open = plan.answers.filter((answer) => !holds(acts.map(toldOf), answer))
  const facts = [...new Set(open.map((answer) => writer.fact(answer)))]
  const end = `return { done: [${outcomes.join(', ')}]${facts.length > 0 ? `, facts: [${facts.join(', ')}]` : ''} }`
  return [...needed(lookLines(plan).lines, [...writer.lines(), ...done, end]), ...writer.lines(), ...done, end].join(
    '\n',
  )
}

/** What an outcome tells of a write's result. */
function toldOf({ name, value }: Done): Json {
  if (name === 'modify_user_address' || value === undefined) return null
  const { order_id, status, exchange_price_difference, payment_history } = value as unknown as Order
  return copyOf([order_id, status, exchange_price_difference, payment_history?.at(-1)?.amount])
}

/** Without what no later line reads. Who the person is, is always asked. */
function needed(lines: readonly string[], later: readonly string[]): readonly string[] {
  const [line, ...others] = lines.toReversed()
  if (line === undefined) return []
  const [, name] = /^const (\w+)/.exec(line)!
  const isRead = name === 'user_id' || later.some((each) => new RegExp(`(?<![.\\w])${name}\\b`).test(each))
  return isRead ? [...needed(others.toReversed(), [line, ...later]), line] : needed(others.toReversed(), later)
}

const pick = `const pick = async (item, wish) => {
  const { variants } = await tools.get_product_details({ product_id: item.product_id })
  const all = Object.values(variants).filter((v) => v.available && v.item_id !== item.item_id).sort((a, b) => a.price - b.price)
  const fits = (v, options) => Object.entries(options).every(([k, x]) => v.options[k] === x)
  return (all.find((v) => fits(v, { ...item.options, ...wish })) ?? all.find((v) => fits(v, wish))).item_id
}`

function createWriter({ request, done }: Plan, db: Database) {
  const looked = (name: string) => done.filter((each) => each.name === name && each.value !== undefined)
  const user = looked('get_user_details').map(({ value }) => db.users[(value as { user_id: string }).user_id]!)[0]
  const ids = looked('get_order_details').map(({ arguments: { order_id } }) => order_id!)
  const products = looked('get_product_details').map(({ value }) => value as unknown as Product)
  const areSaid = !user || ids.every((id) => request.includes(id))
  const pool = unique(areSaid ? ids : user.orders).map((id) => db.orders[id]!)
  const variables = new Map<string, string>()
  const itemVariables = new Map<string, string>()
  const set: string[] = []
  let picks = false

  const orderVariable = (order: Order, items: readonly OrderItem[], status: string): string => {
    const known = variables.get(order.order_id)
    if (known) return known
    const name = `o${variables.size + 1}`
    variables.set(order.order_id, name)
    const like = (each: Order) => each.status === status && each.items.some((item) => item.name === items[0]?.name)
    const isFound = !request.includes(order.order_id) && items.length > 0 && pool.filter(like).length === 1
    const test = isFound
      ? `o.status === ${literal(status)} && o.items.some((i) => i.name === ${literal(items[0]!.name)})`
      : `o.order_id === ${literal(order.order_id)}`
    set.push(
      request.includes(order.order_id)
        ? `const ${name} = await tools.get_order_details({ order_id: ${literal(order.order_id)} })`
        : `const ${name} = orders.find((o) => ${test})`,
    )
    return name
  }

  const itemOf = (order: Order, variable: string, item: OrderItem): string => {
    const alike = order.items.filter(({ name }) => name === item.name)
    const telling = Object.entries(item.options).find(
      ([name, value]) => alike.filter(({ options }) => options[name] === value).length === 1,
    )
    const option = alike.length > 1 && telling ? ` && i.options[${literal(telling[0])}] === ${literal(telling[1])}` : ''
    const find = `${variable}.items.find((i) => i.name === ${literal(item.name)}${option})`
    const known = itemVariables.get(find)
    if (known) return known
    const name = `i${itemVariables.size + 1}`
    itemVariables.set(find, name)
    set.push(`const ${name} = ${find}`)
    return name
  }

  const variantFor = (item: OrderItem, found: string, id: string): string => {
    const all = Object.values(db.products[item.product_id]!.variants)
      .filter((variant) => variant.available && variant.item_id !== item.item_id)
      .toSorted((a, b) => a.price - b.price)
    const options = all.find(({ item_id }) => item_id === id)?.options ?? {}
    const other = Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== item.options[name]))
    const fits = (variant: Variant, wish: object) =>
      Object.entries(wish).every(([name, value]) => variant.options[name] === value)
    for (const wish of [{}, other]) {
      const chosen =
        all.find((each) => fits(each, { ...item.options, ...wish })) ?? all.find((each) => fits(each, wish))
      if (chosen?.item_id !== id) continue
      picks = true
      return `await pick(${found}, ${literal(wish)})`
    }
    return literal(id)
  }

  const methodFor = (order: Order, variable: string, id: string): string => {
    if (order.payment_history[0]!.payment_method_id === id) return `${variable}.payment_history[0].payment_method_id`
    const methods = Object.values(user?.payment_methods ?? {})
    const source = methods.find((method) => method.id === id)?.source
    const isFirst = source !== undefined && methods.find((method) => method.source === source)?.id === id
    return isFirst ? `Object.values(user.payment_methods).find((p) => p.source === ${literal(source)}).id` : literal(id)
  }

  const addressFrom = (input: Done['arguments']): string => {
    const address = Object.fromEntries(Object.entries(input).filter(([name]) => !name.endsWith('_id')))
    const isSame = (other: Order['address']) => other.zip === address.zip && other.address1 === address.address1
    if (user && isSame(user.address)) return '...user.address'
    const from = pool.find((order) => isSame(order.address) && request.includes(order.order_id))
    return from ? `...${orderVariable(from, [], '')}.address` : literal(address as Json).slice(2, -2)
  }

  const offers = (some: readonly Product[]): string =>
    `products${some.length < products.length ? `.filter((p) => ${literal(some.map(({ name }) => name))}.includes(p.name))` : ''}.map((p) => [p.name, ...Object.values(p.variants).filter((v) => v.available).map((v) => [v.item_id, v.price, ...Object.values(v.options)])])`

  return {
    /** What holds an answer, or what it can be computed of. */
    fact(answer: string): string {
      const counted = products.find(
        ({ variants }) => String(Object.values(variants).filter(({ available }) => available).length) === answer,
      )
      if (counted) return 'products.map((p) => [p.name, Object.values(p.variants).filter((v) => v.available).length])'
      for (const order of pool) {
        const item = order.items.find((each) => holds(copyOf(each), answer))
        const field = (['fulfillments', 'payment_history', 'address'] as const).find((name) =>
          holds(copyOf(order[name]), answer),
        )
        if (!item && !field) continue
        const o = orderVariable(order, order.items, order.status)
        return field ? `${o}.${field}` : itemOf(order, o, item!)
      }
      if (products.some((product) => holds(copyOf(product), answer))) return offers(products)
      const chosen = done.flatMap(({ arguments: { new_item_ids } }): readonly string[] => new_item_ids ?? [])
      const others = products.filter(({ variants }) => !chosen.some((id) => Object.hasOwn(variants, id)))
      return [
        'orders.map((o) => [o.order_id, o.status, o.items.map((i) => [i.name, i.price]), o.payment_history.map((p) => p.amount)])',
        ...(user && /gift card/i.test(request)
          ? ['Object.values(user.payment_methods).map((p) => [p.id, p.balance])']
          : []),
        ...(others.length > 0 ? [offers(others)] : []),
      ].join(', ')
    },
    lines: (): readonly string[] => [...(picks ? [pick] : []), ...set],
    call({ name, arguments: input, error }: Done): string {
      const order = db.orders[input.order_id ?? '']
      if (error !== undefined) return `tools.${name}(${literal(input as unknown as Json)}).catch((e) => e.message)`
      if (name === 'modify_user_address') return `tools.${name}({ user_id, ${addressFrom(input)} })`
      if (!order) return `tools.${name}(${literal(input as unknown as Json)})`
      const items = (input.item_ids ?? []).map((id: string) => order.items.find(({ item_id }) => item_id === id)!)
      const o = orderVariable(
        order,
        items.length > 0 ? items : order.items,
        name.includes('delivered') ? 'delivered' : 'pending',
      )
      const fields = [`order_id: ${o}.order_id`]
      if (input.reason) fields.push(`reason: ${literal(input.reason)}`)
      if (input.address1) fields.push(addressFrom(input))
      const isAll = items.length === order.items.length && !input.new_item_ids
      const found = isAll ? [] : items.map((item: OrderItem) => itemOf(order, o, item))
      const isEach = !isAll && new Set(found).size === found.length
      if (items.length > 0)
        fields.push(
          `item_ids: ${isAll ? `${o}.items.map((i) => i.item_id)` : isEach ? `[${found.map((each: string) => `${each}.item_id`).join(', ')}]` : literal(input.item_ids!)}`,
        )
      if (input.new_item_ids)
        fields.push(
          `new_item_ids: ${isEach ? `[${found.map((each: string, i: number) => variantFor(items[i]!, each, input.new_item_ids![i]!)).join(', ')}]` : literal(input.new_item_ids)}`,
        )
      if (input.payment_method_id) fields.push(`payment_method_id: ${methodFor(order, o, input.payment_method_id)}`)
      return `tools.${name}({ ${fields.join(', ')} })`
    },
  }
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]
