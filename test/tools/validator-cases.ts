import type { Json, JsonSchema } from '../../src/core/json.js'

/** `faults`: path and keyword of each, in order; none: the value is valid. */
export interface ValidatorCase {
  readonly name: string
  readonly schema: JsonSchema
  readonly value: Json
  readonly faults: readonly string[]
}

const draft07 = 'http://json-schema.org/draft-07/schema#'
const parse = (text: string) => JSON.parse(text) as Json
const of = (schema: JsonSchema, ...rows: readonly (readonly [string, Json, ...string[]])[]): ValidatorCase[] =>
  rows.map(([name, value, ...faults]) => ({ name, schema, value, faults }))

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...more })
const tree: JsonSchema = {
  $ref: '#/$defs/node',
  $defs: {
    node: object(
      { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      { required: ['name'] },
    ),
  },
}

export const validatorCases: readonly ValidatorCase[] = [
  ...of(
    { type: 'string' },
    ['type takes its own kind', 'a'],
    ['type refuses another', 1, ' type'],
    ['type refuses null', null, ' type'],
    ['type tells an array from an object', [], ' type'],
  ),
  ...of({ type: 'object' }, ['an array is no object', [], ' type'], ['null is no object', null, ' type']),
  ...of({ type: 'integer' }, ['1.0 is an integer', 1.0], ['1.5 is not', 1.5, ' type'], ['1e300 is', 1e300]),
  ...of({ type: ['string', 'null'] }, ['a list of types takes each', null], ['and nothing else', 1, ' type']),
  ...of(
    { enum: ['a', 1, null, { b: [1] }] },
    ['enum compares deeply', { b: [1] }],
    ['enum refuses the rest', { b: [2] }, ' enum'],
    ['enum tells 1 from "1"', '1', ' enum'],
  ),
  ...of(
    { const: { a: 1, b: 2 } },
    ['const does not mind the order of keys', { b: 2, a: 1 }],
    ['const refuses', {}, ' const'],
  ),
  ...of({ const: 0 }, ['-0 is 0', -0], ['false is not 0', false, ' const']),
  ...of(
    object({ a: {}, b: {} }, { required: ['a', 'b'] }),
    ['required wants every name, each a fault', {}, '/a required', '/b required'],
    ['null is there', { a: null, b: null }],
  ),
  ...of(
    object({ a: { type: 'string' } }, { additionalProperties: false }),
    [
      'additionalProperties names each that is too much',
      { a: '', x: 1, y: 2 },
      '/x additionalProperties',
      '/y additionalProperties',
    ],
    [
      'an unknown property may be a prototype key',
      parse('{"__proto__":1,"constructor":2}'),
      '/__proto__ additionalProperties',
      '/constructor additionalProperties',
    ],
  ),
  ...of(object({ a: {} }, { additionalProperties: { type: 'number' } }), [
    'additionalProperties may be a schema',
    { a: 'x', b: 1, c: 'x' },
    '/c type',
  ]),
  ...of({ type: 'object', patternProperties: { '^n': { type: 'number' } }, additionalProperties: false }, [
    'patternProperties rule what they match',
    { n1: 1, n2: 'x', m: 1 },
    '/m additionalProperties',
    '/n2 type',
  ]),
  ...of({ propertyNames: { pattern: '^[a-z]+$' } }, [
    'propertyNames points at the property',
    { a: 1, B: 2 },
    '/B propertyNames',
  ]),
  ...of(
    { minProperties: 1, maxProperties: 2 },
    ['too few properties', {}, ' minProperties'],
    ['too many', { a: 1, b: 1, c: 1 }, ' maxProperties'],
  ),
  ...of(
    { pattern: '^a+$' },
    ['pattern is not for numbers', 1],
    ['pattern matches', 'aa'],
    ['pattern refuses', 'ab', ' pattern'],
  ),
  ...of(
    { pattern: '^[\\w-.]+$' },
    ['a pattern may escape more than the u flag allows', 'a-b.c'],
    ['and still refuse', ' ', ' pattern'],
  ),
  ...of({ pattern: '^\\p{L}$' }, ['a pattern may use Unicode classes', 'é'], ['and refuse by them', '1', ' pattern']),
  ...of({ pattern: '^.$' }, ['a dot is one character, not half of one', '😀']),
  ...of(
    { pattern: '^(?:[a-z0-9-]+\\.)+[a-z]+$' },
    ['a pattern with a nested quantifier is allowed', 'a.example'],
    ['and works', 'a', ' pattern'],
  ),
  ...of(
    { minLength: 2, maxLength: 3 },
    ['a surrogate pair is one character', '😀', ' minLength'],
    ['three of them are three', '😀😀😀'],
    ['four are four', '😀😀😀😀', ' maxLength'],
  ),
  ...of(
    { minimum: 1, exclusiveMaximum: 3 },
    ['minimum is included', 1],
    ['less is a fault', 0.9, ' minimum'],
    ['an exclusive maximum is not', 3, ' exclusiveMaximum'],
  ),
  ...of(
    { exclusiveMinimum: 0, maximum: 2 },
    ['an exclusive minimum is not', 0, ' exclusiveMinimum'],
    ['maximum is included', 2],
    ['more is a fault', 2.1, ' maximum'],
  ),
  ...of(
    { multipleOf: 0.01 },
    ['multipleOf minds cents, not bits', 19.99],
    ['and refuses half of one', 19.995, ' multipleOf'],
    ['and what overflows', 1e308, ' multipleOf'],
  ),
  ...of({ multipleOf: 3 }, ['multipleOf of an integer', 9], ['refuses', 10, ' multipleOf'], ['zero is a multiple', 0]),
  ...of({ type: 'string', format: 'email' }, ['format is a note, not a rule', 'not an address']),
  ...of({ type: 'string', format: 'no-such-format' }, ['an unknown format is a note too', 'x']),
  ...of({ $schema: draft07, type: 'string', contentEncoding: 'base64', contentMediaType: 'application/json' }, [
    'encodings are notes',
    '%',
  ]),
  ...of({ type: 'array', items: { type: 'array', items: object({ a: { type: 'number' } }, { required: ['a'] }) } }, [
    'faults in nested arrays have their whole path',
    [[{ a: 1 }], [{ a: 'x' }, {}]],
    '/1/0/a type',
    '/1/1/a required',
  ]),
  ...of({ minItems: 1, maxItems: 2 }, ['too few items', [], ' minItems'], ['too many', [1, 2, 3], ' maxItems']),
  ...of(
    { uniqueItems: true },
    [
      "items that are equal but for their keys' order are twice",
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ' uniqueItems',
    ],
    ['1 and true differ', [1, true, '1']],
  ),
  ...of(
    { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    ['prefixItems goes by place', ['a', 'b'], '/1 type'],
    ['and ends the list', ['a', 1, 2, 3], '/2 false', '/3 false'],
  ),
  ...of(
    { $schema: draft07, items: [{ type: 'string' }], additionalItems: false },
    ['draft-07 writes it as an array', [1], '/0 type'],
    ['with additionalItems', ['a', 2], '/1 false'],
  ),
  ...of({ $schema: draft07, items: [{ type: 'string' }], additionalItems: { type: 'number' } }, [
    'additionalItems may be a schema',
    ['a', 'b'],
    '/1 type',
  ]),
  ...of(
    { contains: { type: 'number' }, minContains: 2 },
    ['contains counts', [1, 'a'], ' contains'],
    ['enough', [1, 2]],
  ),
  ...of(
    { dependentRequired: { a: ['b', 'c'] } },
    ['dependentRequired points at what is missing', { a: 1 }, '/b dependentRequired', '/c dependentRequired'],
    ['or is silent', { d: 1 }],
  ),
  ...of({ $schema: draft07, dependencies: { a: ['b'], c: { required: ['d'] } } }, [
    'draft-07 dependencies are the same',
    { a: 1, c: 1 },
    '/b dependentRequired',
    '/d required',
  ]),
  ...of({ dependentSchemas: { a: { required: ['b'] } } }, ['dependentSchemas', { a: 1 }, '/b required']),
  ...of(
    tree,
    ['$ref into $defs recurses', { name: 'a', children: [{ name: 'b', children: [] }] }],
    [
      'and finds faults deep down',
      { name: 'a', children: [{ children: [{ name: 1 }] }] },
      '/children/0/children/0/name type',
      '/children/0/name required',
    ],
  ),
  ...of(object({ next: { $ref: '#' } }, { required: ['v'] }), [
    '$ref to the root',
    { v: 1, next: { next: { v: 1 } } },
    '/next/v required',
  ]),
  ...of(
    {
      $schema: draft07,
      definitions: { a: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/a', type: 'number' } },
    },
    ['draft-07 ignores what is beside $ref', { a: 'x' }],
  ),
  ...of({ $defs: { a: { type: 'string' } }, properties: { a: { $ref: '#/$defs/a', minLength: 2 } } }, [
    '2020-12 does not',
    { a: 'x' },
    '/a minLength',
  ]),
  ...of({ $defs: { 'a/b~c d': { type: 'string' } }, $ref: '#/$defs/a~1b~0c%20d' }, [
    'references are escaped pointers',
    1,
    ' type',
  ]),
  ...of({ $defs: { no: false }, properties: { a: { $ref: '#/$defs/no' } } }, [
    'a reference may lead to false',
    { a: 1 },
    '/a false',
  ]),
  ...of({ $id: 'urn:example:one', type: 'string' }, ['an $id changes nothing', 1, ' type']),
  ...of({ $id: 'urn:example:one', type: 'number' }, ['nor does one that another tool has', '1', ' type']),
  ...of(
    { properties: { a: true, b: false } },
    ['boolean schemas', { a: 1, b: 1 }, '/b false'],
    ['false minds only what is there', { a: 1 }],
  ),
  ...of(object({ 'ключ/~': { type: 'string' }, 日本: { type: 'number' } }, { required: ['ключ/~', '%20'] }), [
    'names are escaped in paths',
    { 'ключ/~': 1, 日本: 'x' },
    '/%20 required',
    '/ключ~1~0 type',
    '/日本 type',
  ]),
  ...of(
    object(
      parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
      ) as JsonSchema,
    ),
    ['what is inherited is no property', {}],
    [
      'prototype keys are properties like others',
      parse('{"__proto__":1,"constructor":2,"toString":3}'),
      '/__proto__ type',
      '/constructor type',
      '/toString type',
    ],
    ['and may be right', parse('{"__proto__":"a","constructor":"b"}')],
  ),
  ...of(object(parse('{"__proto__":{"type":"string"}}') as JsonSchema, { additionalProperties: false }), [
    'a declared __proto__ is not additional',
    parse('{"__proto__":"a"}'),
  ]),
  ...of(
    { required: ['__proto__', 'constructor', 'hasOwnProperty'] },
    [
      "a required prototype key must be the value's own",
      {},
      '/__proto__ required',
      '/constructor required',
      '/hasOwnProperty required',
    ],
    ['and then it is there', parse('{"__proto__":1,"constructor":1,"hasOwnProperty":1}')],
  ),
  ...of(
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ['a nullable union takes null', null],
    ['and is one fault', 1, ' anyOf'],
  ),
  ...of(
    {
      properties: {
        a: { anyOf: [object({ b: { anyOf: [{ type: 'string' }, { type: 'number' }] } }), { type: 'null' }] },
      },
      required: ['c'],
    },
    ['a union in a union is one fault, others beside it stay', { a: { b: true } }, '/a anyOf', '/c required'],
  ),
  ...of(
    { oneOf: [{ type: 'number' }, { type: 'integer' }] },
    ['oneOf refuses two that fit', 1, ' oneOf'],
    ['takes one', 1.5],
    ['refuses none', 'x', ' oneOf'],
  ),
  ...of({ not: { type: 'string' } }, ['not', 'x', ' not'], ['not refuses only that', 1]),
  ...of(
    parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}') as JsonSchema,
    ['if and then', { a: 1 }, '/b required'],
    ['if and else', {}, '/c required'],
  ),
  ...of({ allOf: [{ required: ['a'] }, { required: ['a', 'b'] }] }, [
    'the same fault twice is one',
    {},
    '/a required',
    '/b required',
  ]),
  ...of(
    { allOf: [object({ a: {} })], properties: { b: {} }, unevaluatedProperties: false },
    ['unevaluatedProperties sees through allOf', { a: 1, b: 1 }],
    ['and is one fault', { c: 1, d: 1 }, ' unevaluatedProperties'],
  ),
]
