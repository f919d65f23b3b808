import { describe, expect, it } from 'vitest'
import type { Grant } from '../../src/core/approval.js'
import type { CallState } from '../../src/core/call-state.js'
import type { Decision, RunEvent } from '../../src/core/events.js'
import type { Json } from '../../src/core/json.js'
import type { GatePorts } from '../../src/runtime/ports.js'
import type { Command } from '../../src/runtime/protocol.js'
import { withGrant } from '../../src/runtime/use-grant.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, lastResult, say, World, type TestAgent, type TestTool, type WorldOptions } from './world.js'

type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type }

const pay: TestTool = { risk: 'irreversible', repeat: 'allow', run: (input) => input, trusted: true }
const look: TestTool = { risk: 'read', run: (input) => input }
const tools = { pay, look }

async function running(code: string, more: Partial<WorldOptions> = {}, run: Parameters<TestAgent['run']>[1] = {}) {
  const world = new World({
    tools,
    model: inTurn(ask(['run_script', { code }]), (request) => say(lastResult(request))),
    ...more,
  })
  world.sandbox = createIsolateSandbox()
  const agent = await world.agent()
  await agent.run('Go', run)
  return { world, agent }
}

const paid = (world: World): Json[] =>
  world.executed.filter(({ toolName }) => toolName === 'pay').map(({ input }) => input)
const decided = (agent: TestAgent, callId: string) =>
  agent.events.filter(
    (event): event is EventOf<'tool-decision'> => event.type === 'tool-decision' && event.callId === callId,
  )
const asked = async (agent: TestAgent, callId: string): Promise<EventOf<'tool-decision'>> => {
  const found = () => decided(agent, callId).findLast(({ verdict }) => verdict === 'ask')
  await agent.until(() => found() !== undefined)
  return found()!
}
const answer = (agent: TestAgent, { callId, hash }: EventOf<'tool-decision'>, more: Partial<Command> = {}) =>
  agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash, ...more } as Command))
const starts = (agent: TestAgent) =>
  agent.events.filter((event): event is EventOf<'tool-start'> => event.type === 'tool-start')
const payEach = (...inputs: Json[]) => inputs.map((input) => `await tools.pay(${JSON.stringify(input)})`).join('\n')

