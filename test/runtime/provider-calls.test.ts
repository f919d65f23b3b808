import { describe, expect, it } from 'vitest'
import { HandrailError } from '../../src/errors.js'
import type { ModelReply, ModelRequest, ReplyPart } from '../../src/models/model.js'
import { ask, say, World, type TestTool } from './world.js'

const look: TestTool = { risk: 'read', run: () => ({ found: 3 }) }
const remote: ReplyPart = {
  type: 'call',
  toolName: 'crm.delete_contact',
  inputText: '{"id":7}',
  wireId: 'mcpr_1',
  executor: 'provider',
  native: { type: 'mcp_approval_request', id: 'mcpr_1' },
}
const asks: ModelReply = { parts: [remote], finish: 'calls' }

function world(replies: readonly ModelReply[], tools: Readonly<Record<string, TestTool>> = { look }) {
  const requests: ModelRequest[] = []
  const made = new World({
    tools,
    model: (request) => {
      requests.push(request)
      return replies[requests.length - 1]!
    },
  })
  return { made, requests }
}

describe('a call that the provider runs', () => {
  it('waits for a person, who sees what it is, and then tells the provider that it may', async () => {
    const { made, requests } = world([asks, say('Deleted.')])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    const decision = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    expect(decision).toMatchObject({ verdict: 'ask', reasons: [expect.stringContaining('provider')] })
    expect(requests).toHaveLength(1)
    await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: decision.hash }))
    await agent.end()
    expect(made.executed).toEqual([])
    expect(requests[1]!.messages.at(-1)).toMatchObject({
      role: 'tool',
      outcome: 'ok',
      call: { wireId: 'mcpr_1', executor: 'provider', input: { id: 7 } },
    })
  })

  it('is refused with the reason that the person gave', async () => {
    const { made, requests } = world([asks, say('Then not.')])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    await agent.ok(agent.api.command('s', { type: 'deny', runId: 'r1', callId: '1.0', hash, reason: 'not mine' }))
    await agent.end()
    expect(requests[1]!.messages.at(-1)).toMatchObject({ outcome: 'denied', text: expect.stringContaining('not mine') })
  })

  it('cannot be edited: the provider would run what it asked for', async () => {
    const { made } = world([asks])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    const command = { type: 'approve', runId: 'r1', callId: '1.0', hash, input: { id: 8 } } as const
    await expect(agent.ok(agent.api.command('s', command))).rejects.toMatchObject({ code: 'invalid_options' })
  })

  it("never runs the page's tool of the same name, nor counts as a script", async () => {
    for (const toolName of ['look', 'run_script', 'script.results']) {
      const { made, requests } = world([{ parts: [{ ...remote, toolName }], finish: 'calls' }, say('Done.')])
      const agent = await made.agent()
      await agent.run('Go')
      const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
      await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
      await agent.end()
      expect(made.executed).toEqual([])
      expect(requests[1]!.messages.at(-1)).toMatchObject({ outcome: 'ok', text: 'approved' })
    }
  })

  it('is not approved under another hash, nor twice', async () => {
    const { made } = world([asks, say('Deleted.')])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    const approve = (given: string) =>
      agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: given }))
    await expect(approve('other')).rejects.toMatchObject({ code: 'stale_approval' })
    const both = await Promise.allSettled([approve(hash), approve(hash)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await agent.end()
    expect(agent.events.filter(({ type }) => type === 'approval-response')).toHaveLength(1)
  })

  it('is refused when the run is cancelled while it asks', async () => {
    const { made, requests } = world([asks, say('Hello.')])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    await agent.until(({ type }) => type === 'tool-decision')
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    await agent.end()
    await agent.run('Hello', { runId: 'r2' })
    await agent.notice(() => agent.events.filter(({ type }) => type === 'run-end').length === 2)
    expect(requests[1]!.messages.find(({ role }) => role === 'tool')).toMatchObject({ outcome: 'cancelled' })
  })

  it('of a program gets approval_required at once: a program cannot wait for a person', async () => {
    const { made, requests } = world([{ parts: [{ ...remote, caller: 'program' }], finish: 'calls' }, say('Not.')])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    await agent.end()
    expect(requests[1]!.messages.at(-1)).toMatchObject({ text: expect.stringContaining('approval_required') })
  })

  it('is not asked about when the run has used up its calls', async () => {
    const { made } = world([{ parts: [...ask(['look', {}]).parts, remote], finish: 'calls' }, say('Not.')])
    const budgeted = new World({ ...made.options, setup: { budget: { calls: 1 } } })
    const agent = await budgeted.agent()
    await agent.run('Delete contact 7')
    expect(await agent.end()).toMatchObject({ outcome: 'budget-exceeded' })
    expect(agent.events.filter((event) => event.type === 'tool-decision' && event.verdict === 'ask')).toEqual([])
  })

  it('is shown as text when its arguments are no JSON', async () => {
    const { made } = world([{ parts: [{ ...remote, inputText: '{"id":' }], finish: 'calls' }])
    const agent = await made.agent()
    await agent.run('Delete contact 7')
    expect(await agent.until(({ type }) => type === 'tool-decision')).toMatchObject({ verdict: 'ask', input: '{"id":' })
  })

  it.each([{ readOnly: true }, { allow: ['look'] }, { toolChoice: { mode: 'none' } as const }])(
    'is denied in a run with %o',
    async (options) => {
      const { made } = world([asks, say('Then not.')])
      const agent = await made.agent()
      await agent.run('Delete contact 7', options)
      await agent.end()
      expect(agent.events.find(({ type }) => type === 'tool-decision')).toMatchObject({
        verdict: 'deny',
        failure: { code: 'not_allowed' },
      })
    },
  )
})

