import { describe, expect, it, vi, beforeEach, afterEach } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import { ToolError } from '../../src/errors.js'
import type { PageCall, Reply } from '../../src/runtime/protocol.js'
import type { Json } from '../../src/core/json.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, say, World, type TestTool } from './world.js'

type Result = RunEvent & { type: 'tool-result' }
type Answer = 'ok' | 'refuses' | 'refuses for now' | 'throws' | 'is silent' | 'is gone' | 'returns a function'

const answers: Readonly<Record<Answer, () => Promise<Reply<Json>>>> = {
  ok: async () => ({ ok: true, value: { id: 'AS-1' } }),
  refuses: async () => failed({ code: 'no', message: 'No', retryable: false, refused: true }),
  'refuses for now': async () => failed({ code: 'locked', message: 'Later', retryable: true, refused: true }),
  throws: async () => failed({ code: 'failed', message: 'Lost', retryable: false }),
  'is silent': () => new Promise(() => undefined),
  'is gone': () => Promise.reject(new Error('The page is gone')),
  'returns a function': async () => failed({ code: 'output_not_json', message: 'No', retryable: false, ran: true }),
}
const failed = (failure: (Reply<Json> & { ok: false })['failure']): Reply<Json> => ({ ok: false, failure })

/** What becomes of one call whose tool answers so, one request after the other. */
async function sent(tool: Partial<TestTool>, ...script: Answer[]) {
  const calls: PageCall[] = []
  const ids: string[] = []
  const aborted: string[] = []
  const reconcile = vi.fn<NonNullable<TestTool['reconcile']>>(tool.reconcile)
  const world = new World({
    tools: {
      act: { risk: 'irreversible', timeout: 20, run: () => null, ...tool, ...(tool.reconcile && { reconcile }) },
    },
    model: inTurn(ask(['act', { to: 'bob' }]), say('Done')),
    setup: { policy: { irreversible: 'allow' } },
    page: {
      execute: (id, call) => {
        ids.push(id)
        calls.push(call)
        return answers[script[calls.length - 1] ?? 'ok']()
      },
      abort: (id) => void aborted.push(id),
    },
  })
  const agent = await world.agent()
  await agent.run('Go')
  await agent.end()
  const result = agent.events.find((event): event is Result => event.type === 'tool-result')!
  return { result, calls, ids, aborted, reconciled: reconcile.mock.calls.length }
}

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const passing: readonly Answer[] = ['refuses for now', 'throws', 'is silent', 'is gone']
const read: Partial<TestTool> = { risk: 'read', retries: 2 }
const idempotent: Partial<TestTool> = { idempotent: true, retries: 2 }

describe('a read with retries', () => {
  it.each(passing)('is sent again after it %s, and its result says how often', async (answer) => {
    const { result, calls } = await sent(read, answer, 'ok')
    expect(result).toMatchObject({ outcome: 'ok', output: { id: 'AS-1' }, attempts: 2 })
    expect(calls).toHaveLength(2)
  })

  it.each<Answer>(['refuses', 'returns a function', 'ok'])('is not sent again after it %s', async (answer) => {
    const { result, calls } = await sent(read, answer)
    expect(calls).toHaveLength(1)
    expect(result.attempts).toBeUndefined()
  })

  it('ends as the last request did, after as many more as it states', async () => {
    const { result, calls } = await sent(read, 'is gone', 'throws', 'is silent', 'ok')
    expect(result).toMatchObject({ outcome: 'timeout', attempts: 3 })
    expect(calls).toHaveLength(3)
  })

  it('has a request aborted that took too long, and no other', async () => {
    const { ids, aborted } = await sent(read, 'is silent', 'ok')
    expect(new Set(ids).size).toBe(2)
    expect(aborted).toEqual([ids[0]])
  })
})

describe('an idempotent write with retries', () => {
  it.each(passing)('is sent again with the same key after it %s', async (answer) => {
    const { result, calls } = await sent(idempotent, answer, 'ok')
    expect(result).toMatchObject({ outcome: 'ok', attempts: 2 })
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['r1:1.0', 'r1:1.0'])
  })

  it('is not done for certain when it refuses after a request whose outcome nobody knows', async () => {
    const { result } = await sent(idempotent, 'is silent', 'refuses')
    expect(result).toMatchObject({ outcome: 'unknown', failure: { code: 'outcome_unknown' }, attempts: 2 })
  })

  it('is an error when every request was refused', async () => {
    const { result } = await sent(idempotent, 'refuses for now', 'refuses for now', 'refuses for now')
    expect(result).toMatchObject({ outcome: 'error', failure: { code: 'locked' }, attempts: 3 })
  })

  it('is asked for only when sending it again did not help', async () => {
    const reconcile = () => ({ state: 'done', output: { id: 'AS-1' } }) as const
    const helped = await sent({ ...idempotent, reconcile }, 'throws', 'ok')
    expect(helped.reconciled).toBe(0)
    const unheard = await sent({ ...idempotent, reconcile }, 'throws', 'is silent', 'is gone')
    expect(unheard.reconciled).toBe(1)
    expect(unheard.result).toMatchObject({ outcome: 'ok', output: { id: 'AS-1' }, attempts: 3 })
  })

  it('is sent once more without any, while nobody knows what became of it, and not after a refusal', async () => {
    expect((await sent({ idempotent: true }, 'is silent', 'ok')).result).toMatchObject({ outcome: 'ok', attempts: 2 })
    expect((await sent({ idempotent: true }, 'throws', 'throws', 'ok')).calls).toHaveLength(2)
    expect((await sent({ idempotent: true }, 'refuses for now', 'ok')).calls).toHaveLength(1)
  })
})

