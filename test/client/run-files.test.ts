import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAgent, type Agent } from '../../src/client/agent.js'
import { agentMethods, answerCalls, createCaller, pageMethods, type Greeting } from '../../src/client/wire.js'
import { HandrailError } from '../../src/errors.js'
import type { Pruned } from '../../src/runtime/protocol.js'
import { serve } from '../../src/runtime/serve.js'
import { say, TestAgent, World } from '../runtime/world.js'

/** A worker in this thread, on a port as a real one. */
class InThread extends EventTarget {
  #port: MessagePort | undefined

  constructor(private readonly world: World) {
    super()
  }

  postMessage(greeting: Greeting, [port]: MessagePort[] = []): void {
    if (greeting.handrail === 'hello') return this.#say('ready')
    this.#port = port!
    const page = createCaller(port!, pageMethods).api
    answerCalls(port!, agentMethods, serve(new TestAgent(this.world).platform(), page))
    this.#say('connected')
  }

  terminate(): void {
    this.#port?.close()
  }

  #say(handrail: 'ready' | 'connected'): void {
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { handrail } })))
  }
}

const agents: Agent[] = []
function open(world = new World({ model: () => say('Done') }), owner = 'ann'): Agent {
  const agent = createAgent({
    owner,
    instructions: 'Help.',
    tools: [],
    model: { provider: 'test', model: 'test-1' } as never,
    store: 'memory',
    worker: () => new InThread(world) as unknown as Worker,
  })
  agents.push(agent)
  return agent
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (HandrailError.is(error) ? error.code : String(error)),
  )

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('removeEventListener', () => undefined)
  vi.stubGlobal('navigator', { language: 'en-GB', locks: { request: () => new Promise(() => undefined) } })
})
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
  vi.unstubAllGlobals()
})

async function over(agent: Agent, session: string): Promise<string> {
  const run = agent.session(session).run('Hello')
  await run.answer
  return run.id
}

describe('an agent', () => {
  it('exports a run, and another one imports it, to be read', async () => {
    const agent = open()
    const runId = await over(agent, 's')
    const file = await agent.exportRun(runId)
    const other = open(undefined, 'eve')
    const { session, runId: same } = await other.importRun(file)
    expect(same).toBe(runId)
    const imported = other.session(session)
    await imported.opened
    expect(imported.runs[0]!.events).toEqual(agent.session('s').runs[0]!.events)
    expect(await imported.runs[0]!.answer).toBe('Done')
    expect(imported.openRun).toBeUndefined()
    expect(await codeOf(other.importRun(file))).toBe('run_exists')
    expect(await codeOf(other.importRun('{}'))).toBe('invalid_file')
    expect(await codeOf(other.importRun(7 as never))).toBe('invalid_file')
  })

  it('deletes a run, and its open session has it no more', async () => {
    const agent = open()
    const [first, second] = [await over(agent, 's'), await over(agent, 's')]
    const heard: string[] = []
    agent.session('s').subscribe((run) => heard.push(run.id))
    await agent.deleteRun(first)
    expect(agent.session('s').runs.map(({ id }) => id)).toEqual([second])
    expect(heard).toEqual([first])
    expect(await codeOf(agent.deleteRun(first))).toBe('unknown_run')
    expect(await codeOf(agent.exportRun(first))).toBe('unknown_run')
    await over(agent, 's')
    expect(agent.session('s').runs).toHaveLength(2)
  })

  it('prunes session by session, says how it goes, and what went in all', async () => {
    const agent = open()
    for (const session of ['a', 'b', 'c']) {
      await over(agent, session)
      agent.session(session).close()
    }
    const told: Pruned[] = []
    const gone = await agent.prune({ maxBytes: 0, onProgress: (progress) => told.push(progress) })
    expect(told.map(({ done, session, left }) => [done, session, left.sessions])).toEqual([
      [false, 'a', 2],
      [false, 'b', 1],
      [false, 'c', 0],
      [true, undefined, 0],
    ])
    expect(gone).toEqual({ sessions: 3, runs: 3, bytes: told.reduce((sum, { bytes }) => sum + bytes, 0) })
    expect(gone.bytes).toBeGreaterThan(0)
    expect(await agent.sessions()).toEqual([])
  })

  it('stops pruning where the page says so', async () => {
    const agent = open()
    for (const session of ['a', 'b']) {
      await over(agent, session)
      agent.session(session).close()
    }
    const stop = () => {
      throw new HandrailError('enough', 'Enough')
    }
    expect(await codeOf(agent.prune({ maxBytes: 0, onProgress: stop }))).toBe('enough')
    expect((await agent.sessions()).map(({ session }) => session)).toEqual(['b'])
    expect(await codeOf(agent.prune({}))).toBe('invalid_options')
  })
})
