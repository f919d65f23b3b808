import type { Json } from '../../src/core/json.js'

/** The database of tau2's retail domain. */
export interface Database {
  readonly products: Record<string, Product>
  readonly users: Record<string, User>
  readonly orders: Record<string, Order>
}
export interface Variant {
  readonly item_id: string
  readonly options: Record<string, string>
  readonly available: boolean
  readonly price: number
}
export interface Product {
  readonly name: string
  readonly product_id: string
  readonly variants: Record<string, Variant>
}
export interface Address {
  readonly address1: string
  readonly address2: string
  readonly city: string
  readonly country: string
  readonly state: string
  readonly zip: string
}
export interface PaymentMethod {
  readonly source: 'credit_card' | 'gift_card' | 'paypal'
  readonly id: string
  balance?: number
}
export interface User {
  readonly user_id: string
  readonly name: { readonly first_name: string; readonly last_name: string }
  address: Address
  readonly email: string
  readonly payment_methods: Record<string, PaymentMethod>
  readonly orders: string[]
}
export interface OrderItem {
  readonly name: string
  readonly product_id: string
  item_id: string
  price: number
  options: Record<string, string>
}
export interface Payment {
  readonly transaction_type: 'payment' | 'refund'
  readonly amount: number
  readonly payment_method_id: string
}
export interface Order {
  readonly order_id: string
  readonly user_id: string
  address: Address
  readonly items: OrderItem[]
  status: string
  readonly fulfillments: { readonly tracking_id: string[]; readonly item_ids: string[] }[]
  readonly payment_history: Payment[]
  cancel_reason?: string
  exchange_items?: string[]
  exchange_new_items?: string[]
  exchange_payment_method_id?: string
  exchange_price_difference?: number
  return_items?: string[]
  return_payment_method_id?: string
}

export type Input = Record<string, string & string[]>
export type Action = { readonly name: string; readonly arguments: Input }

/** What one of the shop's tools does. Throws an error for what it refuses; nothing is changed then. */
export type Tool = (db: Database, input: Input) => unknown

export const cents = (amount: number): number => Math.round(amount * 100) / 100

export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what} not found`)
  return value
}

const own = <Value>(record: Record<string, Value>, key: string, what: string): Value =>
  found(Object.hasOwn(record, key) ? record[key] : undefined, what)

export const orderOf = (db: Database, id: string): Order => own(db.orders, id, 'Order')
export const userOf = (db: Database, id: string): User => own(db.users, id, 'User')
export const productOf = (db: Database, id: string): Product => own(db.products, id, 'Product')
export const methodOf = (user: User, id: string): PaymentMethod => own(user.payment_methods, id, 'Payment method')

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const reads: Readonly<Record<string, Tool>> = {
  find_user_id_by_email: (db, { email }) =>
    found(
      Object.values(db.users).find((user) => same(user.email, email!)),
      'User',
    ).user_id,
  find_user_id_by_name_zip: (db, { first_name, last_name, zip }) =>
    found(
      Object.values(db.users).find(
        ({ name, address }) =>
          same(name.first_name, first_name!) && same(name.last_name, last_name!) && address.zip === zip,
      ),
      'User',
    ).user_id,
  get_user_details: (db, { user_id }) => userOf(db, user_id!),
  get_order_details: (db, { order_id }) => orderOf(db, order_id!),
  get_product_details: (db, { product_id }) => productOf(db, product_id!),
  get_item_details: (db, { item_id }) =>
    found(
      Object.values(db.products).find(({ variants }) => Object.hasOwn(variants, item_id!)),
      'Item',
    ).variants[item_id!],
  list_all_product_types: (db) =>
    JSON.stringify(Object.fromEntries(Object.values(db.products).map(({ name, product_id }) => [name, product_id]))),
  calculate: (_, { expression }) => String(cents(valueOf(expression!))),
}

/** The value of sums, differences, products and quotients in brackets. */
function valueOf(expression: string): number {
  const tokens = expression.match(/\d+(\.\d+)?|[-+*/()]/g) ?? []
  if (tokens.join('') !== expression.replaceAll(' ', '')) throw new Error('Invalid characters in expression')
  let at = 0
  const factor = (): number => {
    const token = tokens[at++]
    if (token === '-') return -factor()
    if (token !== '(') return Number(token)
    const value = sum()
    at++
    return value
  }
  const product = (): number => {
    let value = factor()
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * factor() : value / factor()
    return value
  }
  const sum = (): number => {
    let value = product()
    while (tokens[at] === '+' || tokens[at] === '-')
      value = tokens[at++] === '+' ? value + product() : value - product()
    return value
  }
  return sum()
}

export const copyOf = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json
