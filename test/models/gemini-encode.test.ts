import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonSchema } from '../../src/core/json.js'
import type { Message, Origin } from '../../src/core/transcript.js'
import { noSignature } from '../../src/models/gemini/contents.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import { toGeminiSchema } from '../../src/models/gemini/schema.js'
import type { ModelConfig } from '../../src/models/model.js'
import { answers, asks, call, find, partOf, request, user } from './conversation-parts.js'

const gemini: ModelConfig = { provider: 'gemini', model: 'gemini-3.8-flash' }
const contents = (model: string, ...messages: Message[]) =>
  encodeGemini(request(messages), { ...gemini, model }).contents
const sent = (...messages: Message[]) => contents(gemini.model, ...messages)

const model = (...parts: JsonObject[]) => ({ role: 'model', parts })
const said = (...parts: JsonObject[]) => ({ role: 'user', parts })
const response = (name: string, value: JsonObject, id?: string): JsonObject => ({
  functionResponse: { ...(id ? { id } : {}), name, response: value },
})

describe('encodeGemini()', () => {
  it('sends instructions, tools and limits beside the contents', () => {
    expect(encodeGemini(request([user('Hi')]), { ...gemini, maxOutputTokens: 99 })).toEqual({
      contents: [said({ text: 'Hi' })],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        { functionDeclarations: [{ name: 'find', description: 'Finds.', parametersJsonSchema: { ...find.input } }] },
      ],
      generationConfig: { maxOutputTokens: 99 },
    })
  })

  it('leaves out what there is none of', () => {
    expect(encodeGemini(request([user(' ')], { instructions: ' ', tools: [] }), gemini)).toEqual({
      contents: [said({ text: '(no text)' })],
    })
  })

  it('gives a tool a name that begins as Gemini wants it', () => {
    const names = ['find', '2fa', '-x', '9'.repeat(64)]
    const { tools } = encodeGemini(request([], { tools: names.map((name) => ({ ...find, name })) }), gemini)
    expect((tools![0]!.functionDeclarations as JsonObject[]).map(({ name }) => name)).toEqual([
      'find',
      '_2fa',
      '_-x',
      `_${'9'.repeat(63)}`,
    ])
  })

  it('sends own parts back as they are, with every signature where it was, and the results right after', () => {
    const parts: JsonObject[] = [
      { text: 'Hm.', thought: true },
      { text: 'I look.', thoughtSignature: 's0' },
      { functionCall: { name: 'find', args: { a: 0 }, id: 'id_0' }, thoughtSignature: 's1' },
      { executableCode: { code: '1' }, thoughtSignature: 's2' },
      { functionCall: { name: 'find', args: { a: 1 } } },
      { text: '', thoughtSignature: 's3' },
    ]
    const [first, second] = [call(0), call(1, { wireId: undefined })]
    const own = asks(
      gemini,
      [
        { type: 'reasoning', text: 'Hm.', native: parts[0]! },
        { type: 'text', text: 'I look.', native: parts[1]! },
        partOf(first, parts[2]),
        { type: 'other', native: parts[3]! },
        partOf(second, parts[4]),
        { type: 'text', text: '', native: parts[5]! },
      ],
      first,
      second,
    )
    const news: Message = { role: 'news', callId: '1.0', done: true, text: 'It took effect.' }
    const history = [user('Hi'), own, answers(second, 'No.', 'denied'), answers(first), news, user('And?')]
    expect(sent(...history)).toEqual([
      said({ text: 'Hi' }),
      model(...parts),
      said(response('find', { output: 'done' }, 'id_0'), response('find', { error: 'No.' })),
      said({ text: 'It took effect.' }),
      said({ text: 'And?' }),
    ])
  })

  it('rebuilds the parts of another model, without what only that model can read', () => {
    const odd = call(1, { wireId: 'srv tool:1', toolName: '1.b/c', input: undefined, inputText: '{"a":' })
    const foreign = (origin: Origin) =>
      asks(
        origin,
        [
          { type: 'reasoning', text: 'Secret', native: { text: 'Secret', thought: true, thoughtSignature: 's' } },
          { type: 'text', text: 'I look.', native: { text: 'I look.', thoughtSignature: 's' } },
          { type: 'text', text: ' \n', native: { type: 'text', text: ' \n' } },
          partOf(call(0), { functionCall: { name: 'find', args: {} }, thoughtSignature: 's' }),
          { type: 'other', native: { type: 'server_tool_use' } },
          partOf(odd),
        ],
        call(0),
        odd,
      )
    for (const origin of [
      { provider: 'anthropic', model: 'claude-opus-5-5' },
      { provider: 'openai', model: gemini.model },
      { provider: 'gemini', model: 'gemini-3.7-flash' },
    ])
      expect(sent(user('Hi'), foreign(origin), answers(call(0)), answers(odd))).toEqual([
        said({ text: 'Hi' }),
        model(
          { text: 'I look.' },
          { functionCall: { id: 'id_0', name: 'find', args: { a: 0 } }, thoughtSignature: noSignature },
          { functionCall: { id: 'call_1_1_1', name: '_1_b_c', args: { INVALID_JSON: '{"a":' } } },
        ),
        said(response('find', { output: 'done' }, 'id_0'), response('_1_b_c', { output: 'done' }, 'call_1_1_1')),
      ])
  })

  it.each([
    ['gemini-3-pro-preview', true],
    ['gemini-4-argon', true],
    ['models/gemini-3.8-flash', true],
    ['gemini-flash-latest', true],
    ['gemini-2.5-pro', false],
    ['models/gemini-2.0-flash', false],
    ['gemini-1.5-pro', false],
    ['gemma-4-31b-it', false],
  ])('says to %s that a first call has no signature: %s', (name, says) => {
    const native = { functionCall: { name: 'find', args: {} } }
    const history = (origin: Origin) => [
      user('Hi'),
      asks(origin, [partOf(call(0), native), partOf(call(1), native)], call(0), call(1)),
      answers(call(0)),
      answers(call(1)),
    ]
    for (const origin of [
      { provider: 'gemini', model: name },
      { provider: 'openai', model: 'gpt-6-astra' },
    ]) {
      const parts = contents(name, ...history(origin))[1]!.parts
      expect(parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([says ? noSignature : undefined, undefined])
    }
  })

  it('joins what the model said in two goes, and leaves out a turn of thoughts alone', () => {
    const thoughts = asks(gemini, [{ type: 'reasoning', text: 'Hm', native: { text: 'Hm', thought: true } }])
    const text = asks(gemini, [{ type: 'text', text: 'I look.', native: { text: 'I look.' } }])
    const native = { functionCall: { name: 'find' }, thoughtSignature: 's' }
    const history = [user('Hi'), text, thoughts, asks(gemini, [partOf(call(0), native)], call(0)), answers(call(0))]
    expect(sent(...history)).toEqual([
      said({ text: 'Hi' }),
      model({ text: 'I look.' }, native),
      said(response('find', { output: 'done' })),
    ])
  })

  it('never sends a refusal of its own back, and those of others as text', () => {
    const refusal = (origin: Origin) => asks(origin, [{ type: 'refusal', text: 'No.' }])
    expect(sent(user('Hi'), refusal(gemini), user('And?'))).toEqual([said({ text: 'Hi' }), said({ text: 'And?' })])
    expect(sent(user('Hi'), refusal({ provider: 'openai', model: 'm' }))[1]).toEqual(model({ text: 'No.' }))
  })

  it('keeps the text of a message that was cut', () => {
    const cut = asks(gemini, [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Well' },
      { type: 'call', callId: '9.9', native: { functionCall: { name: 'find' } } },
    ])
    expect(sent(user('Hi'), cut, user('And?'))[1]).toEqual(model({ text: 'Well' }))
  })
})

