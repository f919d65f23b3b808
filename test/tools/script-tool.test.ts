import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json, JsonSchema } from '../../src/core/json.js'
import { defaultLimits } from '../../src/core/script-limits.js'
import type { Risk, ToolDefinition } from '../../src/core/tool-definition.js'
import { checkScript } from '../../src/sandbox/check/check-script.js'
import { parseScript } from '../../src/sandbox/check/tree.js'
import { scriptToolDefinition } from '../../src/tools/script-tool.js'
import { createToolSearch } from '../../src/tools/search.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'

const corpus = process.env.HANDRAIL_CORPUS ?? '../shared/data'

const define = (name: string, risk: Risk, input: JsonSchema, output?: JsonSchema): ToolDefinition => ({
  name,
  description: `Does ${name}`,
  input,
  risk,
  ...(output && { output }),
})
const string = { type: 'string' }
const object = (properties: JsonSchema, ...required: string[]): JsonSchema => ({ type: 'object', properties, required })
const many = (n: number, name: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => define(name(i), i % 2 ? 'read' : 'reversible', object({ id: string }, 'id')))

const order = object({ order_id: string, item: string, total: { type: 'number' }, place: string }, 'order_id')
const pay = define('pay', 'sensitive', object({ amount: { type: 'number' } }))
const search = define(
  'search_orders',
  'read',
  object({ query: string, limit: { type: 'integer' } }, 'query'),
  object({ orders: { type: 'array', items: order } }),
)
const get = define('get_order', 'read', object({ order_id: string }, 'order_id'), order)

const describes = (tools: readonly ToolDefinition[], options = {}) => scriptToolDefinition(tools, options).description
const example = (...tools: ToolDefinition[]) => describes(tools).split('For example:\n')[1]

describe('scriptToolDefinition()', () => {
  it('declares every tool, and marks those that may ask a person', () => {
    const text = describes([pay, search])
    expect(text).toContain('\n  pay(input?: { amount?: number }): Promise<unknown> // asks\n')
    expect(text).toContain('\n  search_orders(input: { query: string; limit?: number }): Promise<{ orders?: {')
    expect(text).toContain('A tool marked "asks"')
    expect(describes([search])).not.toContain('asks')
  })

  it('gives the same bytes for the same tools', () => {
    const tools = [pay, search, get]
    expect(JSON.stringify(scriptToolDefinition(structuredClone(tools)))).toBe(
      JSON.stringify(scriptToolDefinition(tools)),
    )
  })

  it('does not repeat what the tools are for: the model has them in its list', () => {
    expect(describes([pay, search])).not.toContain('Does pay')
  })

  it('tells the limits that a script has', () => {
    const limits = { ...defaultLimits, calls: 12_345, cpuMs: 1_500 }
    expect(describes([pay], { limits })).toMatch(/12,345 calls, 1\.5 s of computing .* 8,000 of what it prints/)
  })

  it('gives names in place of types when they are too much, and how to get the types', () => {
    const text = describes([...many(300, (i) => `shop__do_${i}`), define('a-b', 'read', object({}))])
    expect(text).toMatch(/\ntools\.shop: do_0\*, do_1, do_2\*.*\ntools: "a-b"\n/)
    expect(text).toContain('describe(name) tells what one takes and gives, * asks')
    expect(text).not.toContain('declare const')
  })

  it('says only how many tools there are when names are too much as well, and how to find them', () => {
    const text = describes([...many(2_000, (i) => `shop__do_what_is_asked_${i}`), ...many(3, (i) => `own_${i}`)])
    expect(text).toContain(
      'There are 2,003 tools, among them tools.shop (2000). Find those for a task first: return await search(',
    )
    expect(text).not.toContain('do_what_is_asked_7')
    expect(text.length).toBeLessThan(3_000)
  })

  it('writes types as deep as all of them fit', () => {
    const deep = (name: string) =>
      object({ lines: { type: 'array', items: object({ a: object({ [name]: string }) }) } })
    const wide = (n: number) =>
      Array.from({ length: n }, (_, i) => {
        const fields = Array.from({ length: 9 }, (__, j) => [`field_${i}_${j}`, deep(`b_${i}_${j}`)])
        return define(`get_${i}`, 'read', object({}), object(Object.fromEntries(fields)))
      })
    expect(describes(wide(3))).toContain('field_2_8?: { lines?: { a?: { b_2_8?: string } }[] }')
    expect(describes(wide(40))).toContain('field_39_8?: object')
    expect(describes(wide(40)).length).toBeLessThan(20_000)
  })

  it('declares as it is told to', () => {
    expect(describes([search], { declare: 'names' })).toContain('\ntools: search_orders\n')
    expect(describes([search], { declare: 'search' })).toContain('There are 1 tools. Find')
    expect(
      describes(
        many(700, (i) => `do_${i}`),
        { declare: 'all' },
      ),
    ).toContain('\n  do_699(input: { id: string })')
  })

  it('tells of deferred tools only how many there are, in whatever way it tells of the others', () => {
    const text = describes([search, { ...get, deferred: true }, { ...pay, deferred: true }])
    expect(text).toContain('search_orders(')
    expect(text).not.toMatch(/get_order|\bpay\b/)
    expect(text).toContain('There are 2 more: find them by search(query).')
    expect(describes([{ ...get, deferred: true }])).toContain('There are 1 tools')
    const some = many(700, (i) => `do_${i}`).map((tool, i) => (i < 690 ? { ...tool, deferred: true } : tool))
    expect(describes(some)).toMatch(/do_699[^]*There are 690 more/)
  })

  it('says that there are no tools', () => {
    expect(describes([])).toContain('no tools')
  })
})

