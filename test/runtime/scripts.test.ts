import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import type { Json } from '../../src/core/json.js'
import { transcript } from '../../src/core/transcript.js'
import { HandrailError, ToolError } from '../../src/errors.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, lastResult, say, World, type TestAgent, type WorldOptions } from './world.js'

type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type }

const script = (code: string): [string, Json] => ['run_script', { code }]

function worldOf(options: Partial<WorldOptions> & Pick<WorldOptions, 'model'>): World {
  const world = new World({ tools: { look: { risk: 'read', run: (input) => input } }, ...options })
  world.sandbox = createIsolateSandbox()
  return world
}

/** What the model is told of the scripts that it runs, one a step. */
async function told(world: World, runId = 'r1'): Promise<{ agent: TestAgent; answers: string[] }> {
  const agent = await world.agent()
  await agent.run('Go', { runId })
  await agent.end()
  return { agent, answers: saidIn(agent.events) }
}

const saidIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'assistant-message' ? event.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  )

const eventsOf = <Type extends RunEvent['type']>(agent: TestAgent, type: Type) =>
  agent.events.filter((event): event is EventOf<Type> => event.type === type)

describe('a script', () => {
  it('returns its value, and below it what it printed', async () => {
    const model = inTurn(ask(script('print("a", { b: 1 }); print("c"); return { n: 1 }')), (r) => say(lastResult(r)))
    const { answers } = await told(worldOf({ model }))
    expect(answers).toEqual(['{"n":1}\n\nPrinted:\na {"b":1}\nc'])
  })

  it('that returns more than the model is shown says how a script gets the rest', async () => {
    const model = inTurn(
      ask(script('return Array.from({ length: 5000 }, (_, id) => ({ id }))')),
      (r) => {
        const handle = /results\("([^"]+)"\)/.exec(lastResult(r))![1]!
        return ask(script(`const all = await results(${JSON.stringify(handle)}); return all.length`))
      },
      (r) => say(lastResult(r)),
    )
    const { agent, answers } = await told(worldOf({ model }))
    expect(answers).toEqual(['5000'])
    const logged = eventsOf(agent, 'tool-result').find(({ callId }) => callId === '2.0/0')
    expect(logged).toMatchObject({ outcome: 'ok', ref: '1.1.0' })
    expect(logged).not.toHaveProperty('output')
  })

  it('that asks for a result that is not there is told which there are', async () => {
    const code = 'try { await results("9.9.9") } catch (e) { return [e.code, e.message] }'
    const model = inTurn(ask(['look', {}]), ask(script(code)), (r) => say(lastResult(r)))
    const { answers } = await told(worldOf({ model }))
    expect(answers).toEqual(['["not_found","There is no result \\"9.9.9\\". There are: 1.1.0."]'])
  })

  it('that fails says where, and what it had called', async () => {
    const code = [
      'await tools.look({ id: 1 })',
      'await tools.fail({ id: 2 }).catch(() => null)',
      'const order = null',
      'return order.id',
    ].join('\n')
    const fail = () => {
      throw new ToolError('gone', 'It is gone')
    }
    const tools = { look: { risk: 'read', run: (input: Json) => input }, fail: { risk: 'read', run: fail } } as const
    const { answers } = await told(worldOf({ tools, model: inTurn(ask(script(code)), (r) => say(lastResult(r))) }))
    expect(JSON.parse(answers[0]!)).toMatchObject({
      error: {
        code: 'script_thrown',
        message: expect.stringMatching(/^TypeError: cannot read property 'id' of null/),
        line: 4,
        frame: '  3 | const order = null\n> 4 | return order.id',
      },
      output: {
        calls: [
          { tool: 'look', input: { id: 1 }, outcome: 'ok' },
          { tool: 'fail', input: { id: 2 }, outcome: 'error', error: 'It is gone' },
        ],
      },
    })
  })

  it('that a tool fails gets an error with code, retryable, tool and callId', async () => {
    const fail = () => {
      throw new ToolError('gone', 'It is gone')
    }
    const code = 'try { await tools.fail() } catch (e) { return [e.code, e.retryable, e.tool, e.callId] }'
    const model = inTurn(ask(script(code)), (r) => say(lastResult(r)))
    const { answers } = await told(worldOf({ tools: { fail: { risk: 'read', run: fail } }, model }))
    expect(answers).toEqual(['["gone",false,"fail","1.0/0"]'])
  })

  it('that is denied a write, and does not catch it, ends as denied', async () => {
    const world = worldOf({
      tools: { send: { risk: 'irreversible', run: () => 1 } },
      model: inTurn(ask(script('return await tools.send({ to: "bob" })')), (r) => say(lastResult(r))),
    })
    const agent = await world.agent()
    await agent.run('Go')
    const { callId, hash } = (await agent.until((e) => e.type === 'tool-decision' && e.verdict === 'ask')) as {
      callId: string
      hash: string
    }
    await agent.ok(agent.api.command('s', { type: 'deny', runId: 'r1', callId, hash, reason: 'not now' }))
    await agent.end()
    expect(JSON.parse(saidIn(agent.events)[0]!)).toMatchObject({
      error: { code: 'script_denied', message: expect.stringContaining('not now') },
      output: { calls: [{ tool: 'send', outcome: 'denied' }] },
    })
    expect(world.executed).toEqual([])
  })

  it('keeps the line of each call in the log', async () => {
    const code = 'const a = await tools.look()\n\nreturn await tools.look({ a })'
    const { agent } = await told(worldOf({ model: inTurn(ask(script(code)), say('ok')) }))
    const lines = agent.events.flatMap((e) => (e.type === 'script-turn' ? e.calls.map(({ line }) => line) : []))
    expect(lines).toEqual([1, 3])
  })

  it('tells the page how it goes', async () => {
    const model = inTurn(ask(script('await tools.look()\nreturn 1')), say('ok'))
    const { agent } = await told(worldOf({ model }))
    const notices = agent.notices.flatMap((notice) => (notice.type === 'progress' ? [notice.progress] : []))
    expect(notices.at(-1)).toMatchObject({ callId: '1.0', turns: 2 })
    expect(notices.at(-1)!.memoryBytes).toBeGreaterThanOrEqual(16 << 20)
    expect(notices.some(({ line }) => line === 1)).toBe(true)
  })
})

