import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { createGeminiDecoder } from '../../src/models/gemini/decode.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'

function decode(...events: unknown[]): { reply: ModelReply | undefined; deltas: ModelDelta[] } {
  const decoder = createGeminiDecoder(new Map([['_2fa', '2fa']]))
  const deltas = events.flatMap((event) => decoder.push(event))
  decoder.end!()
  return { reply: decoder.reply(), deltas }
}

const says = (...parts: JsonObject[]): JsonObject => ({ candidates: [{ content: { role: 'model', parts }, index: 0 }] })
const ends = (finishReason = 'STOP', more: JsonObject = {}): JsonObject => ({ candidates: [{ finishReason, ...more }] })
const call = (name: string, args?: JsonObject, more: JsonObject = {}): JsonObject => ({
  functionCall: { name, ...(args ? { args } : {}), ...more },
})
const partsOf = (...events: unknown[]) => decode(...events).reply?.parts

describe('The decoder of generateContent', () => {
  it('joins text that is nothing else, apart from thoughts, and shows it as it comes', () => {
    const { reply, deltas } = decode(
      says({ text: 'Hm', thought: true }),
      says({ text: 'm.', thought: true }, { text: 'Hel' }),
      says({ text: 'lo' }),
      says({ text: '', thoughtSignature: 'end' }),
      ends(),
    )
    expect(reply).toEqual({
      finish: 'stop',
      usage: undefined,
      parts: [
        { type: 'reasoning', text: 'Hmm.', native: { text: 'Hmm.', thought: true } },
        { type: 'text', text: 'Hello', native: { text: 'Hello' } },
        { type: 'text', text: '', native: { text: '', thoughtSignature: 'end' } },
      ],
    })
    expect(deltas).toEqual([
      { type: 'reasoning', index: 0, text: 'Hm' },
      { type: 'reasoning', index: 0, text: 'm.' },
      { type: 'text', index: 1, text: 'Hel' },
      { type: 'text', index: 1, text: 'lo' },
    ])
  })

  it('keeps a signature on the part that it came with, and joins nothing across it', () => {
    const parts: (JsonObject & { text: string })[] = [
      { text: 'a' },
      { text: 'b', thoughtSignature: '1' },
      { text: 'c', thoughtSignature: '2' },
      { text: 'd' },
      { text: 'e', partMetadata: { of: 'tomorrow' } },
      { text: 'f' },
    ]
    expect(partsOf(...parts.map((part) => says(part)), ends())).toEqual(
      parts.map((native) => ({ type: 'text', text: native.text, native })),
    )
  })

  it('takes calls as they are: with an id or without, without arguments, beside each other, with STOP', () => {
    const signed = { ...call('find', { a: [1] }, { id: 'x1' }), thoughtSignature: 'sig' }
    const { reply, deltas } = decode(says(signed, call('find', { a: 2 })), says(call('look')), {
      ...ends(),
      usageMetadata: { promptTokenCount: 1 },
    })
    expect(reply).toEqual({
      finish: 'calls',
      usage: { input: 1, output: 0 },
      parts: [
        { type: 'call', toolName: 'find', inputText: '{"a":[1]}', wireId: 'x1', native: signed },
        { type: 'call', toolName: 'find', inputText: '{"a":2}', wireId: undefined, native: call('find', { a: 2 }) },
        { type: 'call', toolName: 'look', inputText: '{}', wireId: undefined, native: call('look') },
      ],
    })
    expect(deltas.map(({ index, text }) => [index, text])).toEqual([
      [0, '{"a":[1]}'],
      [1, '{"a":2}'],
      [2, '{}'],
    ])
  })

  it('gives a tool the name that we have for it', () => {
    expect(partsOf(says(call('_2fa', {})), ends())).toMatchObject([{ toolName: '2fa', native: call('_2fa', {}) }])
  })

  it.each([
    ['a text', '{"a":', '{"a":'],
    ['a list', [1], '[1]'],
    ['a number', 7, '7'],
  ])('keeps arguments that are %s as text, and sends an object back', (_, args, inputText) => {
    const native = { functionCall: { name: 'find', args: { INVALID_JSON: inputText } }, thoughtSignature: 's' }
    expect(partsOf(says({ functionCall: { name: 'find', args }, thoughtSignature: 's' }), ends())).toEqual([
      { type: 'call', toolName: 'find', inputText, wireId: undefined, native },
    ])
  })

  it('keeps parts that it does not know, and drops only empty ones', () => {
    const others: JsonObject[] = [
      { executableCode: { code: '1', language: 'PYTHON' }, thoughtSignature: 's' },
      { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB' }, thoughtSignature: 't' },
      { partOfTomorrow: { a: 1 } },
    ]
    expect(partsOf(says(...others, {}, { text: '' }), ends())).toEqual(
      others.map((native) => ({ type: 'other', native })),
    )
  })

  it('is there when the stream has ended, with all that came after the finish reason', () => {
    const decoder = createGeminiDecoder()
    decoder.push(says({ text: 'Hel' }))
    decoder.push(ends())
    expect(decoder.reply()).toBeUndefined()
    decoder.push({ ...says({ text: 'lo' }), usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } })
    decoder.end!()
    expect(decoder.reply()).toMatchObject({
      parts: [{ text: 'Hello' }],
      finish: 'stop',
      usage: { input: 5, output: 2 },
    })
  })

  it.each([
    ['nothing', []],
    ['text without a finish reason', [says({ text: 'Hel' })]],
    ['a call without a finish reason', [says(call('find', {}))]],
    ['empty candidates', [{ candidates: [] }, { usageMetadata: { promptTokenCount: 5 } }]],
    ['events of tomorrow', [{ eventOfTomorrow: {} }]],
  ])('is no reply when %s came', (_, events) => {
    expect(decode(...events).reply).toBeUndefined()
  })

  it('reads only the first candidate', () => {
    const other = { candidates: [{ index: 1, content: { parts: [{ text: 'No' }] } }] }
    expect(partsOf(says({ text: 'Yes' }), other, ends())).toMatchObject([{ text: 'Yes' }])
  })

  it('counts the whole prompt with its tool results, and thoughts as output; the last count holds', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 7,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 157,
    }
    const early = { ...says({ text: 'a' }), usageMetadata: { promptTokenCount: 99, candidatesTokenCount: 1 } }
    const bare = { ...ends(), usageMetadata: { trafficType: 'ON_DEMAND' } }
    expect(decode(early, { usageMetadata }, bare).reply?.usage).toEqual({
      input: 107,
      output: 50,
      cacheRead: 60,
      reasoning: 30,
    })
    expect(decode(says({ text: 'a' }), ends()).reply?.usage).toBeUndefined()
  })

  describe('says how it ended', () => {
    it.each([
      ['STOP', 'stop'],
      ['MAX_TOKENS', 'length'],
      ['CONTINUATION', 'length'],
      ['TOO_MANY_TOOL_CALLS', 'other'],
      ['OF_TOMORROW', 'other'],
      ['toString', 'other'],
    ])('for %s: %s', (reason, finish) => {
      expect(decode(says({ text: 'a' }), ends(reason)).reply).toMatchObject({ finish, parts: [{ text: 'a' }] })
      expect(decode(ends(reason)).reply).toMatchObject({ finish, parts: [] })
    })

    it('runs the calls that came whole, whatever it says', () => {
      for (const reason of ['STOP', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'OTHER', 'OF_TOMORROW', '__proto__'])
        expect(decode(says(call('find', {})), ends(reason)).reply?.finish).toBe('calls')
      expect(decode(says(call('find', {})), ends('MAX_TOKENS')).reply).toMatchObject({
        finish: 'length',
        parts: [{ type: 'call' }],
      })
    })

    it.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY', 'MODEL_ARMOR', 'SPII', 'LANGUAGE'])(
      'as blocked for %s, keeps what was shown, runs nothing and says why',
      (reason) => {
        const said = says({ text: 'Well' }, call('find', {}))
        expect(decode(said, ends(reason)).reply).toMatchObject({
          finish: 'content-filter',
          parts: [
            { type: 'text', text: 'Well' },
            { type: 'refusal', text: `The answer was blocked: ${reason}` },
          ],
        })
        expect(partsOf(ends(reason, { finishMessage: 'Not that.' }))).toEqual([{ type: 'refusal', text: 'Not that.' }])
      },
    )

    it.each(['SAFETY', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY', 'JAILBREAK', 'BLOCKED_REASON_UNSPECIFIED'])(
      'as blocked when the prompt was, for %s',
      (blockReason) => {
        const usageMetadata = { promptTokenCount: 8, totalTokenCount: 8 }
        expect(decode({ promptFeedback: { blockReason }, usageMetadata }).reply).toEqual({
          finish: 'content-filter',
          parts: [{ type: 'refusal', text: `The answer was blocked: ${blockReason}` }],
          usage: { input: 8, output: 0 },
        })
      },
    )

    it.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'OTHER', 'NO_IMAGE', 'FINISH_REASON_UNSPECIFIED'])(
      'as a failure that may pass when nothing usable came, for %s',
      (reason) => {
        const failure = { code: 'model_bad_reply', retryable: true }
        expect(() => decode(ends(reason, { finishMessage: 'find(' }))).toThrow(
          expect.objectContaining({ ...failure, message: 'The model gave no reply that can be used: find(' }),
        )
        expect(() => decode(ends(reason))).toThrow(expect.objectContaining(failure))
      },
    )

    it('as a failure that does not pass when the history lacks a signature', () => {
      expect(() => decode(ends('MISSING_THOUGHT_SIGNATURE'))).toThrow(
        expect.objectContaining({ code: 'model_bad_request', retryable: false }),
      )
    })
  })

  describe('puts streamed arguments together', () => {
    const piece = (jsonPath: string, value: JsonObject, willContinue = true): JsonObject =>
      says({ functionCall: { partialArgs: [{ jsonPath, ...value }], ...(willContinue ? { willContinue } : {}) } })
    const started = says({ functionCall: { name: 'order', willContinue: true }, thoughtSignature: 'sig' })
    const done = says({ functionCall: {} })

    it('of every kind, into one part with its signature', () => {
      const { reply, deltas } = decode(
        started,
        piece('$.who', { stringValue: 'A', willContinue: true }),
        piece('$.who', { stringValue: 'da' }),
        piece('$.lines[0].id', { stringValue: '' }),
        piece('$.lines[0].count', { numberValue: -2.5 }),
        says({ functionCall: { willContinue: true } }),
        piece("$.lines[1]['odd.\\'key']", { boolValue: true }),
        piece('$["__proto__"]', { nullValue: 'NULL_VALUE' }),
        done,
        says({ functionCall: { name: 'look', id: 'b', partialArgs: [{ jsonPath: '$.a', numberValue: 1 }] } }),
        says({ text: '' }),
        ends(),
      )
      const inputText = '{"who":"Ada","lines":[{"id":"","count":-2.5},{"odd.\'key":true}],"__proto__":null}'
      expect(reply?.finish).toBe('calls')
      expect(reply?.parts).toMatchObject([
        { type: 'call', toolName: 'order', inputText, native: { thoughtSignature: 'sig' } },
        { type: 'call', toolName: 'look', inputText: '{"a":1}', wireId: 'b' },
      ])
      expect(JSON.stringify(reply?.parts[0]?.native)).toBe(
        `{"functionCall":{"name":"order","args":${inputText}},"thoughtSignature":"sig"}`,
      )
      expect(deltas.map(({ index, text }) => [index, text])).toEqual([
        [0, ''],
        [0, inputText],
        [1, '{"a":1}'],
      ])
    })

    it('and never runs a call that was not finished', () => {
      const half = [started, piece('$.who', { stringValue: 'Ada' })]
      for (const events of [
        [...half, ends()],
        [...half, says(call('look', {})), ends()],
      ])
        expect(() => decode(...events)).toThrow(expect.objectContaining({ code: 'model_bad_reply', retryable: true }))
      expect(decode(says(call('look', {})), ...half, ends('MAX_TOKENS')).reply).toMatchObject({
        finish: 'length',
        parts: [{ toolName: 'look' }],
      })
    })

    it.each(['', 'who', '$', '$[0]', '$.who[', '$.list[3]', '$.text.inside', '$.list.name'])(
      'unless the path "%s" leads nowhere',
      (path) => {
        const before = [piece('$.list[0]', { numberValue: 1 }), piece('$.text', { stringValue: 'a' })]
        expect(() => decode(started, ...before, piece(path, { numberValue: 1 }))).toThrow(
          `Cannot read the model's reply: an argument's path "${path}" leads nowhere`,
        )
      },
    )
  })

  it.each<[string, unknown, string]>([
    ['is no object', [1], 'an event is not an object'],
    ['has a call without a name', says({ functionCall: { args: {} } }), 'a function call has no string "name"'],
    ['has a call with a wrong name', says({ functionCall: { name: 7 } }), 'a function call has no string "name"'],
    [
      'has an argument without a value',
      says({ functionCall: { name: 'a', partialArgs: [{ jsonPath: '$.a' }] } }),
      'the argument at "$.a" has no value',
    ],
  ])('refuses an event that %s', (_, event, what) => {
    expect(() => decode(event)).toThrow(`Cannot read the model's reply: ${what}`)
  })

  it('reports an error in a stream with its status', () => {
    const event = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    expect(() => decode(says({ text: 'a' }), event)).toThrow(
      expect.objectContaining({ facts: { status: 503, code: 'UNAVAILABLE', message: 'The model is overloaded.' } }),
    )
  })
})
