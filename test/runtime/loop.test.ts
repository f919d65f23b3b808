import { describe, expect, it } from 'vitest'
import { ToolError } from '../../src/errors.js'
import { ask, inTurn, lastResult, say, World } from './world.js'

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

describe('a run', () => {
  it('answers, and logs what happened in order', async () => {
    const world = new World({ model: inTurn(say('Hello')) })
    const agent = await world.agent()
    await agent.run('Hi')
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    expect(types(agent.events)).toEqual(['run-start', 'user-message', 'step-start', 'assistant-message', 'run-end'])
  })

  it('gives the result of a read to the model', async () => {
    const world = new World({
      tools: { look: { risk: 'read', run: () => ({ found: 3 }) } },
      model: inTurn(ask(['look', {}]), (request) => say(`Got ${lastResult(request)}`)),
    })
    const agent = await world.agent()
    await agent.run('Look')
    await agent.end()
    expect(agent.events.at(-2)).toMatchObject({ parts: [{ text: 'Got {"found":3}' }] })
  })

  it('asks before a write, and writes only what was approved', async () => {
    const world = new World({
      tools: { send: { risk: 'irreversible', run: () => ({ id: 'AS-1' }) } },
      model: inTurn(ask(['send', { to: 'bob' }]), (request) => say(lastResult(request))),
    })
    const agent = await world.agent()
    await agent.run('Send')
    const decision = await agent.until(({ type }) => type === 'tool-decision')
    expect(decision).toMatchObject({ verdict: 'ask', mode: 'write' })
    expect(world.executed).toEqual([])
    const { hash } = decision as typeof decision & { hash: string }
    await expect(
      agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: 'other' })),
    ).rejects.toThrow(/another input/)
    await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    await agent.end()
    expect(world.executed).toMatchObject([{ toolName: 'send', input: { to: 'bob' }, idempotencyKey: 'r1:1.0' }])
    expect(agent.events.at(-2)).toMatchObject({ parts: [{ text: '{"id":"AS-1"}' }] })
  })

  it('takes no command for an approval that it does not know', async () => {
    const world = new World({
      tools: { send: { risk: 'irreversible', run: () => null } },
      model: inTurn(ask(['send', {}])),
    })
    const agent = await world.agent()
    await agent.run('Send')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    const command = { type: 'postpone', runId: 'r1', callId: '1.0', hash } as never
    expect(await agent.api.command('s', command)).toMatchObject({ failure: { code: 'unknown_command' } })
    expect(agent.events.at(-1)).toMatchObject({ type: 'tool-decision', verdict: 'ask' })
  })

  it('executes an edited input under its own hash', async () => {
    const world = new World({
      tools: { send: { risk: 'irreversible', run: (input) => input } },
      model: inTurn(ask(['send', { to: 'bob' }]), say('Done')),
    })
    const agent = await world.agent()
    await agent.run('Send')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash, input: { to: 'eve' } }))
    await agent.end()
    expect(world.executed).toMatchObject([{ input: { to: 'eve' } }])
  })

  it('tells the model that a person denied, and why', async () => {
    const world = new World({
      tools: { send: { risk: 'irreversible', run: () => null } },
      model: inTurn(ask(['send', {}]), (request) => say(lastResult(request))),
    })
    const agent = await world.agent()
    await agent.run('Send')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    await agent.ok(agent.api.command('s', { type: 'deny', runId: 'r1', callId: '1.0', hash, reason: 'too early' }))
    await agent.end()
    expect(JSON.stringify(agent.events.at(-2))).toContain('too early')
    expect(world.executed).toEqual([])
  })

  it('settles a write that broke as unknown, and one that refused as an error', async () => {
    const world = new World({
      tools: {
        breaks: {
          risk: 'irreversible',
          run: () => {
            throw new TypeError('lost')
          },
        },
        refuses: {
          risk: 'irreversible',
          run: () => {
            throw new ToolError('too_late', 'Too late')
          },
        },
      },
      model: inTurn(ask(['breaks', {}], ['refuses', {}]), say('Hm')),
    })
    const agent = await world.agent()
    await agent.run('Do both')
    for (const callId of ['1.0', '1.1']) {
      const asked = await agent.until(
        (event) => event.type === 'tool-decision' && event.callId === callId && event.verdict === 'ask',
      )
      await agent.ok(
        agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash: (asked as { hash: string }).hash }),
      )
      if (callId === '1.0') await agent.until((event) => event.type === 'tool-result')
    }
    // The write after it has a new reason, the unknown outcome, and asks again.
    const again = await agent.until(
      (event) => event.type === 'tool-decision' && event.callId === '1.1' && (event.reasons?.length ?? 0) > 1,
    )
    await agent.ok(
      agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.1', hash: (again as { hash: string }).hash }),
    )
    await agent.end()
    expect(agent.events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { callId: '1.0', outcome: 'unknown' },
      { callId: '1.1', outcome: 'error', failure: { code: 'too_late' } },
    ])
  })

  it('ends as budget-exceeded, with what was done and whom to ask', async () => {
    const world = new World({
      tools: { look: { risk: 'read', run: () => 1 } },
      model: () => ask(['look', {}]),
      setup: { budget: { steps: 3 } },
    })
    const agent = await world.agent()
    await agent.run('For ever')
    expect(await agent.end()).toMatchObject({
      outcome: 'budget-exceeded',
      budget: 'steps',
      message: expect.stringMatching(/3 steps.*3 calls.*person/),
    })
  })

  it('cancels what has not started, and ends', async () => {
    const world = new World({
      tools: { slow: { risk: 'read', run: () => new Promise(() => undefined) } },
      model: inTurn(ask(['slow', {}], ['slow', { a: 1 }])),
    })
    const agent = await world.agent()
    await agent.run('Wait')
    await agent.until((event) => event.type === 'tool-start' && event.callId === '1.1')
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
    expect(agent.events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { outcome: 'cancelled' },
      { outcome: 'cancelled' },
    ])
  })

  it('fails with the reason when the model refuses the request', async () => {
    const world = new World({ model: inTurn() })
    const agent = await world.agent()
    await agent.run('Hi')
    expect(await agent.end()).toMatchObject({ outcome: 'failed', failure: { code: 'model_bad_request' } })
  })

  it('refuses a second run while one is open', async () => {
    const world = new World({ model: () => new Promise(() => undefined) })
    const agent = await world.agent()
    await agent.run('One')
    await expect(agent.run('Two', { runId: 'r2' })).rejects.toMatchObject({ code: 'run_open' })
  })

  it('continues a conversation in its next run', async () => {
    const world = new World({ model: inTurn(say('First'), (request) => say(`Saw ${request.messages.length}`)) })
    const agent = await world.agent()
    await agent.run('One')
    await agent.end()
    await agent.run('Two', { runId: 'r2' })
    const answer = await agent.until((event) => event.type === 'assistant-message' && event !== agent.events[3])
    expect(answer).toMatchObject({ parts: [{ text: 'Saw 3' }] })
  })

  it('tells the model of a late answer in the run that is open then, and the same after a reload', async () => {
    let answer: (output: number) => void = () => {}
    let isRunTwo: () => void = () => {}
    const runTwo = new Promise<void>((resolve) => (isRunTwo = resolve))
    const seen: string[] = []
    const world = new World({
      tools: {
        slow: { risk: 'irreversible', timeout: 20, run: () => new Promise<number>((resolve) => (answer = resolve)) },
        wait: { risk: 'read', run: () => runTwo.then(() => 1) },
      },
      model: (request) => {
        seen.push(request.messages.map(({ role }) => role).join(' '))
        return inTurn(ask(['slow', {}]), say('Unknown'), ask(['wait', {}]), say('Known'), say('More'))(request)
      },
    })
    const agent = await world.agent()
    await agent.run('One')
    const { hash } = (await agent.until(({ type }) => type === 'tool-decision')) as { hash: string }
    await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    await agent.end()
    await agent.run('Two', { runId: 'r2' })
    await agent.until(
      (event) => event.type === 'tool-start' && agent.events.filter((e) => e.type === 'tool-start').length === 2,
    )
    answer(7)
    expect(await agent.until(({ type }) => type === 'tool-reconciled')).toMatchObject({
      runId: 'r1',
      by: 'late',
      output: 7,
    })
    isRunTwo()
    await agent.until(
      (event) => event.type === 'run-end' && event !== agent.events.find(({ type }) => type === 'run-end'),
    )
    await agent.ok(agent.api.unfollow('s'))
    const again = await world.agent()
    await again.run('Three', { runId: 'r3' })
    await again.end()
    expect(seen.at(-2)).toMatch(/tool news$/)
    expect(seen.at(-1)).toBe(`${seen.at(-2)} assistant user`)
  })

  it('denies a call whose own check does not answer', { timeout: 20_000 }, async () => {
    const world = new World({
      tools: { send: { risk: 'irreversible', run: () => null, check: () => new Promise(() => undefined) } },
      model: inTurn(ask(['send', {}]), (request) => say(lastResult(request))),
    })
    const agent = await world.agent()
    await agent.run('Send')
    expect(await agent.until(({ type }) => type === 'tool-decision')).toMatchObject({
      verdict: 'deny',
      failure: { code: 'check_failed' },
    })
  })

  it('refuses a message without text, and a list of tools that names none of them', async () => {
    const agent = await new World({ model: inTurn() }).agent()
    await expect(agent.run('  ')).rejects.toMatchObject({ code: 'invalid_message' })
    await expect(agent.run('Hi', { allow: ['send'] })).rejects.toMatchObject({ code: 'invalid_options' })
    expect(agent.events).toEqual([])
  })
})