describe('an agent without scripts', () => {
  it('has no script tool, and no word of one', async () => {
    const seen: string[][] = []
    const world = worldOf({
      setup: { scripts: false },
      tools: { look: { risk: 'read', run: () => 'x'.repeat(20_000) } },
      model: (request) => {
        seen.push(request.tools.map(({ name }) => name))
        return request.messages.at(-1)?.role === 'user' ? ask(['look', {}], script('1')) : say(lastResult(request))
      },
    })
    const agent = await world.agent()
    await agent.run('Go')
    await agent.end()
    expect(seen).toEqual([['look'], ['look']])
    expect(eventsOf(agent, 'tool-result').find(({ callId }) => callId === '1.1')?.failure?.code).toBe('unknown_tool')
    expect(JSON.stringify(eventsOf(agent, 'run-start'))).not.toContain('quickjs')
    const messages = transcript(agent.events).messages
    expect(messages.find((m) => m.role === 'tool')).toMatchObject({
      text: expect.stringMatching(/\[cut: 16000 of 20000 characters are shown\]$/),
    })
  })
})

describe('a limit that the engine cannot be given', () => {
  it.each([
    [{ memoryBytes: 2 ** 32 }, /"limits.memoryBytes" must be a number from 1 to 2147483648; it is 4294967296/],
    [{ stackBytes: 100 }, /"limits.stackBytes" must be a number from 16384/],
  ])('is refused when the agent is opened: %j', async (limits, message) => {
    const world = worldOf({ model: inTurn(say('Hi')), setup: { limits } })
    await expect(world.agent()).rejects.toThrow(message)
  })
})

describe('search() and describe()', () => {
  it('find tools that the run allows, and tell what they take', async () => {
    const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const
    const tools = {
      get_order: { risk: 'read', input, description: 'Gets an order', run: () => 1 },
      delete_order: { risk: 'irreversible', input, description: 'Deletes an order', run: () => 1 },
    } as const
    const code =
      'return [(await search("order")).map((t) => t.name), await describe("get_order"), await describe("get_ordr").catch((e) => e.message)]'
    const world = worldOf({ tools, model: inTurn(ask(script(code)), (r) => say(lastResult(r))) })
    const agent = await world.agent()
    await agent.run('Go', { readOnly: true })
    await agent.end()
    const [found, described, missing] = JSON.parse(saidIn(agent.events)[0]!) as Json[]
    expect(found).toEqual(['get_order'])
    expect(JSON.stringify(described)).toContain('id: string')
    expect(missing).toContain('get_order')
  })
})

