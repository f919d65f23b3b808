import { describe, expect, it } from 'vitest'
import type { AnswerFormat } from '../../src/core/tool-definition.js'
import type { ModelReply, ModelRequest } from '../../src/models/model.js'
import type { RunOptions } from '../../src/runtime/protocol.js'
import { ask, say, World, type TestTool, type WorldOptions } from './world.js'

const look: TestTool = { risk: 'read', run: () => ({ found: 3 }) }
const answer: AnswerFormat = {
  name: 'answer',
  schema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
}
const cut = (text: string): ModelReply => ({ ...say(text), finish: 'length' })
const nothing: ModelReply = { parts: [], finish: 'stop' }

/** Plays the replies one after the other, and keeps the requests. */
async function play(
  replies: readonly ModelReply[],
  options: Partial<RunOptions> = {},
  setup: Partial<WorldOptions> = {},
) {
  const requests: ModelRequest[] = []
  const world = new World({
    tools: { look },
    ...setup,
    model: (request) => {
      requests.push(structuredClone(request) as ModelRequest)
      const reply = replies[requests.length - 1]
      if (!reply) throw new Error('asked too often')
      return reply
    },
  })
  const agent = await world.agent()
  await agent.run('Go', options)
  const end = await agent.end()
  const checks = agent.events.filter(({ type }) => type === 'answer-check')
  return { requests, end, checks, events: agent.events, messages: requests.at(-1)!.messages }
}

describe('an answer by schema', () => {
  it('is told to the model with the message, asked of the provider in every step, and read as JSON', async () => {
    const { requests, end, checks } = await play([ask(['look', {}]), say('{"total":3}')], { answer })
    expect(end).toMatchObject({ outcome: 'completed' })
    expect(requests.map(({ answer: asked }) => asked)).toEqual([answer, answer])
    expect(requests[0]!.messages.at(-1)).toMatchObject({
      role: 'note',
      text: expect.stringContaining(JSON.stringify(answer.schema)),
    })
    expect(checks).toMatchObject([{ verdict: 'accept', value: { total: 3 } }])
  })

  it('may stand in a fence', async () => {
    const { checks } = await play([say('```json\n{"total":3}\n```')], { answer })
    expect(checks).toMatchObject([{ verdict: 'accept', value: { total: 3 } }])
  })

  it('goes back to the model, which reads what is wrong', async () => {
    const { end, messages, checks } = await play([say('Three.'), say('{"total":"3"}'), say('{"total":3}')], { answer })
    expect(end).toMatchObject({ outcome: 'completed' })
    expect(checks.map((check) => 'verdict' in check && check.verdict)).toEqual(['repair', 'repair', 'accept'])
    const notes = messages.flatMap((message) => (message.role === 'note' ? [message.text] : []))
    expect(notes[1]).toContain('is not JSON')
    expect(notes[2]).toMatch(/does not fit the schema: .*total/)
  })

  it('fails the run after two tries more, with the last fault', async () => {
    const { end, requests } = await play([say('a'), say('b'), say('{}')], { answer })
    expect(requests).toHaveLength(3)
    expect(end).toMatchObject({
      outcome: 'failed',
      failure: { code: 'answer_invalid', message: expect.stringContaining('total') },
    })
  })

  it('is not taken from a model that declines', async () => {
    const refusal: ModelReply = { parts: [{ type: 'refusal', text: 'No.' }], finish: 'refusal' }
    const { end, requests } = await play([refusal], { answer })
    expect(requests).toHaveLength(1)
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'answer_refused' } })
  })

  it('must have a schema that is one', async () => {
    const wrong = { name: 'answer', schema: { type: 'thing' } } as AnswerFormat
    await expect(play([], { answer: wrong })).rejects.toMatchObject({ code: 'invalid_schema' })
  })
})

describe('a demand for a call', () => {
  const toolChoice = { mode: 'required', tools: ['look'] } as const

  it('holds until there was one', async () => {
    const { requests, end } = await play([ask(['look', {}]), say('Done')], { toolChoice })
    expect(requests.map(({ toolChoice: choice }) => choice)).toEqual([toolChoice, undefined])
    expect(end).toMatchObject({ outcome: 'completed' })
  })

  it('is repeated to a model that did not hear it', async () => {
    const { end, messages } = await play([say('I think 3.'), ask(['look', {}]), say('3.')], { toolChoice })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'note', 'assistant', 'tool'])
    expect(messages[2]).toMatchObject({ text: 'Before you answer, call look.' })
    expect(end).toMatchObject({ outcome: 'completed' })
  })

  it('fails the run of a model that never does', async () => {
    const { end, requests } = await play([say('a'), say('b'), say('c')], { toolChoice })
    expect(requests).toHaveLength(3)
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'tool_not_called' } })
  })

  it('for none refuses every call', async () => {
    const { events, requests } = await play([ask(['look', {}]), say('Done')], { toolChoice: { mode: 'none' } })
    expect(requests[1]!.toolChoice).toEqual({ mode: 'none' })
    expect(events.find(({ type }) => type === 'tool-decision')).toMatchObject({
      verdict: 'deny',
      failure: { code: 'not_allowed' },
    })
  })

  it('of an allowed list is told to the provider, with scripts', async () => {
    const { requests } = await play([say('Done')], { allow: ['look'] })
    expect(requests[0]!.toolChoice).toEqual({ mode: 'auto', tools: ['look', 'run_script'] })
  })

  it.each<[options: object, says: string]>([
    [{ toolChoice: { mode: 'any' } }, '"toolChoice.mode" must be one of auto, none, required'],
    [{ toolChoice: { mode: 'required', tools: ['lok'] } }, '"toolChoice.tools" names "lok", which is no tool here'],
    [{ toolChoice: { mode: 'auto', tools: [] } }, '"toolChoice.tools" must be an array of names of tools'],
    [{ toolChoice: { mode: 'auto', name: 'look' } }, '"toolChoice" has no "name", only "mode" and "tools"'],
    [{ files: [{ mediaType: 'image/png', data: 'no base64!' }] }, '"files[0]" must be { mediaType, data }'],
    [{ files: [{ mediaType: 'image/png', url: 'javascript:1' }] }, '"files[0]" must be { mediaType, data }'],
  ])('that is wrong starts no run: %o', async (options, says) => {
    await expect(play([], options)).rejects.toThrow(says)
  })
})

