import {
  createAgent,
  defineTool,
  HandrailError,
  ToolError,
  type Agent,
  type AgentOptions,
  type Run,
  type Tool,
} from 'handrail'
import { scriptedModel, type Model, type ScriptedStep } from 'handrail/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

const orderInput = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
} as const

/** What the tools of one test did, in order. */
let done: string[] = []
const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its id',
  input: orderInput,
  risk: 'read',
  run({ id }) {
    done.push(`find ${id}`)
    return { id, total: 12 }
  },
})
const cancelOrder = defineTool({
  name: 'cancel_order',
  description: 'Cancels an order',
  input: orderInput,
  risk: 'irreversible',
  run({ id }) {
    done.push(`cancel ${id}`)
    return { cancelled: id }
  },
})

const calls = (tool: string, input: { id: string }): ScriptedStep => ({ calls: [{ tool, input }] })

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
  done = []
})

type Options = Partial<Omit<AgentOptions, 'model'>> & { replies?: readonly ScriptedStep[]; model?: Model }

function start({ replies = [], model = scriptedModel(replies), ...options }: Options = {}): Agent {
  const agent = createAgent({
    model,
    instructions: 'Help with orders.',
    tools: [findOrder, cancelOrder],
    owner: `owner-${crypto.randomUUID()}`,
    ...options,
  })
  agents.push(agent)
  return agent
}

async function untilAsking(run: Run, count = 1): Promise<void> {
  await vi.waitFor(() => expect(run.approvals).toHaveLength(count), { timeout: 10_000, interval: 10 })
}

const typesOf = (run: Run) => run.events.map(({ type }) => type)
const resultOf = (run: Run, callId: string) =>
  run.events.find((event) => event.type === 'tool-result' && event.callId === callId)
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => `resolved: ${JSON.stringify(value)}`,
    (error: unknown) => (HandrailError.is(error) ? error.code : `not ours: ${String(error)}`),
  )