describe('toGeminiSchema()', () => {
  const schema = (given: JsonSchema) => toGeminiSchema({ type: 'object', ...given })

  it('keeps what Gemini knows and leaves out the rest', () => {
    const kept = {
      title: 'T',
      description: 'D',
      required: ['a'],
      propertyOrdering: ['a', 'b'],
      additionalProperties: { type: ['string', 'null'], format: 'date' },
      properties: {
        a: { type: 'number', minimum: 1, maximum: 2 },
        b: {
          anyOf: [
            { type: 'string', enum: ['x'] },
            { type: 'integer', enum: [1] },
          ],
        },
        title: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 },
        pattern: { prefixItems: [{ type: 'string' }], oneOf: [{ type: 'null' }] },
      },
    }
    const more = { $schema: 'x', default: {}, examples: [], minProperties: 1, not: {}, patternProperties: {}, if: {} }
    expect(schema({ ...kept, ...more })).toEqual({ type: 'object', ...kept })
    expect(
      schema({ properties: { a: { type: 'string', pattern: '^a', minLength: 1 } }, additionalProperties: false }),
    ).toEqual({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false })
  })

  it('says in its words what it can', () => {
    expect(
      schema({
        properties: {
          a: { const: 'x' },
          b: { const: null },
          c: { enum: ['x', null] },
          d: true,
          e: { type: 'array', items: [{ type: 'string' }] },
          f: {
            allOf: [{ type: 'object', properties: { x: {} }, required: ['x'] }, { properties: { y: {} } }],
            title: 'F',
          },
        },
      }).properties,
    ).toEqual({
      a: { enum: ['x'] },
      b: {},
      c: {},
      d: {},
      e: { type: 'array', prefixItems: [{ type: 'string' }] },
      f: { type: 'object', title: 'F', properties: { x: {}, y: {} }, required: ['x'] },
    })
  })

  it('leaves references without siblings, and none to other documents', () => {
    expect(
      schema({
        properties: {
          a: { $ref: '#/definitions/A', description: 'An A.' },
          b: { $ref: '#/$defs/B' },
          c: { $ref: 'https://example.com/c.json' },
        },
        definitions: { A: { type: 'string', pattern: 'x' } },
        $defs: { B: { type: 'number' } },
      }),
    ).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' }, c: {} },
      $defs: { A: { type: 'string' }, B: { type: 'number' } },
    })
  })

  it('requires nothing that leads back to itself', () => {
    const node = (ref: string): JsonObject => ({
      type: 'object',
      properties: { id: { type: 'string' }, next: { type: 'array', items: { $ref: ref } } },
      required: ['id', 'next'],
    })
    const made = schema({
      properties: { tree: { $ref: '#/$defs/A' }, self: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['tree', 'self'],
      $defs: { A: node('#/$defs/B'), B: node('#/$defs/A'), C: node('#/$defs/A') },
    })
    expect(made.required).toEqual(['tree'])
    expect(made.$defs).toMatchObject({
      A: { required: ['id'] },
      B: { required: ['id'] },
      C: { required: ['id', 'next'] },
    })
  })
})
