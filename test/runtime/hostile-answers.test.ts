import { describe, expect, it } from 'vitest'
import type { AnswerFormat } from '../../src/core/tool-definition.js'
import type { ModelReply, ModelRequest } from '../../src/models/model.js'
import type { RunOptions } from '../../src/runtime/protocol.js'
import { ask, say, World, type TestTool, type WorldOptions } from './world.js'

const look: TestTool = { risk: 'read', run: () => ({ found: 3 }) }
const write: TestTool = { risk: 'reversible', run: () => null }
const anything: AnswerFormat = { name: 'answer', schema: {} }
const cut = (text: string): ModelReply => ({ ...say(text), finish: 'length' })

/** Plays the replies one after the other, the last for ever, and keeps the requests. */
async function play(
  replies: readonly ModelReply[],
  options: Partial<RunOptions> = {},
  setup: Partial<WorldOptions> = {},
) {
  const requests: ModelRequest[] = []
  const world = new World({
    tools: { look, write },
    ...setup,
    model: (request) => {
      requests.push(structuredClone(request) as ModelRequest)
      return replies[Math.min(requests.length, replies.length) - 1]!
    },
  })
  const agent = await world.agent()
  await agent.run('Go', options)
  const end = await agent.end()
  const checks = agent.events.filter(({ type }) => type === 'answer-check')
  return { requests, end, checks, events: agent.events, executed: world.executed, messages: requests.at(-1)!.messages }
}

describe('an answer by schema that is hostile', () => {
  it.each<[what: string, text: string, problem: string]>([
    ['nested too deep for a log', '['.repeat(200_000) + ']'.repeat(200_000), 'is nested deeper than 128 levels'],
    ['with a number that JSON cannot say', '{"n":[1e999]}', 'holds a number that is too large'],
    ['in two fences', '```json\n{}\n```\nor\n```json\n[]\n```', 'is not JSON'],
    ['with words around its fence', 'Here:\n```json\n{}\n```', 'is not JSON'],
    ['of nothing but a fence', '```json\n```', 'is not JSON'],
  ])('and %s goes back to the model', async (_, text, problem) => {
    const { checks, end } = await play([say(text), say('{"ok":true}')], { answer: anything })
    expect(checks).toMatchObject([
      { verdict: 'repair', note: expect.stringContaining(problem) },
      { verdict: 'accept', value: { ok: true } },
    ])
    expect(end).toMatchObject({ outcome: 'completed' })
  })

  it.each<[what: string, text: string, value: unknown]>([
    ['a mark of byte order', '\ufeff{"a":1}', { a: 1 }],
    ['a fence in other words', ' \n```JSON \r\n{"a":1}\r\n``` \n', { a: 1 }],
    ['a fence without a word', '```\n"`x`"\n```', '`x`'],
    ['a key twice, the last counts', '{"a":0,"a":1}', { a: 1 }],
    ['null', 'null', null],
  ])('may have %s', async (_, text, value) => {
    expect((await play([say(text)], { answer: anything })).checks).toMatchObject([{ verdict: 'accept', value }])
  })

  it('and names a prototype keeps it as a name', async () => {
    const { checks } = await play([say('{"__proto__":{"admin":true}}')], { answer: anything })
    const [{ value }] = checks as unknown as [{ value: object }]
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('is read in a moment, though a model that lost its way writes blank lines without end', async () => {
    const start = performance.now()
    await play([say(`\`\`\`json\n${'\n'.repeat(100_000)}x`)], { answer: anything })
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('whose schema is nested too deep starts no run', async () => {
    let schema: AnswerFormat['schema'] = {}
    for (let i = 0; i < 100_000; i++) schema = { items: schema }
    await expect(play([], { answer: { name: 'answer', schema } })).rejects.toThrow(
      'the schema of "answer" must be nested no deeper than 256 levels',
    )
  })

  it.each<[what: string, reply: ModelReply]>([
    ['in its finish', { ...say('I cannot do that.'), finish: 'refusal' }],
    ['without a word', { parts: [], finish: 'refusal' }],
    ['by its filter', { ...say('{"to'), finish: 'content-filter' }],
  ])('is not asked for again from a model that declines %s', async (_, reply) => {
    const { requests, end } = await play([reply], { answer: anything })
    expect(requests).toHaveLength(1)
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'answer_refused' } })
  })
})

describe('a text that was cut', () => {
  it('and has no more to say is the answer', async () => {
    const { checks, end } = await play([cut('One, two, three.'), { parts: [], finish: 'stop' }])
    expect(checks).toMatchObject([{ verdict: 'repair' }, { verdict: 'accept' }])
    expect(end).toMatchObject({ outcome: 'completed' })
  })

  it('in the middle of a character is put together, and goes back as text', async () => {
    const { messages, checks } = await play([cut('"\ud83d'), say('\ude00"')], { answer: anything })
    expect(checks.at(-1)).toMatchObject({ verdict: 'accept', value: '\u{1f600}' })
    expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/)
  })

  it('before a call is no part of the answer after it', async () => {
    const { checks } = await play([cut('{"a":'), ask(['look', {}]), say('{"b":1}')], { answer: anything })
    expect(checks.at(-1)).toMatchObject({ verdict: 'accept', value: { b: 1 } })
  })
})