describe('an agent', () => {
  it('answers with a page tool, streaming on the way', async () => {
    const agent = start({
      replies: [calls('find_order', { id: 'O-1' }), { text: 'It comes to 12 euros, all in all.' }],
    })
    const run = agent.run('What does O-1 cost?')
    let streamed = ''
    const seen: string[] = []
    for await (const update of run) {
      if (update.type === 'event') seen.push(update.event.type)
      else if (update.type === 'delta' && update.delta.type === 'text') streamed += update.delta.text
    }
    expect(await run.answer).toBe('It comes to 12 euros, all in all.')
    expect(streamed).toBe('It comes to 12 euros, all in all.')
    expect(seen).toEqual(typesOf(run))
    expect(seen).toEqual([
      'run-start',
      'user-message',
      'step-start',
      'assistant-message',
      'tool-decision',
      'tool-start',
      'tool-result',
      'step-start',
      'assistant-message',
      'run-end',
    ])
    expect(done).toEqual(['find O-1'])
  })

  it('runs a write when a person approves it, once', async () => {
    const agent = start({ replies: [calls('cancel_order', { id: 'O-1' }), { text: 'Done.' }] })
    const run = agent.run('Cancel O-1')
    await untilAsking(run)
    expect(run.approvals[0]).toMatchObject({ toolName: 'cancel_order', input: { id: 'O-1' }, risk: 'irreversible' })
    expect(done).toEqual([])
    const { callId, hash } = run.approvals[0]!
    const both = await Promise.all([codeOf(run.approve(callId, { hash })), codeOf(run.approve(callId, { hash }))])
    expect(both).toEqual(['resolved: undefined', expect.stringMatching(/^(stale_approval|not_asking)$/)])
    expect(await run.answer).toBe('Done.')
    expect(done).toEqual(['cancel O-1'])
  })

  it('runs the edited input that a person approves', async () => {
    const agent = start({ replies: [calls('cancel_order', { id: 'O-1' }), { text: 'Done.' }] })
    const run = agent.run('Cancel O-1')
    await untilAsking(run)
    expect(await codeOf(run.approve('1.0', { input: { no: 'id' } }))).toMatch(/^(?!resolved|not ours)/)
    await run.approve('1.0', { input: { id: 'O-2' } })
    expect(await run.answer).toBe('Done.')
    expect(done).toEqual(['cancel O-2'])
  })

  it('runs nothing that a person denies, and tells the model why', async () => {
    let told = ''
    const replies: ScriptedStep[] = [
      calls('cancel_order', { id: 'O-1' }),
      ({ messages }) => {
        const last = messages.at(-1)
        told = last?.role === 'tool' ? last.text : ''
        return { text: 'Then not.' }
      },
    ]
    const run = start({ replies }).run('Cancel O-1')
    await untilAsking(run)
    await run.deny('1.0', 'It is a gift')
    expect(await run.answer).toBe('Then not.')
    expect(told).toContain('It is a gift')
    expect(done).toEqual([])
    expect(await codeOf(run.approve('1.0'))).toBe('not_asking')
  })

  it('cancels a run that waits for a person', async () => {
    const run = start({ replies: [calls('cancel_order', { id: 'O-1' })] }).run('Cancel O-1')
    await untilAsking(run)
    await run.cancel()
    expect(await codeOf(run.answer)).toBe('run_cancelled')
    expect(run.approvals).toEqual([])
    expect(done).toEqual([])
    expect(await codeOf(run.cancel())).toBe('run_over')
  })

  it('cancels a run in the middle of its stream, and keeps the text that was shown', async () => {
    const agent = start({
      model: scriptedModel([{ text: 'One two three four five six seven eight.' }], { chunkSize: 4, delay: 100 }),
    })
    const run = agent.run('Count')
    for await (const update of run) if (update.type === 'delta') await run.cancel().catch(() => undefined)
    expect(await codeOf(run.answer)).toBe('run_cancelled')
    expect(run.events.find(({ type }) => type === 'assistant-message')).toMatchObject({
      complete: false,
      parts: [{ type: 'text', text: expect.stringMatching(/^One/) }],
    })
  })

  it('takes no second run while one is open', async () => {
    const agent = start({ replies: [calls('cancel_order', { id: 'O-1' })] })
    const run = agent.run('Cancel O-1')
    expect(() => agent.run('And O-2')).toThrow(expect.objectContaining({ code: 'run_open' }))
    await untilAsking(run)
    expect(() => agent.run('And O-2')).toThrow(expect.objectContaining({ code: 'run_open' }))
    expect(() => agent.run('')).toThrow(expect.objectContaining({ code: 'invalid_options' }))
  })

  it('refuses what the run may not call', async () => {
    const replies = [calls('cancel_order', { id: 'O-1' }), { text: 'I may only look.' }]
    const run = start({ replies }).run('Cancel O-1', { readOnly: true })
    expect(await run.answer).toBe('I may only look.')
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'denied' })
    expect(done).toEqual([])
  })

  it('ends with the reason when its model fails', async () => {
    const run = start({ replies: [{ error: { code: 'model_auth', message: 'The key was refused' } }] }).run('Hello')
    await expect(run.answer).rejects.toMatchObject({
      code: 'run_failed',
      message: expect.stringContaining('The key was refused'),
    })
  })

  it('ends when a budget is used up', async () => {
    const replies = [calls('find_order', { id: 'O-1' }), { text: 'Never asked.' }]
    const run = start({ replies, budget: { steps: 1 } }).run('What does O-1 cost?')
    expect(await codeOf(run.answer)).toBe('budget_exceeded')
  })
})

