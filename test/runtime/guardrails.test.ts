import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import type { GuardSubject, ModelRequest, PageApi, RuleAnswer } from '../../src/runtime/protocol.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, lastResult, say, World, type TestTool } from './world.js'

type Result = RunEvent & { type: 'tool-result' }

const note: TestTool = { risk: 'read', run: () => 'Card 4111 1111' }
const send: TestTool = { risk: 'reversible', run: () => 'Card 4111 1111' }
const deny: RuleAnswer = { verdict: 'deny', reason: 'It has a card number.', rule: 'guardrail' }
const warn: RuleAnswer = { verdict: 'ask', reason: 'It looks odd.', rule: 'guardrail' }

function guarded(
  guard: PageApi['guard'],
  tools: Readonly<Record<string, TestTool>>,
  ...replies: Parameters<typeof inTurn>
) {
  const world = new World({
    tools,
    model: inTurn(...replies),
    setup: { guards: { input: true, call: false, output: true }, policy: { reversible: 'allow' } },
    page: { guard },
  })
  world.sandbox = createIsolateSandbox()
  return world
}

/** Says this of every output, and nothing of messages. */
const overOutputs =
  (...answers: unknown[]): PageApi['guard'] =>
  async ({ on }) => ({ ok: true, value: on === 'output' ? (answers as RuleAnswer[]) : [] })

async function play(world: World) {
  const agent = await world.agent()
  await agent.run('Go')
  await agent.end()
  const result = agent.events.find((event): event is Result => event.type === 'tool-result')!
  return { agent, result, log: JSON.stringify(agent.events) }
}

describe('guardrails over outputs', () => {
  it('see each output of a tool, before log, model and script', async () => {
    const seen: GuardSubject[] = []
    const guard: PageApi['guard'] = async (subject) => {
      seen.push(subject)
      return { ok: true, value: [{ verdict: 'allow', rule: 'guardrail' }] }
    }
    const code = 'return await tools.note({})'
    const { result } = await play(
      guarded(guard, { note }, ask(['note', {}]), ask(['run_script', { code }]), say('Done')),
    )
    expect(result).toMatchObject({ outcome: 'ok', output: 'Card 4111 1111' })
    const of = { on: 'output', session: 's', runId: 'r1', toolName: 'note', output: 'Card 4111 1111' }
    expect(seen.slice(1)).toEqual([
      { ...of, callId: '1.0' },
      { ...of, callId: '2.0/0' },
    ])
  })

  it('withhold what they deny: a read fails, and nothing of its output is kept', async () => {
    const { result, log } = await play(
      guarded(overOutputs({ verdict: 'allow', rule: 'a' }, warn, deny), { note }, ask(['note', {}]), say('Done')),
    )
    expect(result).toMatchObject({ outcome: 'error', failure: { code: 'output_denied' }, trusted: true })
    expect(result.failure!.message).toContain('It has a card number.')
    expect(log).not.toContain('4111')
  })

  it('do not undo a write: it took effect, and its output is withheld', async () => {
    const world = guarded(overOutputs(deny), { send }, ask(['send', {}]), (request) => say(lastResult(request)))
    const { agent, result, log } = await play(world)
    expect(result).toMatchObject({ outcome: 'ok', outputInvalid: expect.stringContaining('It has a card number.') })
    expect(log).not.toContain('4111')
    expect(JSON.stringify(agent.events.at(-2))).toContain('It took effect.')
  })

  it('withhold what comes to be known by asking the tool, and what comes late', async () => {
    let answer: (value: string) => void = () => {}
    const late: TestTool = { ...send, timeout: 5, run: () => new Promise((resolve) => (answer = resolve)) }
    const found = { ...late, reconcile: () => ({ state: 'done', output: 'Card 4111 1111' }) as const }
    const reconciled = await play(guarded(overOutputs(deny), { found }, ask(['found', {}]), say('Done')))
    expect(reconciled.result).toMatchObject({ outcome: 'ok', outputInvalid: expect.any(String) })
    expect(reconciled.log).not.toContain('4111')

    const { agent, result } = await play(guarded(overOutputs(deny), { late }, ask(['late', {}]), say('Done')))
    expect(result).toMatchObject({ outcome: 'unknown' })
    answer('Card 4111 1111')
    expect(await agent.until(({ type }) => type === 'tool-reconciled')).toMatchObject({ done: true, by: 'late' })
    expect(JSON.stringify(agent.events)).not.toContain('4111')
  })

  it('make what is written later ask, where they ask', async () => {
    const world = guarded(overOutputs(warn, warn), { note, send }, ask(['note', {}]), ask(['send', {}]))
    const agent = await world.agent()
    await agent.run('Go')
    const asked = await agent.until((event) => event.type === 'tool-decision' && event.callId === '2.0')
    expect(agent.events.find(({ type }) => type === 'tool-result')).toMatchObject({ warnings: ['It looks odd.'] })
    expect(asked).toMatchObject({ verdict: 'ask', reasons: [expect.stringContaining('It looks odd.')] })
  })

  /** A write whose answer comes when its run is over, and the decision over one of the next run. */
  async function afterLate(guard: PageApi['guard'], more: Partial<TestTool>) {
    let answer: (value: string) => void = () => {}
    const late: TestTool = { ...send, ...more, timeout: 5, run: () => new Promise((resolve) => (answer = resolve)) }
    let seen = ''
    const next = ({ messages }: ModelRequest) => {
      seen = JSON.stringify(messages)
      return ask(['send', {}])
    }
    const { agent } = await play(guarded(guard, { late, send }, ask(['late', {}]), say('Done'), next))
    answer('It is <b>paid</b>')
    const news = await agent.until(({ type }) => type === 'tool-reconciled')
    await agent.run('More', { runId: 'r2' })
    const decision = await agent.until((event) => event.type === 'tool-decision' && agent.events.indexOf(event) > 9)
    return { news, decision, seen }
  }

  it('make what is written later ask, where they ask of what came late', async () => {
    const { news, decision } = await afterLate(overOutputs(warn), { trusted: true })
    expect(news).toMatchObject({ done: true, warnings: ['It looks odd.'] })
    expect(decision).toMatchObject({ verdict: 'ask', rules: ['warning'], reasons: [expect.stringContaining('odd')] })
  })

  it('do not make the late answer of a trusted tool anything else than its other answers', async () => {
    const { news, decision, seen } = await afterLate(overOutputs(), { trusted: true })
    expect(news).toMatchObject({ trusted: true })
    expect(news).not.toHaveProperty('warnings')
    expect(decision).toMatchObject({ verdict: 'allow' })
    expect(seen).toContain('and returned:\\nIt is <b>paid</b>')
    const other = await afterLate(overOutputs(), {})
    expect(other.news).not.toHaveProperty('trusted')
    expect(other.decision).toMatchObject({ verdict: 'ask', rules: ['trust'] })
    expect(other.seen).toContain('not instructions')
  })

  it.each<[how: string, guard: PageApi['guard']]>([
    ['reject', async ({ on }) => (on === 'input' ? { ok: true, value: [] } : Promise.reject(new Error('gone')))],
    [
      'fail',
      async ({ on }) =>
        on === 'input'
          ? { ok: true, value: [] }
          : { ok: false, failure: { code: 'failed', message: 'broke', retryable: false } },
    ],
    ['answer nothing', overOutputs(null)],
    ['answer something else', overOutputs({ verdict: 'yes' })],
    ['ask without a reason', overOutputs({ verdict: 'ask', reason: '', rule: 'guardrail' })],
    ['answer no list', async ({ on }) => ({ ok: true, value: on === 'input' ? [] : ('allow' as never) })],
  ])('withhold the output when they %s', async (_, guard) => {
    const { result, log } = await play(guarded(guard, { note }, ask(['note', {}]), say('Done')))
    expect(result).toMatchObject({ outcome: 'error', failure: { code: 'output_denied' } })
    expect(log).not.toContain('4111')
  })
})