describe('the example', () => {
  it('gives one read what another one found, as their schemas say', () => {
    expect(example(pay, get, search)).toBe(`const found = await tools.search_orders({ query: "..." })
const details = await Promise.all(found.orders.map((each) => tools.get_order({ order_id: each.order_id })))
return details.map((each) => ({ item: each.item, total: each.total }))`)
  })

  it('follows references to find it, and takes a list that is the whole output', () => {
    const orders = { type: 'array', items: { $ref: '#/$defs/o' }, $defs: { o: object({ 'order-id': string }) } }
    const one = define('shop__get', 'read', {
      ...object({ 'order-id': { $ref: '#/$defs/id' } }, 'order-id'),
      $defs: { id: string },
    })
    expect(example(define('shop__list', 'read', object({}), orders), one)).toBe(`const found = await tools.shop.list()
const details = await Promise.all(found.map((each) => tools.shop.get({ "order-id": each["order-id"] })))
return details`)
  })

  it('passes one value on when there is no list', () => {
    const last = define('last', 'read', object({}), object({ order_id: string }))
    expect(example(get, last)).toBe(`const found = await tools.last()
const details = await tools.get_order({ order_id: found.order_id })
return { item: details.item, total: details.total }`)
  })

  it('links nothing that only looks alike: another type, another name, a write', () => {
    const others = [
      define('numbers', 'read', object({}), object({ order_id: { type: 'number' } })),
      define('names', 'read', object({}), object({ orderId: string })),
      define('make', 'reversible', object({}), object({ order_id: string })),
    ]
    expect(example(...others, get)).toBe('const found = await tools.numbers()\nreturn found')
  })

  it('shows no write', () => {
    expect(describes([pay])).not.toContain('For example')
  })

  it('has values that the schema allows', () => {
    const input = object({
      a: { enum: ['x', 'y'] },
      b: { const: 2 },
      c: { type: 'array', items: string },
      d: { type: 'integer', minimum: 5 },
      e: object({ id: string, more: string }, 'id'),
      f: { type: ['null', 'string'] },
      g: { type: 'boolean', default: false },
      h: { $ref: '#/$defs/h' },
    })
    const required = [...Object.keys(input.properties as JsonSchema), 'missing', 'constructor']
    expect(example(define('x', 'read', { ...input, required, $defs: { h: { const: 'h' } } }))).toContain(
      'tools.x({ a: "x", b: 2, c: ["..."], d: 5, e: { id: "..." }, f: null, g: false, h: "h" })',
    )
  })

  it('passes the check before the start and runs to its end, fed with what the schemas say', async () => {
    const tools = [search, get]
    const options = { ...optionsFor(tools), code: example(...tools)! }
    const tree = parseScript(options)
    expect(tree && checkScript(tree, options)).toBeUndefined()
    const found: Json = { orders: [{ order_id: 'o1' }, { order_id: 'o2' }] }
    const script = createIsolateSandbox().start(options)
    const first = await script.start(0)
    expect(first.calls).toEqual([{ n: 0, toolName: 'search_orders', input: { query: '...' }, line: 1 }])
    await script.resume({ n: 0, at: 1, result: { status: 'ok', value: found } })
    await script.resume({ n: 1, at: 2, result: { status: 'ok', value: { item: 'Lamp', total: 5, place: 'x' } } })
    const last = await script.resume({ n: 2, at: 3, result: { status: 'ok', value: { item: 'Mug', total: 7 } } })
    expect(last.outcome).toEqual({
      status: 'ok',
      value: [
        { item: 'Lamp', total: 5 },
        { item: 'Mug', total: 7 },
      ],
    })
  })

  it.skipIf(!existsSync(`${corpus}/4-tools`))('passes the check for every server in use', () => {
    const servers = new Map<string, ToolDefinition[]>()
    for (const line of readFileSync(`${corpus}/4-tools/mcp-tools.jsonl`, 'utf8').trim().split('\n')) {
      const { source, server, name, inputSchema, outputSchema } = JSON.parse(line)
      const id = `${source}/${server}`
      const tool = define(name, 'read', inputSchema ?? { type: 'object' }, outputSchema)
      if (!servers.get(id)?.some((other) => other.name === name)) servers.set(id, [...(servers.get(id) ?? []), tool])
    }
    const faults = [...servers].flatMap(([id, tools]) => {
      const options = { ...optionsFor(tools), code: example(...tools)! }
      const tree = parseScript(options)
      const fault = tree ? checkScript(tree, options) : { message: 'it does not parse' }
      return fault ? [`${id}: ${fault.message}\n${options.code}`] : []
    })
    expect(servers.size).toBeGreaterThan(100)
    expect(faults).toEqual([])
  })
})

