import { createAgent, defineTool, type Agent, type Run, type RunEvent } from 'handrail'
import { scriptedModel, type ScriptedStep } from 'handrail/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
})

let signal: AbortSignal | undefined
const wait = defineTool({
  name: 'wait',
  description: 'Waits until nobody waits for it',
  input: { type: 'object' },
  risk: 'read',
  run: (_, context) => {
    signal = context.signal
    return new Promise(() => undefined)
  },
})

function start(replies: readonly ScriptedStep[]): Agent {
  const agent = createAgent({
    model: scriptedModel(replies),
    instructions: 'Help.',
    tools: [wait],
    owner: `owner-${crypto.randomUUID()}`,
    // Far more than this test takes: nothing but the cancel ends it.
    limits: { cpuMs: 60_000, totalCpuMs: 60_000 },
  })
  agents.push(agent)
  return agent
}

const script = (code: string): ScriptedStep => ({ calls: [{ tool: 'run_script', input: { code } }] })
const outcomes = (run: Run) =>
  run.events.flatMap((event: RunEvent) => (event.type === 'tool-result' ? [[event.callId, event.outcome]] : []))

describe('a run that is cancelled in the browser', () => {
  it('ends a script that spins, and the next script has a worker', async () => {
    const session = start([script('while (true) {}'), script('return 6 * 7'), { text: 'Done.' }]).session('spinning')
    const run = session.run('Spin')
    await vi.waitFor(() => expect(run.events.some(({ type }) => type === 'tool-start')).toBe(true), 20_000)
    await run.cancel()
    await vi.waitFor(() => expect(run.state.status).toBe('cancelled'), 20_000)
    expect(outcomes(run)).toEqual([['1.0', 'cancelled']])
    const next = session.run('Count')
    await next.answer
    expect(next.events.find(({ type }) => type === 'tool-result')).toMatchObject({ outcome: 'ok', output: 42 })
  })

  it("aborts the signal of a page's tool, that a script waits for", async () => {
    const run = start([script('await tools.wait({})'), { text: 'Done.' }]).run('Wait')
    await vi.waitFor(() => expect(signal).toBeDefined(), 20_000)
    expect(signal!.aborted).toBe(false)
    await run.cancel()
    await vi.waitFor(() => expect(run.state.status).toBe('cancelled'), 20_000)
    expect(signal!.aborted).toBe(true)
    expect(outcomes(run)).toEqual([
      ['1.0/0', 'cancelled'],
      ['1.0', 'cancelled'],
    ])
  })
})
