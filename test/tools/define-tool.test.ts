import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Json, JsonSchema } from '../../src/core/json.js'
import { parseValue } from '../../src/tools/parse-value.js'
import { defineTool, type Schema, type ToolContext } from '../../src/tools/tool.js'

const context: ToolContext = {
  signal: new AbortController().signal,
  runId: 'r',
  callId: '1.0',
  idempotencyKey: 'r/1.0',
}
const input: JsonSchema = { type: 'object', properties: { id: { type: 'string' } } }
const fields = { name: 'x', description: 'Does x', input, risk: 'read' as const, run: () => 1 }
const attempt = (wrong: object) => () => defineTool({ ...fields, ...wrong })

describe('defineTool()', () => {
  it('keeps the serialisable half apart from the functions', () => {
    const tool = defineTool({
      ...fields,
      risk: 'irreversible',
      run: () => 'done',
      output: { type: 'string' },
      check: () => 'allow',
      once: { idempotent: true, reconcile: () => ({ state: 'void' }) },
      limits: { timeout: 1000 },
    })
    expect(structuredClone(tool.definition)).toEqual({
      name: 'x',
      description: 'Does x',
      input,
      output: { type: 'string' },
      risk: 'irreversible',
      checked: true,
      idempotent: true,
      reconciles: true,
      timeout: 1000,
    })
    expect(defineTool(fields).definition).toEqual({ name: 'x', description: 'Does x', input, risk: 'read' })
  })

  it('calls the functions as methods of what was given', async () => {
    const given = { ...fields, factor: 3, run: () => 0 }
    const { factor, ...tool } = given
    const mine = { ...tool, run: (got: unknown, { callId }: ToolContext) => [got, callId, factor] }
    expect(await defineTool(mine).run({ id: 'a' }, context)).toEqual([{ id: 'a' }, '1.0', 3])
  })

  it('is not changed by what its author does to the schema later', () => {
    const mine = { type: 'object', properties: { a: {} as Json } }
    const tool = defineTool({ ...fields, input: mine as JsonSchema })
    mine.properties.a = false
    expect(tool.definition.input).toEqual({ type: 'object', properties: { a: {} } })
  })

  it.each<[object, string]>([
    [
      { risk: 'rd' },
      'Cannot define tool "x": "risk" must be one of read, reversible, irreversible, sensitive; it is "rd"',
    ],
    [{ risk: undefined }, '"risk" must be one of read, reversible, irreversible, sensitive; it is missing'],
    [{ name: '' }, '"name" must be 1 to 64 letters, digits, "_" or "-"; it is ""'],
    [{ name: 'a b' }, '"name" must be'],
    [{ name: 'a\n' }, '"name" must be'],
    [{ name: 'a'.repeat(65) }, '"name" must be'],
    [{ name: 1 }, '"name" must be 1 to 64 letters, digits, "_" or "-"; it is 1'],
    [{ name: 'run_script' }, 'Cannot define tool "run_script": that name is reserved'],
    [{ name: '__proto__' }, 'reserved'],
    [{ description: ' ' }, '"description" must be a text'],
    [{ description: undefined }, 'it is missing'],
    [{ run: undefined }, '"run" must be a function; it is undefined'],
    [{ check: true }, '"check" must be a function; it is boolean'],
    [{ once: { idempotent: 'yes' }, risk: 'sensitive' }, '"idempotent" must be true or false; it is "yes"'],
    [{ once: { reconcile: 1 }, risk: 'sensitive' }, '"once.reconcile" must be a function; it is number'],
    [
      { once: { reconcil: () => 1 }, risk: 'sensitive' },
      '"reconcil" is not a field in "once"; did you mean "reconcile"?',
    ],
    [{ once: { idempotent: true } }, '"once" is for writes; "risk" is "read"'],
    [{ once: true, risk: 'sensitive' }, '"once" must be an object'],
    [{ limits: { timeout: 0 } }, '"limits.timeout" must be a number of milliseconds from 1 to 2147483647; it is 0'],
    [{ limits: { timeout: 2 ** 31 } }, '"limits.timeout" must be'],
    [{ limits: { timeout: NaN } }, '"limits.timeout" must be'],
    [{ limits: { timeOut: 1 } }, '"timeOut" is not a field in "limits"; did you mean "timeout"?'],
    [{ execute: () => 1 }, '"execute" is not a field; there are name, description, input'],
    [{ inputs: input }, '"inputs" is not a field; did you mean "input"?'],
    [
      { input: undefined },
      '"input" cannot be used: it must be a JSON Schema object or a Standard Schema; it is undefined',
    ],
    [{ input: true }, '"input" cannot be used'],
    [{ input: [] }, '"input" cannot be used: it must be a JSON Schema object or a Standard Schema; it is an array'],
    [
      { input: { type: 'array' } },
      '"input" must be a schema of type "object", or "string" for one text; its type is "array"',
    ],
    [{ input: {} }, '"input" must be a schema of type "object", or "string" for one text; its type is missing'],
    [
      { input: z.number() },
      '"input" must be a schema of type "object", or "string" for one text; its type is "number"',
    ],
    [
      { input: z.object({ at: z.date() }) },
      '"input" cannot be used: its library, zod, gives no JSON Schema for it: Date cannot be represented',
    ],
    [
      { input: v.object({}) },
      'its library, valibot, gives no JSON Schema for it; wrap it with toStandardJsonSchema of @valibot/to-json-schema',
    ],
    [{ input: { type: 'object', default: 1n } }, '"input" cannot be used: it is not JSON'],
    [{ output: 'string' }, '"output" cannot be used'],
    [{ callers: 'script' }, '"callers" must be an array with some of model, script, program; it is "script"'],
    [{ callers: [] }, '"callers" must be an array with some of model, script, program; it is an array'],
    [{ callers: ['model', 'page'] }, '"callers" must be'],
    [{ deferred: 'yes' }, '"deferred" must be true or false; it is "yes"'],
    [{ strict: null }, '"strict" must be true or false; it is null'],
    [{ returnsFiles: 1 }, '"returnsFiles" must be true or false; it is 1'],
    [{ returnsTools: ['rate'] }, '"returnsTools" must be true or false; it is an array'],
    [{ namespace: 'Customers' }, '"namespace" must be a text about what stands before "__" in the name of the tool'],
    [{ namespace: ' ', name: 'crm__find' }, '"namespace" must be a text'],
    [{ namespace: 'Customers', name: '__find' }, '"namespace" must be a text'],
    [{ grammar: null }, '"grammar" must be an object'],
    [{ grammar: { syntax: 'regex', definition: 'a' } }, '"grammar" is for tools whose "input" is of type "string"'],
    [{ grammar: { syntax: 'gbnf', definition: 'a' }, input: { type: 'string' } }, '"grammar.syntax" must be "regex"'],
    [{ grammar: { syntax: 'lark', definition: '' }, input: { type: 'string' } }, '"grammar.definition" must be a text'],
    [{ grammar: { syntax: 'lark', start: 'a' }, input: { type: 'string' } }, '"start" is not a field in "grammar"'],
    [{ defered: true }, '"defered" is not a field; did you mean "deferred"?'],
  ])('refuses %o', (wrong, says) => {
    expect(attempt(wrong)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
    expect(attempt(wrong)).toThrow(says)
  })

  it('refuses what is no object at all', () => {
    expect(() => defineTool(null as never)).toThrow('Cannot define tool missing: it must be an object')
  })
})

const libraries: readonly [string, Schema][] = [
  [
    'zod',
    z.object({
      id: z.string().refine((id) => id.startsWith('O-'), 'must begin with O-'),
      count: z.number().default(1),
    }),
  ],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({ id: v.pipe(v.string(), v.regex(/^O-/, 'must begin with O-')), count: v.optional(v.number(), 1) }),
    ),
  ],
  ['arktype', type({ id: 'string & /^O-/', count: 'number = 1' })],
]

describe.each(libraries)('a schema of %s', (_, schema) => {
  const tool = defineTool({ ...fields, input: schema })

  it('becomes JSON Schema for model and gate', () => {
    expect(tool.definition.input).toMatchObject({
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' } },
    })
    expect(structuredClone(tool.definition)).toEqual(tool.definition)
  })

  it('is asked on the page, since it may know more than JSON Schema says', async () => {
    expect(tool.definition.checked).toBe(true)
    const parsed = await parseValue(tool.input, { id: 'X-1' })
    expect(parsed).toEqual({ faults: [{ path: '/id', keyword: 'refinement', message: expect.stringMatching(/O-/) }] })
  })

  it('fills defaults for the functions', async () => {
    expect(await parseValue(tool.input, { id: 'O-1' })).toEqual({ value: { id: 'O-1', count: 1 } })
  })
})