describe('a reply that may not be the answer', () => {
  it('that was cut goes on, and is one text', async () => {
    const { messages, checks } = await play([cut('One, two, '), say('three.')])
    expect(checks).toMatchObject([{ verdict: 'repair', note: expect.stringContaining('Go on') }])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'note'])
  })

  it('that was cut again and again fails the run', async () => {
    const { end, requests } = await play([cut('a'), cut('b'), cut('c')])
    expect(requests).toHaveLength(3)
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'reply_cut' } })
  })

  it('that was cut before it said anything fails the run at once', async () => {
    const thought: ModelReply = { parts: [{ type: 'reasoning', text: 'hm' }], finish: 'length' }
    const { end, requests } = await play([thought])
    expect(requests).toHaveLength(1)
    expect(end).toMatchObject({ failure: { code: 'reply_cut', message: expect.stringContaining('maxOutputTokens') } })
  })

  it('that was cut and is JSON is put together before it is read', async () => {
    const { checks } = await play([cut('{"to'), say('tal":3}')], { answer })
    expect(checks.at(-1)).toMatchObject({ verdict: 'accept', value: { total: 3 } })
  })

  it('that says nothing is asked for once more', async () => {
    const { checks, end } = await play([nothing, say('Yes.')])
    expect(checks).toMatchObject([{ verdict: 'repair', note: 'You said nothing. Answer now.' }])
    expect(end).toMatchObject({ outcome: 'completed' })
    expect((await play([nothing, nothing])).end).toMatchObject({ outcome: 'completed' })
  })

  it('that fills the window ends the run with what to do', async () => {
    const { end } = await play([{ ...say('par'), finish: 'context' }])
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'context_full' } })
  })

  it('ends a run within its budget of steps', async () => {
    const { end } = await play([cut('a')], {}, { setup: { budget: { steps: 1 } } })
    expect(end).toMatchObject({ outcome: 'budget-exceeded', budget: 'steps' })
  })
})

describe('what goes with a message', () => {
  const file = { mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'a.png' }

  it('are files and instructions, which stay in the transcript', async () => {
    const { messages } = await play([say('A logo.')], { files: [file], instructions: 'Page: orders.' })
    expect(messages).toMatchObject([
      { role: 'user', text: 'Go', files: [file] },
      { role: 'instructions', text: 'Page: orders.' },
    ])
  })

  it('are the files of a result, and a note of them in its text', async () => {
    const shot: TestTool = { risk: 'read', returnsFiles: true, run: () => ({ page: 1, files: [file] }) }
    const { messages } = await play([ask(['shot', {}]), say('A logo.')], {}, { tools: { shot } })
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      files: [file],
      text: '{"page":1,"files":["[file \\"a.png\\": image/png, 8 bytes]"]}',
    })
  })

  it('are no files that are none', async () => {
    const shot: TestTool = { risk: 'read', returnsFiles: true, run: () => ({ files: ['a.png'] }) }
    const { messages } = await play([ask(['shot', {}]), say('No.')], {}, { tools: { shot } })
    expect(messages.at(-1)).toMatchObject({ outcome: 'error', text: expect.stringContaining('output_invalid') })
  })

  it('are told of the deferred tools that a result names', async () => {
    const find: TestTool = { risk: 'read', returnsTools: true, run: () => ({ tools: ['rate'] }) }
    const { messages } = await play([ask(['find', {}]), say('Found.')], {}, { tools: { find } })
    expect(messages.at(-1)).toMatchObject({ role: 'tool', tools: ['rate'], text: '{"tools":["rate"]}' })
    const wrong: TestTool = { ...find, run: () => ({ tools: [1] }) }
    const { messages: others } = await play([ask(['find', {}]), say('No.')], {}, { tools: { find: wrong } })
    expect(others.at(-1)).toMatchObject({ outcome: 'error', text: expect.stringContaining('must have \\"tools\\"') })
  })
})
