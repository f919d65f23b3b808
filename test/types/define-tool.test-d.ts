import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { Json, JsonObject, JsonSchema } from '../../src/core/json.js'
import { defineTool, type Tool, type ToolContext } from '../../src/tools/tool.js'

const base = { name: 'x', description: 'x', risk: 'read' } as const
const none = { type: 'object' } as const

describe('defineTool() infers', () => {
  it('the input from a JSON Schema that is written out', () => {
    defineTool({
      ...base,
      input: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          count: { type: 'integer' },
          size: { enum: ['s', 'm'] },
          tags: { type: 'array', items: { type: 'string' } },
          note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
          any: {},
        },
        required: ['id', 'size'],
      },
      run(input, context) {
        expectTypeOf(input.id).toEqualTypeOf<string>()
        expectTypeOf(input.count).toEqualTypeOf<number | undefined>()
        expectTypeOf(input.size).toEqualTypeOf<'s' | 'm'>()
        expectTypeOf(input.tags).toEqualTypeOf<readonly string[] | undefined>()
        expectTypeOf(input.note).toEqualTypeOf<string | null | undefined>()
        expectTypeOf(input.at?.x).toEqualTypeOf<number | undefined>()
        expectTypeOf(input.any).toEqualTypeOf<Json | undefined>()
        expectTypeOf(context).toEqualTypeOf<ToolContext>()
        // @ts-expect-error -- there is no such property
        void input.missing
      },
    })
  })

  it('a text from a schema of one', () => {
    defineTool({
      ...base,
      input: { type: 'string', minLength: 1 },
      grammar: { syntax: 'regex', definition: '[a-z]+' },
      run: (text) => void expectTypeOf(text).toEqualTypeOf<string>(),
      check: (text) => void expectTypeOf(text).toEqualTypeOf<string>(),
    })
    defineTool({ ...base, input: z.string(), run: (text) => void expectTypeOf(text).toEqualTypeOf<string>() })
    // @ts-expect-error -- there is no such syntax
    defineTool({ ...base, input: { type: 'string' }, grammar: { syntax: 'peg', definition: 'x' }, run: () => 1 })
  })

  it('an object from a JSON Schema that is not known before', () => {
    const input = {} as JsonSchema
    defineTool({ ...base, input, run: (given) => void expectTypeOf(given).toEqualTypeOf<JsonObject>() })
    defineTool({
      ...base,
      input: { type: 'object' },
      run: (given) => void expectTypeOf(given).toEqualTypeOf<JsonObject>(),
    })
  })

  it('what Zod parses', () => {
    defineTool({
      ...base,
      input: z.object({ id: z.string(), count: z.string().transform(Number), page: z.number().default(1) }),
      run: (input) => void expectTypeOf(input).toEqualTypeOf<{ id: string; count: number; page: number }>(),
      check: (input) => void expectTypeOf(input.count).toEqualTypeOf<number>(),
    })
  })

  it('what Valibot parses', () => {
    const schema = toStandardJsonSchema(v.object({ id: v.string(), count: v.optional(v.number(), 1) }))
    defineTool({
      ...base,
      input: schema,
      run: (input) => void expectTypeOf(input).toEqualTypeOf<{ id: string; count: number }>(),
    })
  })

  it('what ArkType parses', () => {
    const schema = type({ id: 'string', 'count?': 'number' })
    defineTool({
      ...base,
      input: schema,
      run: (input) => void expectTypeOf(input).toEqualTypeOf<{ id: string; count?: number }>(),
    })
  })

  it('the input of check and reconcile', () => {
    defineTool({
      ...base,
      risk: 'irreversible',
      input: z.object({ id: z.string() }),
      run: () => 1,
      check: ({ id }) => (id === '' ? { deny: 'It is empty.' } : undefined),
      once: {
        reconcile: ({ idempotencyKey, input }) => {
          expectTypeOf(idempotencyKey).toEqualTypeOf<string>()
          expectTypeOf(input).toEqualTypeOf<{ id: string }>()
          return { state: 'done', output: 1 }
        },
      },
    })
  })
})

describe('defineTool() wants', () => {
  it('a risk', () => {
    // @ts-expect-error -- risk is missing
    defineTool({ name: 'x', description: 'x', input: none, run: () => 1 })
    // @ts-expect-error -- there is no such risk
    defineTool({ ...base, risk: 'write', input: none, run: () => 1 })
  })

  it('an output of the declared shape', () => {
    defineTool({
      ...base,
      input: none,
      output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      run: () => ({ n: 1 }),
    })
    defineTool({ ...base, input: none, output: z.array(z.string()), run: async () => ['a'] })
    // @ts-expect-error -- the output must be a list of texts
    defineTool({ ...base, input: none, output: z.array(z.string()), run: () => [1] })
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    // @ts-expect-error -- n must be a number
    defineTool({ ...base, input: none, output, run: () => ({ n: 'a' }) })
  })

  it('an answer of the check that is one', () => {
    // @ts-expect-error -- a boolean says nothing of why
    defineTool({ ...base, input: none, run: () => 1, check: () => false })
  })
})

describe('what a tool declares', () => {
  const input = {
    type: 'object',
    properties: { id: { type: 'string' }, owner: { type: 'number' } },
    required: ['id', 'owner'],
  } as const
  const write = { name: 'x', description: 'x', risk: 'irreversible', input, run: () => 1 } as const

  it('fills only fields of the input, with what fits them', () => {
    defineTool({ ...write, hostInput: { owner: ({ session, callId }) => session.length + callId.length } })
    defineTool({ ...write, hostInput: { owner: async () => 1 } })
    // @ts-expect-error -- it must be a number
    defineTool({ ...write, hostInput: { owner: () => 'ada' } })
  })

  it('gives its functions the input, and takes only answers from them', () => {
    defineTool({
      ...write,
      approval: {
        needed: ({ owner }, { session, signal }) => {
          expectTypeOf(owner).toEqualTypeOf<number>()
          expectTypeOf(session).toEqualTypeOf<string>()
          return signal.aborted || 'Why'
        },
        preview: ({ id }) => void expectTypeOf(id).toEqualTypeOf<string>(),
      },
      once: { locks: ({ id }) => [id], repeat: 'deny' },
    })
    // @ts-expect-error -- a number says nothing
    defineTool({ ...write, approval: { needed: () => 1 } })
    // @ts-expect-error -- names are texts
    defineTool({ ...write, once: { locks: ({ owner }) => [owner] } })
    // @ts-expect-error -- there is no such rule
    defineTool({ ...write, once: { repeat: 'never' } })
  })
})

describe('a tool', () => {
  it('goes into a list with tools of other inputs', () => {
    const list: readonly Tool[] = [
      defineTool({ ...base, input: z.object({ a: z.string() }), run: () => 1 }),
      defineTool({ ...base, input: none, run: () => 1 }),
    ]
    expectTypeOf(list).toEqualTypeOf<readonly Tool[]>()
  })
})
