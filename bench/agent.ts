import {
  createAgent,
  defineTool,
  type Agent,
  type AgentOptions,
  type Model,
  type ModelReply,
  type RunEvent,
} from 'handrail'

/** The tool that every call is of. */
export const getOrder = defineTool({
  name: 'get_order',
  description: 'Gets an order by its id',
  input: {
    type: 'object',
    properties: { order_id: { type: 'string' } },
    required: ['order_id'],
    additionalProperties: false,
  },
  risk: 'read',
  run: ({ order_id }) => ({ order_id, state: 'signed', item: 'Boots', total: 129 }),
})

const usage = { input: 100, output: 20 }
const callOf = (toolName: string, input: object): ModelReply => ({
  parts: [{ type: 'call', toolName, inputText: JSON.stringify(input) }],
  finish: 'calls',
  usage,
})
const done: ModelReply = { parts: [{ type: 'text', text: 'Done.' }], finish: 'stop', usage }

/** Answers at once, over and over again: the published scripted model waits on timers, which browsers slow down. */
function repeating(replies: readonly ModelReply[]): Model {
  let asked = 0
  return { provider: 'bench', model: 'scripted', generate: async () => replies[asked++ % replies.length]! }
}

/** For each run, as many steps with one call, and a last one with the answer. */
export const callingModel = (steps: number): Model =>
  repeating([
    ...Array.from({ length: steps }, (_, i) => callOf(getOrder.definition.name, { order_id: `O-${i}` })),
    done,
  ])

/** For each run, one script, and the answer. */
export const scriptModel = (code: string): Model => repeating([callOf('run_script', { code }), done])

export const startAgent = (options: Pick<AgentOptions, 'model' | 'store' | 'worker' | 'limits'>): Agent =>
  createAgent({
    instructions: 'Help with orders.',
    tools: [getOrder],
    owner: 'bench',
    budget: { steps: 10_000, calls: 10_000 },
    ...options,
  })

export interface Arrival {
  readonly event: RunEvent
  /** When it reached the page, in milliseconds. */
  readonly at: number
}

/** Runs in a session of its own, so that no run has the transcript of those before. */
export async function runOnce(agent: Agent): Promise<readonly Arrival[]> {
  const session = agent.session(crypto.randomUUID())
  const arrivals: Arrival[] = []
  session.subscribe((_, update) => {
    if (update?.type === 'event') arrivals.push({ event: update.event, at: performance.now() })
  })
  await session.run('Which orders can still be returned?').answer
  session.close()
  return arrivals
}

/** Milliseconds between the first event that `from` finds, and the last one that `to` finds. */
export function between(
  arrivals: readonly Arrival[],
  from: (event: RunEvent) => boolean,
  to: (event: RunEvent) => boolean,
): number {
  const start = arrivals.find(({ event }) => from(event))
  const end = arrivals.findLast(({ event }) => to(event))
  if (!start || !end) throw new Error(`Cannot measure a run of ${arrivals.length} events: it did not get there`)
  return end.at - start.at
}