describe('an approval for the rest of a script', () => {
  it('lets as many other calls run as the person said, and then asks again', async () => {
    const { agent, world } = await running(payEach({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }))
    await answer(agent, await asked(agent, '1.0/0'), { rest: { count: 2 } })
    const fourth = await asked(agent, '1.0/3')
    expect(paid(world)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(starts(agent).map(({ callId, grant }) => [callId, grant])).toEqual([
      ['1.0', undefined],
      ['1.0/0', undefined],
      ['1.0/1', '1.0/0'],
      ['1.0/2', '1.0/0'],
    ])
    expect(decided(agent, '1.0/1')).toMatchObject([{ verdict: 'allow', grant: '1.0/0', rules: ['risk'] }])
    await answer(agent, fourth)
    await agent.end()
    expect(paid(world)).toHaveLength(4)
  })

  it('is for those too that ask already, and never for more, however they come', async () => {
    const code = 'return (await Promise.allSettled([1, 2, 3, 4, 5].map((n) => tools.look({ n })))).length'
    const { agent, world } = await running(code, {}, { askAll: true })
    await answer(agent, await asked(agent, '1.0'))
    for (const n of [0, 1, 2, 3, 4]) await asked(agent, `1.0/${n}`)
    await answer(agent, await asked(agent, '1.0/0'), { rest: { count: 2 } })
    await agent.until(() => starts(agent).length === 4)
    await agent.until(() => decided(agent, '1.0/3').length > 1 && decided(agent, '1.0/4').length > 1)
    for (const n of [3, 4]) await agent.until(() => decided(agent, `1.0/${n}`).at(-1)?.verdict === 'ask')
    expect(world.executed).toHaveLength(3)
  })

  it('holds the fields that the person fixed', async () => {
    const { agent, world } = await running(payEach({ to: 'ann', n: 1 }, { to: 'ann', n: 2 }, { to: 'eve', n: 3 }))
    await answer(agent, await asked(agent, '1.0/0'), { rest: { count: 9, fixed: ['/to'] } })
    await asked(agent, '1.0/2')
    expect(paid(world)).toEqual([
      { to: 'ann', n: 1 },
      { to: 'ann', n: 2 },
    ])
  })

  it('is not for a call that has another reason', async () => {
    const check: NonNullable<WorldOptions['page']>['check'] = async ({ input }) => {
      const isBig = (input as { n: number }).n > 100
      const answers = isBig ? [{ rule: 'check', verdict: 'ask' as const, reason: 'A big one.' }] : []
      return { ok: true, value: { answers } }
    }
    const { agent, world } = await running(payEach({ n: 1 }, { n: 2 }, { n: 500 }), {
      tools: { pay: { ...pay, checked: true } },
      page: { check },
    })
    await answer(agent, await asked(agent, '1.0/0'), { rest: { count: 9 } })
    expect((await asked(agent, '1.0/2')).rules).toEqual(['risk', 'check'])
    expect(paid(world)).toHaveLength(2)
  })

  it('ends when untrusted text is read, which the person did not know of', async () => {
    const { agent, world } = await running(`${payEach({ n: 1 }, { n: 2 })}\nawait tools.look({})\n${payEach({ n: 3 })}`)
    await answer(agent, await asked(agent, '1.0/0'), { rest: { count: 9 } })
    const third = await asked(agent, '1.0/3')
    expect(third.detail).toMatchObject({ untrusted: ['look'] })
    expect(paid(world)).toHaveLength(2)
    await answer(agent, third, { rest: { count: 9 } })
    await agent.end()
    expect(paid(world)).toHaveLength(3)
  })

  it('is not for another script', async () => {
    const code = payEach({ n: 1 }, { n: 2 })
    const model = inTurn(ask(['run_script', { code }], ['run_script', { code: payEach({ n: 3 }) }]), say('Done'))
    const { agent, world } = await running('', { model })
    await asked(agent, '1.1/0')
    await answer(agent, await asked(agent, '1.0/0'), { rest: { count: 9 } })
    await agent.until((event) => event.type === 'tool-result' && event.callId === '1.0')
    expect(paid(world)).toEqual([{ n: 1 }, { n: 2 }])
    expect(decided(agent, '1.1/0')).toHaveLength(1)
  })

  it('of an edited call is bound to the edited input, and other calls to what was asked', async () => {
    const { agent, world } = await running(payEach({ to: 'eve' }, { to: 'ann' }, { to: 'eve' }))
    const first = await asked(agent, '1.0/0')
    await answer(agent, first, { input: { to: 'ann' }, rest: { count: 9, fixed: ['/to'] } })
    await asked(agent, '1.0/2')
    expect(paid(world)).toEqual([{ to: 'ann' }, { to: 'ann' }])
  })

  it.each<[string, unknown]>([
    ['"rest.count" must be a whole number from 1 to 10000', { count: 0 }],
    ['"rest.count" must be a whole number from 1 to 10000', { count: 10_001 }],
    ['"rest.count" must be a whole number from 1 to 10000', { count: 1.5 }],
    ['"rest.count" must be a whole number from 1 to 10000', { count: '5' }],
    ['"rest.count" must be a whole number from 1 to 10000', true],
    ['"rest.fixed" must be an array', { count: 1, fixed: '/to' }],
    ['"rest.fixed" must have JSON Pointers', { count: 1, fixed: ['/nothing'] }],
    ['"rest.fixed" must have JSON Pointers', { count: 1, fixed: ['to'] }],
    ['"rest.fixed" must have JSON Pointers', { count: 1, fixed: ['/*'] }],
    ['"rest.fixed" must have JSON Pointers', { count: 1, fixed: ['/__proto__'] }],
    ['"rest.fixed" must have JSON Pointers', { count: 1, fixed: [7] }],
    ['"rest" has no "counts"', { count: 1, counts: 2 }],
  ])('that is wrong is refused: %s (%j)', async (message, rest) => {
    const { agent, world } = await running(payEach({ to: 'ann' }))
    const decision = await asked(agent, '1.0/0')
    await expect(answer(agent, decision, { rest } as never)).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(message),
    })
    expect(paid(world)).toEqual([])
  })

  it('is refused for a call of no script', async () => {
    const { agent } = await running('', { model: inTurn(ask(['pay', {}]), say('Done')) })
    const decision = await asked(agent, '1.0')
    for (const more of [{ rest: { count: 1 } }, { type: 'deny', rest: true }] as Partial<Command>[])
      await expect(answer(agent, decision, more)).rejects.toMatchObject({ code: 'invalid_options' })
  })
})