describe('sleep()', () => {
  it('is a call of the script: numbered, logged, and no tool of the app', async () => {
    const model = inTurn(ask(script('await sleep(5); return await tools.look({ a: 1 })')), (r) => say(lastResult(r)))
    const world = worldOf({ model })
    const { agent, answers } = await told(world)
    expect(answers).toEqual(['{"a":1}'])
    const calls = eventsOf(agent, 'script-turn').flatMap((event) => event.calls.map(({ toolName }) => toolName))
    expect(calls).toEqual(['script.sleep', 'look'])
    expect(world.executed.map(({ toolName }) => toolName)).toEqual(['look'])
  })

  it('is there in a run that allows few tools and only reads', async () => {
    const world = worldOf({ model: inTurn(ask(script('await sleep(1); return 1')), (r) => say(lastResult(r))) })
    const agent = await world.agent()
    await agent.run('Go', { allow: ['look'], readOnly: true })
    await agent.end()
    expect(saidIn(agent.events)).toEqual(['1'])
  })

  it('cannot be called by a model', async () => {
    const model = inTurn(ask(['script.sleep', { ms: 1 }]), (r) => say(lastResult(r)))
    const { answers } = await told(worldOf({ model }))
    expect(answers[0]).toMatch(/unknown_tool/)
  })

  it('ends the script when its wall time is over, whatever it catches', async () => {
    const code = 'for (;;) { try { await sleep(30) } catch {} }'
    const world = worldOf({
      setup: { limits: { wallMs: 60 } },
      model: inTurn(ask(script(code)), (r) => say(lastResult(r))),
    })
    const { answers } = await told(world)
    expect(JSON.parse(answers[0]!)).toMatchObject({ error: { code: 'script_wall' } })
  })

  it('has no share in the time in which a tool is waited for', async () => {
    const slow = () => new Promise<Json>((resolve) => setTimeout(() => resolve(1), 300))
    const code = 'await Promise.all([tools.slow(), sleep(250)]); return "done"'
    const world = worldOf({
      setup: { limits: { wallMs: 100 } },
      tools: { slow: { risk: 'read', run: slow } },
      model: inTurn(ask(script(code)), (r) => say(lastResult(r))),
    })
    const { answers } = await told(world)
    expect(answers).toEqual(['done'])
  })
})

describe('state', () => {
  it('is kept from one script to the next, also by one that throws, and over a reload', async () => {
    const model = inTurn(
      ask(script('state.seen = [1]; state.gone = true')),
      ask(script('state.seen.push(2); delete state.gone; throw new Error("no")')),
      ask(script('return state')),
      (r) => say(lastResult(r)),
    )
    const world = worldOf({ model })
    const { agent, answers } = await told(world)
    expect(answers).toEqual(['{"seen":[1,2]}'])
    expect(eventsOf(agent, 'script-turn').map(({ state }) => state)).toEqual([
      { set: { seen: [1], gone: true } },
      { set: { seen: [1, 2] }, removed: ['gone'] },
      undefined,
    ])
    await agent.ok(agent.api.unfollow('s'))
    const later = worldOf({
      model: (r) => (r.messages.at(-1)?.role === 'user' ? ask(script('return state.seen')) : say(lastResult(r))),
    }).sharing(world)
    const second = await later.agent()
    await second.run('Again', { runId: 'r2' })
    await second.end()
    expect(saidIn(await world.store.read('r2'))).toEqual(['[1,2]'])
  })

  it('is what it was at the start of a script, when that is replayed', async () => {
    const world = worldOf({
      tools: { send: { risk: 'irreversible', run: (input) => input } },
      model: inTurn(
        ask(script('state.n = 1')),
        ask(script('const before = state.n; state.n = 7; await tools.send({ before }); return state.n + before')),
        (r) => say(lastResult(r)),
      ),
    })
    const first = await world.agent()
    await first.run('Go')
    await first.until((e) => e.type === 'tool-decision' && e.verdict === 'ask')
    await first.ok(first.api.unfollow('s'))
    const second = await world.agent()
    const view = await second.ok(second.api.follow('s'))
    const asked = view.runs[0]!.events.findLast((e) => e.type === 'tool-decision') as EventOf<'tool-decision'>
    const { callId, hash } = asked
    await second.ok(second.api.command('s', { type: 'approve', runId: 'r1', callId, hash }))
    await second.end()
    expect(saidIn(await world.store.read('r1'))).toEqual(['8'])
    expect(world.executed).toMatchObject([{ input: { before: 1 } }])
  })

  it('of two scripts side by side holds what both changed', async () => {
    const model = inTurn(
      ask(script('await sleep(20); state.a = 1'), script('await sleep(5); state.b = 2')),
      ask(script('return state')),
      (r) => say(lastResult(r)),
    )
    const { answers } = await told(worldOf({ model }))
    expect(JSON.parse(answers[0]!)).toEqual({ a: 1, b: 2 })
  })

  it('that is too large fails its script, and keeps what it was', async () => {
    const model = inTurn(
      ask(script('state.a = 1')),
      ask(script('state.b = "x".repeat(1000); return 1')),
      (r) => say(lastResult(r)),
      say('end'),
    )
    const world = worldOf({ model, setup: { limits: { stateBytes: 100 } } })
    const { answers, agent } = await told(world)
    expect(JSON.parse(answers[0]!)).toMatchObject({ error: { code: 'script_output' } })
    expect(eventsOf(agent, 'script-turn').at(-1)!.state).toBeUndefined()
  })
})