describe('a script', () => {
  const worker = () => new Worker(new URL('./fixtures/client/scripting.worker.ts', import.meta.url), { type: 'module' })
  const runs = (code: string): ScriptedStep => ({ calls: [{ tool: 'run_script', input: { code } }] })

  it('calls page tools, and gives the model only what it returns', async () => {
    const replies = [
      runs(`const found = await Promise.all(['O-1', 'O-2', 'O-3'].map((id) => tools.find_order({ id })))
        return found.reduce((sum, { total }) => sum + total, 0)`),
      { text: 'They come to 36 euros.' },
    ]
    const run = start({ worker, replies }).run('What do my orders cost?')
    expect(await run.answer).toBe('They come to 36 euros.')
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'ok', output: 36 })
    expect(done.toSorted()).toEqual(['find O-1', 'find O-2', 'find O-3'])
  })

  it('goes on after its page was left while a person was asked, and repeats nothing', async () => {
    const [owner, session] = [`owner-${crypto.randomUUID()}`, `session-${crypto.randomUUID()}`]
    const code = `const order = await tools.find_order({ id: 'O-1' })
      return [order.total, await tools.cancel_order({ id: order.id })]`
    const before = start({ worker, owner, session, replies: [runs(code)] })
    await untilAsking(before.run('Cancel O-1'))
    before.close()
    const after = start({ worker, owner, session, replies: [{ text: 'Done.' }] })
    await after.session(session).opened
    const run = after.session(session).openRun!
    await untilAsking(run)
    await run.approve(run.approvals[0]!.callId)
    expect(await run.answer).toBe('Done.')
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'ok', output: [12, { cancelled: 'O-1' }] })
    expect(done).toEqual(['find O-1', 'cancel O-1'])
  })
})

describe('a page tool', () => {
  const tool = (run: Parameters<typeof defineTool>[0]['run'], risk: 'read' | 'reversible', more: object = {}): Tool =>
    defineTool({ name: 'odd', description: 'An odd tool', input: { type: 'object' }, risk, run, ...more }) as Tool
  const replies: ScriptedStep[] = [{ calls: [{ tool: 'odd', input: {} }] }, { text: 'I see.' }]

  it('that refuses settles as an error with its code', async () => {
    const refusing = tool(() => Promise.reject(new ToolError('sold_out', 'Sold out')), 'reversible')
    const run = start({ replies, tools: [refusing] }).run('Go')
    await untilAsking(run)
    await run.approve('1.0')
    await run.answer
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'error', failure: { code: 'sold_out' } })
  })

  it('that throws anything else leaves a write unknown, until a person finds out', async () => {
    const run = start({ replies, tools: [tool(() => Promise.reject(new Error('lost')), 'reversible')] }).run('Go')
    await untilAsking(run)
    await run.approve('1.0')
    await run.answer
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'unknown' })
    expect(run.unknown.map(({ callId }) => callId)).toEqual(['1.0'])
    await run.reconcile('1.0', true)
    await vi.waitFor(() => expect(run.unknown).toEqual([]))
    expect(await codeOf(run.reconcile('1.0', true))).toBe('not_unknown')
  })

  it('whose output cannot be cloned took effect, and says what was wrong', async () => {
    const run = start({ replies, tools: [tool(() => ({ total: 1n }) as never, 'reversible')] }).run('Go')
    await untilAsking(run)
    await run.approve('1.0')
    await run.answer
    expect(resultOf(run, '1.0')).toMatchObject({
      outcome: 'ok',
      outputInvalid: expect.stringContaining('bigint at /total'),
    })
  })

  it('that never answers times out, and is told to stop', async () => {
    let stopped = false
    const silent = tool(
      (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (stopped = true))),
      'read',
      {
        limits: { timeout: 200 },
      },
    )
    const run = start({ replies, tools: [silent] }).run('Go')
    await run.answer
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'timeout' })
    await vi.waitFor(() => expect(stopped).toBe(true))
  })
})

