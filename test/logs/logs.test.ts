import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import { fold } from '../../src/core/state.js'
import { transcript } from '../../src/core/transcript.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { World, type TestAgent } from '../runtime/world.js'
import { createScenarios, type Scenario } from './scenarios.js'

/** Set to write the golden logs anew. A log that was released is a contract: add one, do not change one. */
const isRecording = process.env.HANDRAIL_RECORD === '1'

const fileOf = (name: string) => new URL(`./${name}.json`, import.meta.url)
const golden = async (name: string) => JSON.parse(await readFile(fileOf(name), 'utf8')) as RunEvent[]
const names = createScenarios().map(({ name }) => name)
/** Those of format 1 were written before there were chains, and are never recorded anew. */
const logs = names.flatMap((name) => [name, ...(existsSync(fileOf(`format-1/${name}`)) ? [`format-1/${name}`] : [])])

describe('golden logs', { timeout: 60_000 }, () => {
  it.each(names)('a run is logged as it was: %s', async (name) => {
    const { world, agent, scenario } = await start(name)
    follow(agent, scenario)
    await agent.run(scenario.text, scenario.options)
    await agent.end()
    const log = await world.store.read('r1')
    if (isRecording) await writeFile(fileOf(name), `${JSON.stringify(log, undefined, 1)}\n`)
    expect(log.map(bare)).toEqual((await golden(name)).map(bare))
  })

  it.each(logs)('a log resumes from every prefix to the same end: %s', async (file) => {
    const name = basename(file)
    const log = await golden(file)
    const end = endOf(log)
    // Of an old log, every third prefix shows that it goes on.
    for (let cut = 2; cut < log.length; cut += file === name ? 1 : 3) {
      const prefix = log.slice(0, cut)
      const { world, agent, scenario } = await start(name, prefix)
      follow(agent, scenario)
      const view = await agent.ok(agent.api.follow('s'))
      answerOpen(agent, scenario, view.runs[0]!.events)
      await agent.end()
      const resumed = await world.store.read('r1')
      expect(resumed.slice(0, cut)).toEqual(prefix)
      const open = interruptedWrite(prefix)
      const mustNotRun = new Set([open, ...prefix.map((event) => (event.type === 'tool-result' ? event.callId : open))])
      const ranAgain = world.executed.filter(({ callId }) => mustNotRun.has(callId))
      const openEnd = open ? resultOf(resumed, open)?.outcome : 'none'
      const approved = approvalTold(prefix)
      const toldTwice =
        approved && endOf(resumed).results.filter(({ call, outcome }) => call.key === approved && outcome === 'ok')
      expect(
        { ranAgain, openEnd, toldTwice, end: endOf(resumed) },
        `cut after ${cut} events: ${prefix.at(-1)?.type}`,
      ).toEqual({
        ranAgain: [],
        openEnd: open ? 'unknown' : 'none',
        toldTwice: approved && [],
        end: open || approved ? { ...endOf(resumed), status: 'completed' } : end,
      })
    }
  })
})

async function start(
  name: string,
  prefix?: readonly RunEvent[],
): Promise<{ world: World; agent: TestAgent; scenario: Scenario }> {
  const scenario = createScenarios().find((s) => s.name === name)!
  const world = new World(scenario)
  world.sandbox = createIsolateSandbox()
  if (prefix) await seed(world, prefix)
  return { world, agent: await world.agent(), scenario }
}

/** The person: answers what asks, and reacts to what happens. */
function follow(agent: TestAgent, { answer, react }: Scenario): void {
  agent.onEvent = (event) => {
    if (event.type === 'tool-decision' && event.verdict === 'ask') void answer?.(agent, event)
    void react?.(agent, event)
  }
}

function answerOpen(agent: TestAgent, { answer }: Scenario, events: readonly RunEvent[]): void {
  for (const call of fold(events).calls.values()) if (call.phase === 'asking') void answer?.(agent, call)
}

async function seed(world: World, prefix: readonly RunEvent[]): Promise<void> {
  world.store = createMemoryStore()
  await world.store.start({ runId: 'r1', owner: 'ann', session: 's', index: 0, startedAt: prefix[0]!.at }, prefix)
  world.time = prefix.at(-1)!.at + 1
}

/** A log without what depends on the clock, the engine, and the words in which tools are described. */
const bare = (event: RunEvent): object => {
  const { at: _at, chain: _chain, ...rest } = event
  if ('usage' in rest && rest.usage?.estimated) return { ...rest, usage: 'estimated' }
  return 'hash' in rest || 'contextHash' in rest ? { ...rest, hash: '', contextHash: '', engine: '' } : rest
}

const endOf = (log: readonly RunEvent[]) => ({
  status: fold(log).status,
  said: transcript(log).messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter(({ type }) => type === 'text') : [],
  ),
  results: transcript(log).messages.flatMap((message) => {
    if (message.role !== 'tool') return []
    // Logs of format 1 do not say whose words they hold.
    const { trusted: _trusted, ...rest } = message
    return [rest]
  }),
})

const resultOf = (log: readonly RunEvent[], id: string) =>
  log.find((event) => event.type === 'tool-result' && event.callId === id) as
    | (RunEvent & { type: 'tool-result' })
    | undefined

/** A provider was told in the last request that it may run a call, and has not answered: it must not be told again. */
function approvalTold(prefix: readonly RunEvent[]): string | undefined {
  const last = transcript(prefix).messages.at(-1)
  return last?.role === 'tool' && last.call.executor === 'provider' ? last.call.key : undefined
}

/** A write that the prefix has started and not settled. */
function interruptedWrite(prefix: readonly RunEvent[]): string | undefined {
  const open = [...fold(prefix).calls.values()].find(({ phase, mode }) => phase === 'started' && mode === 'write')
  return open?.callId
}
