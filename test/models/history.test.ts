import { describe, expect, it } from 'vitest'
import type { KeyedCall, Message } from '../../src/core/transcript.js'
import { argumentsOf, wireIds, withClosedHistory } from '../../src/models/history.js'

const self = { provider: 'openai', model: 'm-1' }
const call = (key: string, wireId?: string): KeyedCall => ({
  key,
  callId: key.slice(2),
  toolName: 't',
  input: {},
  caller: 'model',
  wireId,
})
const asks = (...calls: KeyedCall[]): Message => ({ role: 'assistant', parts: [], calls, origin: self })
const answers = (to: KeyedCall): Message => ({ role: 'tool', call: to, trusted: true, outcome: 'ok', text: 'done' })
const user: Message = { role: 'user', text: 'Hi' }
const [a, b] = [call('1.1.0', 'x'), call('1.1.1', 'y')]

const brief = (message: Message): string => {
  switch (message.role) {
    case 'assistant':
      return `asks ${message.calls.map(({ wireId }) => wireId).join()}`
    case 'tool':
      return `${message.outcome} ${message.call.wireId}`
    default:
      return message.text
  }
}

describe('withClosedHistory() makes a history that a provider takes of one that it would refuse for ever:', () => {
  const late = 'A result of t (ok) that answers no open call: done'
  it.each<[string, Message[], string[]]>([
    ['a call without a result', [user, asks(a)], ['Hi', 'asks x', 'unknown x']],
    ['words before the result', [user, asks(a), user, answers(a)], ['Hi', 'asks x', 'unknown x', 'Hi', late]],
    [
      'another step before the result',
      [user, asks(a), asks(b), answers(a), answers(b)],
      ['Hi', 'asks x', 'unknown x', 'asks y', 'ok y', late],
    ],
    ['one of two results', [user, asks(a, b), answers(b), user], ['Hi', 'asks x,y', 'ok y', 'unknown x', 'Hi']],
    ['two results', [user, asks(a), answers(a), answers(a)], ['Hi', 'asks x', 'ok x', late]],
    ['a result that nobody asked for', [user, answers(a)], ['Hi', late]],
    [
      'nothing that is right',
      [user, asks(a, b), answers(b), answers(a), user],
      ['Hi', 'asks x,y', 'ok y', 'ok x', 'Hi'],
    ],
  ])('%s', (_, messages, expected) => {
    const request = { instructions: '', tools: [], messages, cacheKey: 's' }
    expect(withClosedHistory(request).messages.map(brief)).toEqual(expected)
  })
})

describe('wireIds()', () => {
  const ids = (...calls: KeyedCall[]) => [
    ...wireIds(
      calls.map((one) => asks(one)),
      self,
    ).values(),
  ]

  it('keeps the ids of the provider', () => {
    expect(ids(call('1.1.0', 'call_a'), call('1.2.0', 'odd:id'))).toEqual(['call_a', 'odd:id'])
  })

  it('makes a legal id where there is none, a blank one, or one that is taken', () => {
    expect(ids(call('1.1.0'), call('1.2.0', ''), call('1.3.0', 'same'), call('1.4.0', 'same'))).toEqual([
      'call_1_1_0',
      'call_1_2_0',
      'same',
      'call_1_4_0',
    ])
  })

  it('never gives an id twice, whatever a provider calls its own', () => {
    const given = ids(call('1.2.0', 'call_1_1_0'), call('1.1.0'), call('1.3.0', 'call_1_1_0_'), call('1/1/0'))
    expect(new Set(given).size).toBe(4)
  })

  it('takes a foreign id only when it is legal', () => {
    const foreign = { provider: 'other', model: 'm-1' }
    const messages = [asks(call('1.1.0', 'toolu_1')), asks(call('1.2.0', 'a b')), asks(call('1.3.0', 'x'.repeat(65)))]
    expect([...wireIds(messages, foreign).values()]).toEqual(['toolu_1', 'call_1_2_0', 'call_1_3_0'])
  })
})

it.each<[string, Partial<KeyedCall>, object]>([
  ['an object as it is', { input: { a: 1 }, inputText: '{"a":1}' }, { a: 1 }],
  [
    'the text of a text tool, as the field of an object',
    { input: 'SELECT 1', inputText: 'SELECT 1' },
    { input: 'SELECT 1' },
  ],
  ['the text that came in an object', { input: 'SELECT 1', inputText: '{"input":"SELECT 1"}' }, { input: 'SELECT 1' }],
  ['what is no JSON, as text', { input: undefined, inputText: '{"a' }, { INVALID_JSON: '{"a' }],
  ['what is JSON and no object, as text', { input: 'a', inputText: '"a"' }, { INVALID_JSON: '"a"' }],
])('argumentsOf() gives %s', (_, more, expected) => {
  expect(argumentsOf({ ...a, ...more })).toEqual(expected)
})
