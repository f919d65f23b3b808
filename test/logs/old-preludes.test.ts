import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import { fold } from '../../src/core/state.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { World } from '../runtime/world.js'
import { createScenarios } from './scenarios.js'

/** Logs of runs whose scripts began on an older prelude. They were written by that version, and are never changed. */
const logs = ['script', 'script-approval', 'script-denial']

type Turn = RunEvent & { type: 'script-turn' }
const endOfScript = (events: readonly RunEvent[]) =>
  events.find((event): event is Turn => event.type === 'script-turn' && event.outcome !== undefined)?.outcome

const codeOf = (outcome: Turn['outcome']) => (outcome?.status === 'error' ? outcome.failure.code : outcome?.status)

describe('a script that began on version 1', () => {
  it.each(logs)('goes on from every event of its log: %s', async (name) => {
    const file = new URL(`./version-1/${name}.json`, import.meta.url)
    const log = JSON.parse(await readFile(file, 'utf8')) as RunEvent[]
    const last = log.findIndex((event) => event.type === 'script-turn' && event.outcome !== undefined)
    const scenario = createScenarios().find((each) => each.name === name)!
    const ends: object[] = []
    const expected: object[] = []
    for (let cut = 2; cut <= last; cut++) {
      const prefix = log.slice(0, cut)
      const world = new World(scenario)
      world.sandbox = createIsolateSandbox()
      world.store = createMemoryStore()
      await world.store.start({ runId: 'r1', owner: 'ann', session: 's', index: 0, startedAt: 1_000 }, prefix)
      world.time = prefix.at(-1)!.at + 1
      const agent = await world.agent()
      agent.onEvent = (event) => {
        if (event.type === 'tool-decision' && event.verdict === 'ask') void scenario.answer?.(agent, event)
      }
      await agent.ok(agent.api.follow('s'))
      for (const call of fold(prefix).calls.values()) if (call.phase === 'asking') void scenario.answer?.(agent, call)
      await agent.end()
      const resumed = await world.store.read('r1')
      const isUnknown = resumed.some((event) => event.type === 'tool-result' && event.outcome === 'unknown')
      ends.push({ cut, end: isUnknown ? codeOf(endOfScript(resumed)) : endOfScript(resumed) })
      expected.push({ cut, end: isUnknown ? 'script_tool_error' : endOfScript(log) })
    }
    expect(ends).toEqual(expected)
  })
})