describe('a demand for a call that is in doubt', () => {
  it('is not met by a call of another tool', async () => {
    const toolChoice = { mode: 'required', tools: ['look'] } as const
    const { requests, end, messages } = await play(
      [ask(['missing', {}]), say('Done'), ask(['look', {}]), say('Done')],
      { toolChoice },
    )
    expect(requests.map((request) => request.toolChoice?.mode)).toEqual(['required', 'required', 'required', undefined])
    expect(messages.filter(({ role }) => role === 'note')).toMatchObject([{ text: 'Before you answer, call look.' }])
    expect(end).toMatchObject({ outcome: 'completed' })
  })

  it('is met by a call that a check refused, which is not demanded again', async () => {
    const guarded: TestTool = { ...look, check: () => ({ verdict: 'deny', reason: 'not now' }) }
    const { requests, end } = await play(
      [ask(['look', {}]), say('It was refused.')],
      { toolChoice: { mode: 'required', tools: ['look'] } },
      { tools: { look: guarded } },
    )
    expect(requests).toHaveLength(2)
    expect(end).toMatchObject({ outcome: 'completed' })
  })

  it('ends with a model that declines', async () => {
    const refusal: ModelReply = { parts: [{ type: 'refusal', text: 'No.' }], finish: 'refusal' }
    const { requests, end } = await play([refusal], { toolChoice: { mode: 'required' } })
    expect(requests).toHaveLength(1)
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'answer_refused' } })
  })

  it('names only what is allowed, and no scripts where there are none', async () => {
    const options = { allow: ['look'], toolChoice: { mode: 'required' } } as const
    const { requests } = await play([ask(['look', {}]), say('Done')], options, { setup: { scripts: false } })
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([
      { mode: 'required', tools: ['look'] },
      { mode: 'auto', tools: ['look'] },
    ])
  })

  const required = (...tools: string[]) => ({ mode: 'required', tools }) as const
  it.each<[options: Partial<RunOptions>, says: string]>([
    [{ toolChoice: required('write'), allow: ['look'] }, 'a call of "write", which "allow" does not name'],
    [
      { toolChoice: required('look', 'write'), readOnly: true },
      'a call of "write", which is a write, and the run only',
    ],
    [{ toolChoice: required('inner') }, 'a call of "inner", which the model may not call itself'],
    [{ toolChoice: required('script.sleep') }, '"toolChoice.tools" names "script.sleep", which is no tool here'],
    [{ toolChoice: { mode: 'required' }, allow: [] }, 'there is no tool that the model may call in this run'],
    [{ toolChoice: { mode: 'none', tools: ['look'] } }, '"toolChoice.tools" is not for "none"'],
    [{ allow: ['script.results'] }, '"allow" names "script.results", which is no tool here'],
  ])('which the gate would refuse starts no run: %o', async (options, says) => {
    const inner: TestTool = { ...look, callers: ['script'] }
    const setup = { tools: { look, write, inner }, setup: { scripts: false } }
    await expect(play([], options, setup)).rejects.toThrow(says)
  })

  it('leaves open which of some tools: the gate refuses the model the others, and scripts none', async () => {
    const toolChoice = { mode: 'auto', tools: ['look'] } as const
    const { executed, messages } = await play(
      [ask(['other', {}], ['look', {}]), say('Done')],
      { toolChoice },
      {
        tools: { look, other: look },
      },
    )
    expect(executed.map(({ toolName }) => toolName)).toEqual(['look'])
    expect(messages.at(-2)).toMatchObject({
      outcome: 'denied',
      text: expect.stringContaining('\\"other\\" may not be called in this run. Allowed: look.'),
    })
  })
})

describe('two runs of one session', () => {
  it('answer each by its own schema, and the next one in words again', async () => {
    const replies = [say('{"a":1}'), say('{"b":2}'), say('In words.')]
    const requests: ModelRequest[] = []
    const world = new World({
      model: (request) => {
        requests.push(request)
        return replies[requests.length - 1]!
      },
    })
    const agent = await world.agent()
    const format = (name: string): AnswerFormat => ({ name, schema: { type: 'object', required: [name] } })
    const ended = (count: number) =>
      agent.notice(() => agent.events.filter(({ type }) => type === 'run-end').length === count)
    await agent.run('One', { runId: 'r1', answer: format('a') })
    await ended(1)
    await agent.run('Two', { runId: 'r2', answer: format('b') })
    await ended(2)
    await agent.run('Three', { runId: 'r3' })
    await ended(3)
    expect(agent.events.filter(({ type }) => type === 'answer-check')).toMatchObject([
      { value: { a: 1 } },
      { value: { b: 2 } },
    ])
    expect(requests.map(({ answer }) => answer?.name)).toEqual(['a', 'b', undefined])
    expect(requests[2]!.messages.at(-1)).toEqual({ role: 'user', text: 'Three' })
  })
})
