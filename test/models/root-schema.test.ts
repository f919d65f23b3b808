import { expect, it } from 'vitest'
import type { JsonSchema } from '../../src/core/json.js'
import { toRootSchema } from '../../src/models/root-schema.js'

const plain = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

it('toRootSchema() leaves a schema of an object as it is', () => {
  expect(toRootSchema(plain)).toBe(plain)
})

it('toRootSchema() says that a schema without a type is of an object', () => {
  expect(toRootSchema({ $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {},
    required: [],
  })
})

it('toRootSchema() offers the properties of all alternatives, and requires what they have in common', () => {
  const schema: JsonSchema = {
    description: 'One of two',
    oneOf: [
      { type: 'object', properties: { kind: { const: 'a' }, id: { type: 'string' } }, required: ['kind', 'id'] },
      { type: 'object', properties: { kind: { const: 'b' }, name: { type: 'string' } }, required: ['kind', 'name'] },
      { type: 'object', properties: { kind: { const: 'c' } }, required: ['kind'] },
    ],
  }
  expect(toRootSchema(schema)).toEqual({
    description: 'One of two',
    type: 'object',
    properties: {
      kind: { anyOf: [{ const: 'a' }, { const: 'b' }, { const: 'c' }] },
      id: { type: 'string' },
      name: { type: 'string' },
    },
    required: ['kind'],
  })
})

it('toRootSchema() requires all that allOf and a reference require, and keeps the definitions', () => {
  const $defs = { Base: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }
  expect(
    toRootSchema({
      $defs,
      allOf: [{ $ref: '#/$defs/Base' }, { properties: { n: { type: 'number' } }, required: ['n'] }],
    }),
  ).toEqual({
    $defs,
    type: 'object',
    properties: { id: { type: 'string' }, n: { type: 'number' } },
    required: ['id', 'n'],
  })
})

it('toRootSchema() ends on a schema that refers to itself, and on one that refers to nothing', () => {
  expect(toRootSchema({ $ref: '#' })).toMatchObject({ type: 'object', properties: {} })
  expect(toRootSchema({ anyOf: [{ $ref: '#/$defs/Gone' }, { $ref: '#/__proto__/toString' }] })).toMatchObject({
    type: 'object',
    properties: {},
  })
})

it('toRootSchema() keeps a property that is named as one of an object', () => {
  const properties = JSON.parse(
    '{"__proto__":{"type":"string"},"constructor":{"type":"number"}}',
  ) as typeof plain.properties
  const { properties: kept } = toRootSchema({ anyOf: [{ properties }] })
  expect(Object.keys(kept as object)).toEqual(['__proto__', 'constructor'])
})