describe('a denial for the rest of a script', () => {
  it('denies the others, those that ask already and those that come, and no other tool', async () => {
    const code = `
      const both = await Promise.allSettled([tools.pay({ n: 1 }), tools.pay({ n: 2 })])
      await tools.look({})
      return [...both, ...await Promise.allSettled([tools.pay({ n: 3 })])].map(({ reason }) => reason.code)`
    const { agent, world } = await running(code)
    await asked(agent, '1.0/1')
    await answer(agent, await asked(agent, '1.0/0'), { type: 'deny', rest: true })
    await agent.end()
    expect(paid(world)).toEqual([])
    expect(decided(agent, '1.0/1').at(-1)).toMatchObject({ verdict: 'deny', rules: ['risk', 'grant'] })
    const said = agent.events.findLast((event) => event.type === 'assistant-message')
    expect(said).toMatchObject({ parts: [{ text: '["denied","denied","denied"]' }] })
  })
})

describe('a grant', () => {
  const decision: Decision = { verdict: 'ask', mode: 'write', hash: 'h', reasons: ['It cannot be undone.'] }
  const call: CallState = {
    callId: '1.0/1',
    toolName: 'pay',
    input: { to: 'ann' },
    caller: 'script',
    phase: 'proposed',
    round: 0,
    nth: 3,
  }
  const grant = {
    approved: true,
    toolName: 'pay',
    tool: 't1',
    count: 2,
    fixed: {},
    reasons: ['It cannot be undone.'],
    untrusted: false,
  }
  const under = (changed: Partial<Grant & { used: number; parent: string }> = {}, untrusted: string[] = []) =>
    ({
      log: { state: { grants: new Map([['1.0/0', { ...grant, parent: '1.0', used: 0, ...changed }]]) } },
      tools: { get: () => ({ hash: 't1' }) },
      memory: { provenance: { untrusted } },
    }) as unknown as GatePorts

  it('lets a call run that fits', () => {
    expect(withGrant(under(), call, decision)).toEqual({ ...decision, verdict: 'allow', grant: '1.0/0' })
  })

  it.each<[string, Partial<Grant & { used: number; parent: string }>]>([
    ['another tool', { toolName: 'refund' }],
    ['another definition', { tool: 't0' }],
    ['another script', { parent: '1.1' }],
    ['as many calls as were made', { used: 2 }],
    ['other reasons', { reasons: ['It changes something, and can be undone.'] }],
    ['another value', { fixed: { '/to': 'eve' } }],
    ['a value that is not there', { fixed: { '/from': 'eve' } }],
  ])('for %s lets nothing run', (_, changed) => {
    expect(withGrant(under(changed), call, decision)).toBe(decision)
  })

  it('given before untrusted text was read lets nothing run after it', () => {
    expect(withGrant(under({}, ['look']), call, decision)).toBe(decision)
    expect(withGrant(under({ untrusted: true }, ['look']), call, decision).verdict).toBe('allow')
  })

  it('is not used by a call that a person edited or approved, nor by one that is denied or allowed, nor by the model', () => {
    expect(withGrant(under(), { ...call, edited: true }, decision)).toBe(decision)
    expect(withGrant(under(), { ...call, approved: 'h' }, decision)).toBe(decision)
    expect(withGrant(under(), { ...call, callId: '1.1' }, decision)).toBe(decision)
    for (const verdict of ['deny', 'allow'] as const) {
      const other = { ...decision, verdict }
      expect(withGrant(under(), call, other)).toBe(other)
    }
  })

  it('that denies has no bounds but its tool and its script, and no say over what a person approved', () => {
    const no = { approved: false, count: undefined, reasons: [], tool: 'other' }
    const allowed = { ...decision, verdict: 'allow' as const }
    for (const each of [decision, allowed]) expect(withGrant(under(no), call, each).verdict).toBe('deny')
    expect(withGrant(under({ ...no, parent: '1.1' }), call, decision)).toBe(decision)
    expect(withGrant(under(no), { ...call, approved: 'h' }, decision)).toBe(decision)
  })
})