describe('any other write', () => {
  it.each(passing)('is never sent again after it %s', async (answer) => {
    const { calls, result } = await sent({}, answer, 'ok')
    expect(calls).toHaveLength(1)
    expect(result.outcome).not.toBe('ok')
  })

  it('that took too long is asked for, and is an error only where its key is void', async () => {
    const of = async (reconcile: TestTool['reconcile']) => (await sent({ reconcile }, 'is silent')).result
    expect(await of(() => ({ state: 'void' }))).toMatchObject({ outcome: 'error', failure: { code: 'not_done' } })
    expect(await of(() => ({ state: 'done', output: 3 }))).toMatchObject({ outcome: 'ok', output: 3 })
    expect(await of(() => ({ state: 'unknown' }))).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'outcome_unknown', message: expect.stringContaining('may or may not') },
    })
    const breaks = () => {
      throw new Error('No')
    }
    expect(await of(breaks)).toMatchObject({ outcome: 'unknown' })
  })
})

describe('what comes back from asking a tool', () => {
  it('is validated and limited like any output', async () => {
    const output = { type: 'object', required: ['id'] } as const
    const reconcile = () => ({ state: 'done', output: { name: 'x' } }) as const
    const { result } = await sent({ output, reconcile }, 'is silent')
    expect(result).toMatchObject({ outcome: 'ok', outputInvalid: expect.stringContaining('id') })
  })
})

describe('the wait before a request is repeated', () => {
  const waits = (retryAfter: number | undefined) => {
    const times: number[] = []
    const world = new World({
      tools: {
        look: {
          risk: 'read',
          retries: 1,
          run: () => {
            times.push(performance.now())
            throw new ToolError('busy', 'Busy', { retryable: true, ...(retryAfter !== undefined && { retryAfter }) })
          },
        },
      },
      model: inTurn(ask(['look', {}]), say('Done')),
    })
    return { world, times }
  }

  it('is what the tool asked for', async () => {
    const { world, times } = waits(400)
    const agent = await world.agent()
    await agent.run('Go')
    await agent.end()
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(399)
  })

  it('is not begun for more than a minute: the model is told how long', async () => {
    const { world, times } = waits(60_001)
    const agent = await world.agent()
    await agent.run('Go')
    await agent.end()
    expect(times).toHaveLength(1)
    expect(agent.events.find(({ type }) => type === 'tool-result')).toMatchObject({
      failure: { code: 'busy', retryAfter: 60_001 },
    })
  })

  it('ends at once when the run is stopped, and nothing more is sent', async () => {
    const { world, times } = waits(50_000)
    const agent = await world.agent()
    await agent.run('Go')
    await vi.waitFor(() => expect(times).toHaveLength(1))
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
    expect(times).toHaveLength(1)
  })

  it('of a write ends at once when the run is stopped: it settles as what is known', async () => {
    let calls = 0
    const world = new World({
      tools: { act: { risk: 'irreversible', idempotent: true, retries: 3, run: () => null } },
      model: inTurn(ask(['act', {}]), say('Done')),
      setup: { policy: { irreversible: 'allow' } },
      page: {
        execute: async () => {
          calls++
          return failed({ code: 'busy', message: 'Busy', retryable: true, retryAfter: 50_000, refused: true })
        },
      },
    })
    const agent = await world.agent()
    await agent.run('Go')
    await vi.waitFor(() => expect(calls).toBe(1))
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    await agent.end()
    expect(agent.events.find(({ type }) => type === 'tool-result')).toMatchObject({ outcome: 'error' })
    expect(calls).toBe(1)
  })

  it('ends at once when the script that made the call is over', async () => {
    let calls = 0
    const world = new World({
      tools: { look: { risk: 'read', retries: 3, run: () => null } },
      model: inTurn(ask(['run_script', { code: 'tools.look({}); await sleep(5); return 1' }]), say('Done')),
      page: {
        execute: async () => {
          calls++
          return failed({ code: 'busy', message: 'Busy', retryable: true, retryAfter: 50_000, refused: true })
        },
      },
    })
    world.sandbox = createIsolateSandbox()
    const agent = await world.agent()
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    expect(calls).toBe(1)
  })
})