describe('a script that waits', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('for a person holds no isolate, and goes on from the log', async () => {
    let ended = 0
    const world = worldOf({
      tools: { send: { risk: 'irreversible', run: () => 'sent' } },
      model: inTurn(ask(script('const x = Math.random(); return [await tools.send(), x === Math.random()]')), (r) =>
        say(lastResult(r)),
      ),
    })
    const isolates = createIsolateSandbox()
    world.sandbox = {
      ...isolates,
      start(options) {
        const started = isolates.start(options)
        return { ...started, end: () => (ended++, started.end()) }
      },
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    const agent = await world.agent()
    await agent.run('Go')
    const asked = (await agent.until((e) => e.type === 'tool-decision' && e.verdict === 'ask')) as {
      callId: string
      hash: string
    }
    expect(ended).toBe(0)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(ended).toBe(1)
    const { callId, hash } = asked
    await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash }))
    await agent.end()
    expect(saidIn(agent.events)).toEqual(['["sent",false]'])
  })

  it('stands still, and loses nothing, while its sandbox cannot be loaded', async () => {
    const world = worldOf({
      tools: { send: { risk: 'irreversible', run: () => 'sent' } },
      model: inTurn(ask(script('return await tools.send()')), (r) => say(lastResult(r))),
    })
    const first = await world.agent()
    await first.run('Go')
    const { callId, hash } = (await first.until((e) => e.type === 'tool-decision' && e.verdict === 'ask')) as {
      callId: string
      hash: string
    }
    await first.ok(first.api.unfollow('s'))
    const isolates = world.sandbox
    const replay = () => Promise.reject(new HandrailError('sandbox_unavailable', 'Offline', { retryable: true }))
    world.sandbox = { ...isolates, start: (options) => ({ ...isolates.start(options), replay }) }
    const offline = await world.agent()
    await offline.ok(offline.api.follow('s'))
    await offline.ok(offline.api.command('s', { type: 'approve', runId: 'r1', callId, hash }))
    expect(await offline.notice(({ type }) => type === 'stalled')).toMatchObject({
      failure: { code: 'sandbox_unavailable' },
    })
    await offline.ok(offline.api.unfollow('s'))
    world.sandbox = isolates
    const online = await world.agent()
    await online.ok(online.api.follow('s'))
    await online.end()
    expect(saidIn(await world.store.read('r1'))).toEqual(['sent'])
    expect(world.executed).toHaveLength(1)
  })

  it('goes on under the limits and tools that it was started with', async () => {
    const tools = { send: { risk: 'irreversible', run: () => 'sent' }, look: { risk: 'read', run: () => 1 } } as const
    const code = 'await tools.send(); return [await Promise.all([1, 2, 3].map(() => tools.look())), Object.keys(tools)]'
    const first = worldOf({ tools, model: inTurn(ask(script(code)), (r) => say(lastResult(r))) })
    const agent = await first.agent()
    await agent.run('Go')
    const { callId, hash } = (await agent.until((e) => e.type === 'tool-decision' && e.verdict === 'ask')) as {
      callId: string
      hash: string
    }
    await agent.ok(agent.api.unfollow('s'))
    const later = worldOf({
      ...first.options,
      tools: { ...tools, more: { risk: 'read', run: () => 2 } },
      setup: { limits: { calls: 2 } },
    })
    const second = await later.sharing(first).agent()
    await second.ok(second.api.follow('s'))
    await second.ok(second.api.command('s', { type: 'approve', runId: 'r1', callId, hash }))
    await second.end()
    expect(saidIn(await first.store.read('r1'))).toEqual(['[[1,1,1],["send","look"]]'])
  })
})