describe('a session', () => {
  it('is found again by another agent, with the approval that waits', async () => {
    const [owner, session] = [`owner-${crypto.randomUUID()}`, `session-${crypto.randomUUID()}`]
    const before = start({ owner, session, replies: [{ text: 'Hello.' }, calls('cancel_order', { id: 'O-1' })] })
    await before.run('Hi').answer
    const asked = before.run('Cancel O-1')
    await untilAsking(asked)
    before.close()
    expect(await codeOf(asked.answer)).toBe('agent_closed')

    const after = start({ owner, session, replies: [{ text: 'Done.' }] })
    const opened = after.session(session)
    await opened.opened
    expect(opened.runs.map(({ events }) => events[1])).toMatchObject([{ text: 'Hi' }, { text: 'Cancel O-1' }])
    expect(await opened.runs[0]!.answer).toBe('Hello.')
    const run = opened.openRun!
    await untilAsking(run)
    expect(run.approvals[0]).toMatchObject({ toolName: 'cancel_order', input: { id: 'O-1' }, risk: 'irreversible' })
    await run.approve('1.0')
    expect(await run.answer).toBe('Done.')
    expect(done).toEqual(['cancel O-1'])
    expect(opened.openRun).toBeUndefined()
  })

  it('is listed and removed by its owner, and neither seen nor touched by another', async () => {
    const session = `session-${crypto.randomUUID()}`
    const mine = start({ session, replies: [{ text: 'Hello.' }] })
    const other = start({ session, replies: [{ text: 'Hello, you.' }] })
    await mine.run('A secret').answer
    expect(await other.sessions()).toEqual([])
    const opened = other.session(session)
    await opened.opened
    expect(opened.runs).toEqual([])
    await other.deleteSession(session)
    expect(await mine.sessions()).toMatchObject([{ session, runs: 1 }])
    expect(await other.run('Hi').answer).toBe('Hello, you.')
    await mine.deleteSession(session)
    expect(await mine.sessions()).toEqual([])
    expect(await other.sessions()).toMatchObject([{ session, runs: 1 }])
  })

  it('tells a listener of every change, until it listens no more', async () => {
    const agent = start({ replies: [{ text: 'Hello.' }, { text: 'Bye.' }] })
    const session = agent.session(agent.currentSession)
    const seen: string[] = []
    const stop = session.subscribe((run, update) =>
      seen.push(update?.type === 'event' ? `${run.id} ${update.event.type}` : ''),
    )
    const run = session.run('Hi')
    await run.answer
    expect(seen.filter(Boolean)).toEqual(typesOf(run).map((type) => `${run.id} ${type}`))
    stop()
    const count = seen.length
    await session.run('Bye').answer
    expect(seen).toHaveLength(count)
  })

  it('that is closed takes no more runs, and can be opened again', async () => {
    const agent = start({ replies: [{ text: 'Hello.' }, { text: 'Again.' }] })
    const session = agent.session('a')
    await session.run('Hi').answer
    session.close()
    expect(() => session.run('Hi')).toThrow(expect.objectContaining({ code: 'session_closed' }))
    const again = agent.session('a')
    await again.opened
    expect(again.runs).toHaveLength(1)
    expect(await again.run('Hi again').answer).toBe('Again.')
  })
})