const optionsFor = (tools: readonly ToolDefinition[]) => ({
  engine: createIsolateSandbox().engine,
  tools: tools.map(({ name }) => name),
  definitions: tools,
  seed: 1,
  locale: 'en',
  timeZone: 'UTC',
  state: {},
  limits: defaultLimits,
})

describe('a schema that is not meant well', () => {
  const range = (n: number) => Array.from({ length: n }, (_, i) => i)
  const values: readonly JsonSchema[] = [
    { type: 'object', default: { text: 'x'.repeat(100_000) } },
    { type: 'string', default: 'x'.repeat(100_000) },
    { enum: ['x'.repeat(100_000)] },
    { const: 'x'.repeat(100_000) },
    { type: 'string', examples: ['x'.repeat(100_000)] },
  ]
  it.each(values)('cannot put a long value into the example: %#', (schema) => {
    expect(describes([define('get', 'read', object({ value: schema }, 'value'))]).length).toBeLessThan(3_000)
  })

  it('cannot fill the example with its fields', () => {
    const names = Array.from({ length: 500 }, (_, i) => `field_${i}`)
    const wide = define('wide', 'read', object(Object.fromEntries(names.map((name) => [name, string])), ...names))
    expect(describes([wide]).length).toBeLessThan(3_000)
    expect(example(wide, get)).toContain('get_order')
  })

  const levels = (width: number, height: number): JsonSchema => {
    const level = (n: number) =>
      n === height ? string : object(Object.fromEntries(range(width).map((i) => [`f${i}`, { $ref: `#/$defs/L${n}` }])))
    return {
      ...object({ root: { $ref: '#/$defs/L0' } }),
      $defs: Object.fromEntries(range(height).map((n) => [`L${n}`, level(n + 1)])),
    }
  }
  const doubling = (key: string): JsonSchema => ({
    ...object({ root: { $ref: '#/$defs/L0' } }),
    $defs: Object.fromEntries(
      range(40).map((n) => [
        `L${n}`,
        n === 39 ? string : { [key]: [{ $ref: `#/$defs/L${n + 1}` }, { $ref: `#/$defs/L${n + 1}` }] },
      ]),
    ),
  })
  const knot: JsonSchema = {
    ...object({ root: { $ref: '#/$defs/L0' } }),
    $defs: Object.fromEntries(
      range(30).map((n) => [
        `L${n}`,
        object(Object.fromEntries(range(30).map((i) => [`f${i}`, { $ref: `#/$defs/L${i}` }]))),
      ]),
    ),
  }
  it.each([
    ['types of types of types', levels(12, 8)],
    ['a type that is all of two', doubling('allOf')],
    ['a type that is one of two', doubling('anyOf')],
    ['types that all hold each other', knot],
  ])('cannot hold its description up: %s', (_, input) => {
    const tools = [define('get', 'read', input, input)]
    const from = performance.now()
    expect(describes(tools).length).toBeLessThan(5_000)
    const found = createToolSearch(tools).describe('get')
    expect(found.declaration).toContain('get(')
    expect(performance.now() - from).toBeLessThan(20_000)
  })
})