describe('a call of a program that the provider runs', () => {
  const program = (toolName: string): ModelReply => ({
    parts: [{ type: 'call', toolName, inputText: '{}', caller: 'program' }],
    finish: 'calls',
  })

  it('passes the gate as the caller that it is', async () => {
    const { made, requests } = world([program('look'), say('3.')])
    const agent = await made.agent()
    await agent.run('Look')
    await agent.end()
    expect(made.executed).toHaveLength(1)
    expect(requests[1]!.messages.at(-1)).toMatchObject({ outcome: 'ok', call: { caller: 'program' } })
  })

  it.each<[name: string, tool: TestTool, code: string]>([
    ['approval_required where a person would be asked', { risk: 'reversible', run: () => null }, 'approval_required'],
    ['not_allowed where only scripts may call', { ...look, callers: ['script'] }, 'not_allowed'],
  ])('gets %s, at once', async (_, tool, code) => {
    const { made, requests } = world([program('guarded'), say('Then not.')], { guarded: tool })
    const agent = await made.agent()
    await agent.run('Go')
    await agent.end()
    expect(made.executed).toEqual([])
    expect(requests[1]!.messages.at(-1)).toMatchObject({ outcome: 'denied', text: expect.stringContaining(code) })
  })
})

describe('the policy of callers', () => {
  it('refuses the model itself a tool that is for scripts, whatever it was told', async () => {
    const { made, requests } = world([ask(['inner', {}]), say('Then not.')], {
      inner: { ...look, callers: ['script'] },
    })
    const agent = await made.agent()
    await agent.run('Go')
    await agent.end()
    expect(made.executed).toEqual([])
    expect(requests[1]!.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('may not be called by a model. It may by: script.'),
    })
  })
})

describe('a text tool', () => {
  const query: TestTool = { risk: 'read', input: { type: 'string' }, run: (input) => ({ ran: input }) }

  it.each<[from: string, part: Partial<ReplyPart>]>([
    ['a provider that has them', { inputText: '1 + {"a"', isText: true }],
    ['one that was told of an object', { inputText: '{"input":"1 + {\\"a\\""}' }],
  ])('gets its text from %s', async (_, part) => {
    const call = { type: 'call', toolName: 'query', ...part } as ReplyPart
    const { made } = world([{ parts: [call], finish: 'calls' }, say('Done')], { query })
    const agent = await made.agent()
    await agent.run('Go')
    await agent.end()
    expect(made.executed).toMatchObject([{ input: '1 + {"a"' }])
  })
})

describe('what a provider keeps and tells', () => {
  it('is logged, and comes back with its message', async () => {
    const reply: ModelReply = {
      ...ask(['look', {}]),
      serverState: { responseId: 'resp_1' },
      remarks: [{ code: 'unknown_event', detail: { type: 'new' } }],
    }
    const { made, requests } = world([reply, say('3.')])
    const agent = await made.agent()
    await agent.run('Look')
    await agent.end()
    expect(agent.events.find(({ type }) => type === 'assistant-message')).toMatchObject({
      serverState: { responseId: 'resp_1' },
      remarks: [{ code: 'unknown_event', detail: { type: 'new' } }],
    })
    expect(requests[1]!.messages[1]).toMatchObject({ role: 'assistant', serverState: { responseId: 'resp_1' } })
  })

  it('is a failure of the reply where it is no JSON', async () => {
    const { made } = world([{ ...say('x'), serverState: { id: 1n } as never }])
    const agent = await made.agent()
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ failure: { code: 'model_bad_reply' } })
  })
})

describe('the wait before another attempt', () => {
  it('is at least what the provider asked for', async () => {
    let asked = 0
    const times: number[] = []
    const made = new World({
      model: () => {
        times.push(performance.now())
        if (asked++ === 0)
          throw new HandrailError('model_rate_limit', 'Slow down', { retryable: true, retryAfter: 900 })
        return say('Now.')
      },
    })
    const agent = await made.agent()
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(899)
    const failed = agent.events.find((event) => event.type === 'assistant-message' && !event.complete)
    expect(failed).toMatchObject({ failure: { retryAfter: 900 } })
  })
})
