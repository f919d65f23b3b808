import type { JsonSchema } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { reads } from './retail.js'

const string: JsonSchema = { type: 'string' }
const number: JsonSchema = { type: 'number' }
const strings: JsonSchema = { type: 'array', items: string }
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const record = (additionalProperties: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties })
const object = (
  properties: Record<string, JsonSchema>,
  title: string,
  optional: Record<string, JsonSchema> = {},
): JsonSchema => ({
  type: 'object',
  title,
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

const address = object(
  { address1: string, address2: string, city: string, country: string, state: string, zip: string },
  'Address',
)
const variant = object(
  { item_id: string, options: record(string), available: { type: 'boolean' }, price: number },
  'Variant',
)
const payment = object(
  { transaction_type: { enum: ['payment', 'refund'] }, amount: number, payment_method_id: string },
  'Payment',
)
const method = object({ source: { enum: ['credit_card', 'paypal', 'gift_card'] }, id: string }, 'PaymentMethod', {
  balance: number,
  brand: string,
  last_four: string,
})

/** What the tools give, which the corpus says only as the name of a class. */
const outputs: Readonly<Record<string, JsonSchema>> = {
  str: string,
  Variant: variant,
  Product: object({ name: string, product_id: string, variants: record(variant) }, 'Product'),
  User: object(
    {
      user_id: string,
      name: object({ first_name: string, last_name: string }, 'Name'),
      address,
      email: string,
      payment_methods: record(method),
      orders: strings,
    },
    'User',
  ),
  Order: object(
    {
      order_id: string,
      user_id: string,
      address,
      items: list(
        object(
          { name: string, product_id: string, item_id: string, price: number, options: record(string) },
          'OrderItem',
        ),
      ),
      status: string,
      fulfillments: list(object({ tracking_id: strings, item_ids: strings }, 'Fulfillment')),
      payment_history: list(payment),
    },
    'Order',
    {
      cancel_reason: string,
      exchange_items: strings,
      exchange_new_items: strings,
      exchange_payment_method_id: string,
      exchange_price_difference: number,
      return_items: strings,
      return_payment_method_id: string,
    },
  ),
}

export interface DerivedTool {
  readonly domain: string
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly returns: string
}

/** The retail tools of the corpus, with schemas of what they give. */
export const retailTools = (derived: readonly DerivedTool[]): readonly ToolDefinition[] =>
  derived
    .filter(({ domain }) => domain === 'retail')
    .map(({ name, description, inputSchema, returns }) => ({
      name,
      description,
      input: inputSchema,
      output: outputs[returns]!,
      risk: name in reads ? 'read' : 'irreversible',
    }))
