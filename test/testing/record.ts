import type { RunEvent } from '../../src/core/events.js'
import type { Context } from '../../src/core/tool-definition.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { createScenarios, type Scenario } from '../logs/scenarios.js'
import { World } from '../runtime/world.js'

export interface Recorded {
  readonly events: readonly RunEvent[]
  readonly context: Context
}

const made = new Map<string, Promise<Recorded>>()

/** Runs a scenario of the golden logs, once, and gives what its store then holds. */
export function record(name: string): Promise<Recorded> {
  const recorded = made.get(name) ?? recordOf(createScenarios().find((each) => each.name === name)!)
  made.set(name, recorded)
  return recorded
}

async function recordOf(scenario: Scenario): Promise<Recorded> {
  const world = new World(scenario)
  world.sandbox = createIsolateSandbox()
  const agent = await world.agent()
  agent.onEvent = (event) => {
    if (event.type === 'tool-decision' && event.verdict === 'ask') void scenario.answer?.(agent, event)
    void scenario.react?.(agent, event)
  }
  await agent.run(scenario.text, scenario.options)
  await agent.end()
  return recordedIn(world)
}

export async function recordedIn(world: World, runId = 'r1'): Promise<Recorded> {
  const events = await world.store.read(runId)
  const [start] = events
  const hash = start?.type === 'run-start' ? start.contextHash : ''
  return { events, context: (await world.store.getContext(hash))! }
}
