import { createAgent, defineTool, HandrailError, type RunEvent } from 'handrail'
import { scriptedModel, type ScriptedReply } from 'handrail/testing'

/** How an agent and its run fared. */
export interface Ending {
  readonly ready: string
  readonly answer: string
  readonly events: readonly RunEvent[]
}

/** What tools were asked to run, in this page. */
const asked: string[] = []

const tool = (name: string, risk: 'read' | 'irreversible', run: () => string | Promise<string>) =>
  defineTool({
    name,
    description: 'A tool',
    input: { type: 'object' },
    risk,
    run() {
      asked.push(name)
      return run()
    },
  })
const never = () => new Promise<string>(() => undefined)

const wayOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(String, (error: unknown) =>
    HandrailError.is(error) ? `${error.code}: ${error.message}` : `not ours: ${String(error)}`,
  )

const page = {
  /** A run of these replies, on this page's worker. */
  async run(replies: readonly ScriptedReply[]): Promise<Ending> {
    const agent = createAgent({
      model: scriptedModel(replies),
      instructions: 'Help.',
      tools: [tool('look', 'read', () => 'There.')],
      owner: 'ann',
    })
    const run = agent.run('Go')
    const [ready, answer] = await Promise.all([wayOf(agent.ready), wayOf(run.answer)])
    return { ready, answer, events: run.events }
  },

  /** Begins a script that waits for a tool that never answers. @returns when the tool was asked */
  async begin(session: string, toolName: string): Promise<void> {
    const code = `return await tools.${toolName}({})`
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ tool: 'run_script', input: { code } }] }]),
      instructions: 'Help.',
      tools: [tool('look', 'read', never), tool('write', 'irreversible', never)],
      owner: 'ann',
      session,
    })
    const run = agent.run('Go')
    for await (const _ of run) {
      for (const { callId } of run.approvals) void wayOf(run.approve(callId))
      if (run.state.calls.get('1.0/0')?.phase === 'started') return
    }
  },

  /** Opens that session again. */
  async goOn(session: string): Promise<{ events: readonly RunEvent[]; asked: readonly string[] }> {
    const agent = createAgent({
      model: scriptedModel([{ text: 'I see.' }]),
      instructions: 'Help.',
      tools: [tool('look', 'read', () => 'There.'), tool('write', 'irreversible', () => 'Written.')],
      owner: 'ann',
      session,
    })
    const opened = agent.session(session)
    await opened.opened
    const run = opened.runs[0]!
    await wayOf(run.answer)
    return { events: run.events, asked }
  },
}
export type BoundaryPage = typeof page

Object.assign(globalThis, { boundary: page })