describe('guardrails over the message', () => {
  const over =
    (...value: RuleAnswer[]): PageApi['guard'] =>
    async ({ on }) => ({ ok: true, value: on === 'input' ? value : [] })

  it('refuse the run where they deny, and nothing of it is stored', async () => {
    const world = guarded(over(warn, deny), { note }, say('Hello'))
    const agent = await world.agent()
    await expect(agent.run('My card is 4111')).rejects.toMatchObject({
      code: 'input_denied',
      message: expect.stringContaining('It has a card number.'),
    })
    expect(await world.store.runs('ann', 's')).toEqual([])
    expect(agent.events).toEqual([])
  })

  it('make every write of the run ask where they ask, and of the next run no longer', async () => {
    const seen: GuardSubject[] = []
    const guard: PageApi['guard'] = async (subject) => {
      if (subject.on === 'input') seen.push(subject)
      return { ok: true, value: subject.on === 'input' && subject.text === 'Odd' ? [warn] : [] }
    }
    const world = guarded(guard, { send }, ask(['send', {}]), say('Done'), ask(['send', { n: 2 }]), say('Done'))
    const agent = await world.agent()
    await agent.run('Odd')
    const asked = await agent.until(({ type }) => type === 'tool-decision')
    expect(agent.events[1]).toMatchObject({ type: 'user-message', warnings: ['It looks odd.'] })
    expect(asked).toMatchObject({ verdict: 'ask', reasons: [expect.stringContaining('It looks odd.')] })
    expect(seen).toEqual([{ on: 'input', session: 's', runId: 'r1', text: 'Odd' }])
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    await agent.end()
    await agent.run('Plain', { runId: 'r2' })
    const message = await agent.until((event) => event.type === 'user-message' && event.text === 'Plain')
    expect(message).not.toHaveProperty('warnings')
  })

  it('are not asked where there are none', async () => {
    const world = new World({
      model: inTurn(say('Hello')),
      page: { guard: () => Promise.reject(new Error('There are none')) },
    })
    const agent = await world.agent()
    await agent.run('Hi')
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
  })
})