describe('an agent whose worker dies', () => {
  const spawn = () => new Worker(new URL('../../workers/agent.worker.ts', import.meta.url), { type: 'module' })

  function startKillable(options: Options = {}) {
    const workers: Worker[] = []
    const agent = start({
      ...options,
      worker: () => {
        workers.push(spawn())
        return workers.at(-1)!
      },
    })
    return { agent, workers }
  }

  it('goes on in another, from the log', async () => {
    const replies = [calls('cancel_order', { id: 'O-1' }), { text: 'Done.' }]
    const { agent, workers } = startKillable({ replies })
    const run = agent.run('Cancel O-1')
    await untilAsking(run)
    workers[0]!.terminate()
    await vi.waitFor(() => expect(typesOf(run)).toContain('lease-start'), { timeout: 10_000 })
    expect(workers).toHaveLength(2)
    await run.approve('1.0')
    expect(await run.answer).toBe('Done.')
    expect(done).toEqual(['cancel O-1'])
  })

  it('reads again what it was reading, and never repeats a write', async () => {
    const { agent, workers } = startKillable({
      tools: [
        cancelOrder,
        defineTool({
          name: 'find_order',
          description: 'Finds an order',
          input: orderInput,
          risk: 'read',
          run: ({ id }, { signal }) => {
            done.push(`find ${id}`)
            if (done.length > 1) return { id }
            return new Promise((resolve) => {
              signal.addEventListener('abort', () => {
                done.push('stopped')
                resolve({})
              })
              workers[0]!.terminate()
            })
          },
        }),
      ],
      replies: [calls('find_order', { id: 'O-1' }), { text: 'There.' }],
    })
    const run = agent.run('Find O-1')
    expect(await run.answer).toBe('There.')
    expect(done).toEqual(['find O-1', 'stopped', 'find O-1'])
  })

  it('leaves a write that was in flight unknown, and runs it no second time', async () => {
    const { agent, workers } = startKillable({
      tools: [
        defineTool({
          name: 'cancel_order',
          description: 'Cancels an order',
          input: orderInput,
          risk: 'irreversible',
          run: ({ id }) => {
            done.push(`cancel ${id}`)
            workers[0]!.terminate()
            return new Promise(() => undefined)
          },
        }),
      ],
      replies: [calls('cancel_order', { id: 'O-1' }), { text: 'I do not know.' }],
    })
    const run = agent.run('Cancel O-1')
    await untilAsking(run)
    await run.approve('1.0').catch(() => undefined)
    expect(await run.answer).toBe('I do not know.')
    expect(resultOf(run, '1.0')).toMatchObject({ outcome: 'unknown' })
    expect(done).toEqual(['cancel O-1'])
  })

  it('starts the run that was on its way when it died', async () => {
    const { agent, workers } = startKillable({ replies: [{ text: 'Hello.' }] })
    await agent.ready
    const run = agent.run('Hi')
    workers[0]!.terminate()
    expect(await run.answer).toBe('Hello.')
    expect(typesOf(run).filter((type) => type === 'run-start')).toHaveLength(1)
  })

  it('gives up after the sixth death in a minute', async () => {
    const { agent, workers } = startKillable({ replies: [calls('cancel_order', { id: 'O-1' })] })
    const run = agent.run('Cancel O-1')
    await untilAsking(run)
    for (let death = 1; death <= 6; death++) {
      await agent.ready
      workers.at(-1)!.terminate()
      await vi.waitFor(() => expect(death === 6 || workers.length > death).toBe(true), { timeout: 5_000 })
    }
    expect(await codeOf(run.answer)).toBe('worker_died')
    expect(workers).toHaveLength(6)
    expect(await codeOf(agent.ready)).toBe('worker_died')
    expect(() => agent.run('Hi')).toThrow(expect.objectContaining({ code: 'worker_died' }))
  })

  it('cannot go on with a worker that was handed over, or with a store that keeps nothing', async () => {
    const worker = spawn()
    const single = start({ worker, replies: [calls('cancel_order', { id: 'O-1' })] })
    const lost = single.run('Cancel O-1')
    await untilAsking(lost)
    worker.terminate()
    expect(await codeOf(lost.answer)).toBe('worker_died')

    const { agent, workers } = startKillable({
      store: 'memory',
      replies: [calls('cancel_order', { id: 'O-1' }), { text: 'Hello.' }],
    })
    const forgotten = agent.run('Cancel O-1')
    await untilAsking(forgotten)
    workers[0]!.terminate()
    expect(await codeOf(forgotten.answer)).toBe('worker_died')
    expect(await agent.run('Hi').answer).toBe('Hello.')
  })

  it('says so when there was never one', async () => {
    const agent = start({ worker: () => new Worker('/no/such/agent.worker.js?worker_file', { type: 'module' }) })
    const run = agent.run('Hi')
    expect(await codeOf(agent.ready)).toBe('worker_failed')
    expect(await codeOf(run.answer)).toBe('worker_failed')
  })
})

describe('a closed agent', () => {
  it('rejects what is open and what is asked later', async () => {
    const agent = start({ replies: [calls('cancel_order', { id: 'O-1' })] })
    const run = agent.run('Cancel O-1')
    await untilAsking(run)
    const iterating = (async () => {
      for await (const update of run) expect(update.type).toBeDefined()
    })()
    agent.close()
    expect(await codeOf(run.answer)).toBe('agent_closed')
    expect(await codeOf(iterating)).toBe('agent_closed')
    expect(await codeOf(agent.sessions())).toBe('agent_closed')
    expect(() => agent.run('Hi')).toThrow(expect.objectContaining({ code: 'agent_closed' }))
  })

  it('is what a page that is left has, unless the browser keeps the page', async () => {
    const agent = start({ replies: [{ text: 'Still here.' }] })
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    expect(await agent.run('Hi').answer).toBe('Still here.')
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: false }))
    expect(await codeOf(agent.sessions())).toBe('agent_closed')
  })
})
