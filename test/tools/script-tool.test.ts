import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/core/json.js'
import type { Risk, ToolDefinition } from '../../src/core/tool-definition.js'
import { signature } from '../../src/tools/declarations.js'
import { scriptToolDefinition } from '../../src/tools/script-tool.js'

const define = (name: string, risk: Risk, input: JsonSchema, output?: JsonSchema): ToolDefinition => ({
  name,
  description: name,
  input,
  risk,
  ...(output && { output }),
})
const string = { type: 'string' }
const order = { type: 'object', properties: { id: string, total: { type: 'number' } }, required: ['id'] }
const tools = [
  define('pay', 'sensitive', { type: 'object', properties: { amount: { type: 'number' } } }),
  define(
    'search_orders',
    'read',
    { type: 'object', properties: { query: string, limit: { type: 'integer' } }, required: ['query'] },
    { type: 'array', items: order },
  ),
]

describe('scriptToolDefinition()', () => {
  it('lists every tool in one line, and shows a read that a model may copy', () => {
    const { description } = scriptToolDefinition(tools)
    expect(description).toContain('\ntools.pay(input: { amount?: number }): Promise<unknown>\n')
    expect(description).toContain(
      '\ntools.search_orders(input: { query: string; limit?: number }): Promise<{ id: string; total?: number }[]>',
    )
    expect(description).toContain('const result = await tools.search_orders({"query":"..."})')
  })

  it('gives the same bytes for the same tools', () => {
    expect(JSON.stringify(scriptToolDefinition(structuredClone(tools)))).toBe(
      JSON.stringify(scriptToolDefinition(tools)),
    )
  })

  it('shows no example that writes', () => {
    expect(scriptToolDefinition([tools[0]!]).description).not.toContain('For example')
    expect(scriptToolDefinition([]).description).toContain('no tools')
  })

  it('fills the example with values that the schema allows', () => {
    const input: JsonSchema = {
      type: 'object',
      properties: {
        a: { enum: ['x', 'y'] },
        b: { const: 2 },
        c: { type: 'array', items: string },
        d: { type: 'integer', minimum: 5 },
        e: order,
        f: { type: ['null', 'string'] },
        g: { type: 'boolean', default: false },
      },
      required: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'missing', 'constructor'],
    }
    expect(scriptToolDefinition([define('x', 'read', input)]).description).toContain(
      'tools.x({"a":"x","b":2,"c":["..."],"d":5,"e":{"id":"..."},"f":null,"g":false})',
    )
  })
})

describe('signature()', () => {
  const ofInput = (properties: JsonSchema, more: JsonSchema = {}) =>
    signature(define('x', 'read', { type: 'object', properties, ...more })).slice(
      'tools.x(input: '.length,
      -'): Promise<unknown>'.length,
    )

  it.each<[string, JsonSchema, string]>([
    ['literals', { a: { enum: ['b', 1, null] }, c: { const: 'd' } }, '{ a?: "b" | 1 | null; c?: "d" }'],
    [
      'unions',
      { a: { anyOf: [string, { type: 'null' }] }, b: { type: ['integer', 'string'] } },
      '{ a?: string | null; b?: number | string }',
    ],
    ['arrays of unions', { a: { type: 'array', items: { type: ['string', 'null'] } } }, '{ a?: (string | null)[] }'],
    ['names that need quotes', { 'a-b': string, 'c"\n': string }, '{ "a-b"?: string; "c\\"\\n"?: string }'],
    ['records', { a: { type: 'object', additionalProperties: string } }, '{ a?: Record<string, string> }'],
    ['what is not said', { a: {}, b: true }, '{ a?: unknown; b?: unknown }'],
  ])('writes %s', (_, properties, expected) => {
    expect(ofInput(properties)).toBe(expected)
  })

  it('follows references and ends cycles', () => {
    const line = ofInput(
      { node: { $ref: '#/$defs/n' }, no: { $ref: '#/constructor' } },
      { $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } },
    )
    expect(line).toBe('{ node?: { next?: object }; no?: unknown }')
  })

  it('quotes a name that is no identifier', () => {
    expect(signature(define('a-b', 'read', { type: 'object' }))).toBe('tools["a-b"](input: object): Promise<unknown>')
  })

  it('gives depth up before it is too long, and is one line whatever the schema', () => {
    const wide = (depth: number): JsonSchema =>
      depth === 0
        ? string
        : {
            type: 'object',
            properties: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, wide(depth - 1)])),
          }
    const line = signature(define('x', 'read', wide(3)))
    expect(line.length).toBeLessThan(961)
    expect(line).toContain('p8?: object')
    const huge = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}\n`, string])),
    }
    expect(signature(define('x', 'read', huge))).toBe('tools.x(input: object): Promise<unknown>')
  })
})
