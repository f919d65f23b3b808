import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { JsonSchema } from '../../src/core/json.js'
import { defineTool } from '../../src/tools/tool.js'
import { toOffered } from '../../src/tools/offered-definition.js'

const input = {
  type: 'object',
  properties: {
    order: { type: 'string' },
    customer: { type: 'string' },
    lines: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
  },
  required: ['order', 'customer'],
  additionalProperties: false,
} as const
const fields = { name: 'x', description: 'Does x', input, risk: 'irreversible' as const, run: () => 1 }
const attempt = (wrong: object) => () => defineTool({ ...fields, ...wrong } as never)

describe('declarations on a tool', () => {
  it('cross to the worker as data, and leave their functions on the page', () => {
    const tool = defineTool({
      ...fields,
      output: { type: 'object', properties: { token: { type: 'number' } } },
      hostInput: { customer: () => 'C-1' },
      from: { '/order': 'user', '/lines/*/id': ['app', 'search_orders:/*/id'] },
      secret: { output: ['/token'] },
      approval: { needed: ({ order }) => order !== 'O-1', preview: ({ order }) => order, expires: 1000 },
      once: { idempotent: true, repeat: 'deny', locks: ({ order }) => [order] },
      limits: { timeout: 5, retries: 2, output: 100 },
      trust: { output: true, safe: true, openWorld: false },
      onFailure: { mayTryAnother: false, tellPerson: true },
    })
    expect(structuredClone(tool.definition)).toEqual({
      name: 'x',
      description: 'Does x',
      risk: 'irreversible',
      input,
      output: { type: 'object', properties: { token: expect.objectContaining({ type: 'string' }) } },
      checked: true,
      hostInput: ['customer'],
      from: { '/order': ['user'], '/lines/*/id': ['app', 'search_orders:/*/id'] },
      secret: { output: ['/token'] },
      approval: { expires: 1000, previews: true },
      idempotent: true,
      repeat: 'deny',
      timeout: 5,
      retries: 2,
      largestOutput: 100,
      trusted: true,
      safe: true,
      openWorld: false,
      onFailure: { mayTryAnother: false, tellPerson: true },
    })
    const context = { signal: new AbortController().signal, session: 's', runId: 'r', callId: '1.0' }
    const given = { order: 'O-2', customer: 'C-1' }
    expect(tool.needed!(given, context)).toBe(true)
    expect(tool.preview!(given, context)).toBe('O-2')
    expect(tool.locks!(given)).toEqual(['O-2'])
    expect(tool.hostInput!.customer!(context)).toBe('C-1')
  })

  it('is not asked before a start where nothing of it is a function', () => {
    expect(defineTool({ ...fields, approval: { needed: true } }).definition).toMatchObject({
      approval: { needed: true },
    })
    expect(defineTool({ ...fields, approval: { needed: true } }).definition.checked).toBeUndefined()
    expect(defineTool({ ...fields, hostInput: { customer: () => 'C-1' } }).definition.checked).toBe(true)
  })

  it('are told to a model without the fields that the app fills', () => {
    const { definition } = defineTool({ ...fields, hostInput: { customer: () => 'C-1' } })
    const { customer: _, ...properties } = input.properties
    expect(toOffered(definition).input).toEqual({ ...input, properties, required: ['order'] })
    expect(definition.input).toEqual(input)
  })

  it.each<[object, string]>([
    [{ hostInput: { customr: () => 1 } }, '"hostInput" names "customr", which is no field of "input"'],
    [{ hostInput: { customer: 'C-1' } }, '"hostInput.customer" must be a function; it is string'],
    [{ hostInput: [] }, '"hostInput" must be an object'],
    [
      { hostInput: { customer: () => 1 }, input: { ...input, if: { properties: { customer: { const: 'x' } } } } },
      'cannot be taken out of "input": if depends on it',
    ],
    [
      { hostInput: { customer: () => 1 }, input: { ...input, minProperties: 2 } },
      'cannot be taken out of "input": minProperties or maxProperties depends on it',
    ],
    [{ from: { order: 'user' } }, '"from" has "order", which is no path: it must be empty, or begin with "/"'],
    [{ from: { '/orders': 'user' } }, '"from" has "/orders", and the schema has nothing there'],
    [{ from: { '/order': 'model' } }, '"from" of "/order" has "model": expected "user", "app", or TOOL:PATH'],
    [{ from: { '/order': [] } }, 'must be an array of "user", "app" or TOOL:PATH'],
    [{ from: { '/order': 'find:id' } }, 'whose path must be empty, or begin with "/"'],
    [{ from: 'user' }, '"from" must be an object'],
    [{ secret: { input: ['/none'] } }, '"secret.input" has "/none", and the schema has nothing there'],
    [
      { input: { type: 'object' }, secret: { input: ['/none'] } },
      '"secret.input" has "/none", and the schema has nothing there',
    ],
    [
      { output: { type: 'object', additionalProperties: true }, secret: { output: ['/none'] } },
      '"secret.output" has "/none", and the schema has nothing there',
    ],
    [
      {
        output: {
          type: 'object',
          properties: { user: { $ref: '#/$defs/user' } },
          $defs: { user: { type: 'object', properties: { token: { type: 'string' } } } },
        },
        secret: { output: ['/user/token'] },
      },
      'nothing there ("$ref" is not followed)',
    ],
    [{ secret: { input: '/order' } }, '"secret.input" must be an array of paths; it is "/order"'],
    [{ secret: { in: ['/order'] } }, '"in" is not a field in "secret"; there are input, output'],
    [{ approval: { needed: 'yes' } }, '"approval.needed" must be a function or boolean; it is string'],
    [{ approval: { preview: true } }, '"approval.preview" must be a function; it is boolean'],
    [{ approval: { expires: 0 } }, '"approval.expires" must be a whole number of milliseconds; it is 0'],
    [{ approval: { expire: 1 } }, '"expire" is not a field in "approval"; did you mean "expires"?'],
    [{ once: { repeat: 'never' } }, '"once.repeat" must be ask, allow or deny; it is "never"'],
    [{ once: { locks: 'x' } }, '"once.locks" must be an array of names, or a function; it is "x"'],
    [{ risk: 'read', once: { repeat: 'ask' } }, '"once" is for writes; "risk" is "read"'],
    [{ limits: { retries: 1 } }, '"limits.retries" of a write needs "once.idempotent"'],
    [{ risk: 'read', limits: { retries: 1.5 } }, '"limits.retries" must be a whole number from 0 to 10; it is 1.5'],
    [{ risk: 'read', limits: { retries: 11 } }, '"limits.retries" must be'],
    [{ limits: { output: 0 } }, '"limits.output" must be a number of bytes from 1 to 16777216; it is 0'],
    [{ trust: { output: 1 } }, '"trust.output" must be true or false; it is 1'],
    [{ trust: { trusted: true } }, '"trusted" is not a field in "trust"'],
    [{ trust: true }, '"trust" must be an object'],
    [{ onFailure: { tellPerson: 'x' } }, '"onFailure.tellPerson" must be true or false; it is "x"'],
    [{ onFailure: () => 1 }, '"onFailure" must be an object'],
  ])('refuses %o', (wrong, says) => {
    expect(attempt(wrong)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
    expect(attempt(wrong)).toThrow(says)
  })

  it('finds a path in every branch of a schema, as libraries write them', () => {
    const nullable = z.object({ card: z.object({ number: z.string() }).nullable(), tags: z.array(z.string()) })
    const tool = defineTool({ ...fields, input: nullable, secret: { input: ['/card/number', '/tags/*'] } })
    const { properties } = tool.definition.input as { properties: Record<string, JsonSchema> }
    expect(JSON.stringify(properties.card)).toContain('An opaque reference')
    expect(properties.tags).toMatchObject({
      items: { type: 'string', description: expect.stringContaining('reference') },
    })
  })
})
