import { expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import { replay } from '../../src/testing/replay.js'
import { ask, inTurn, say, World } from '../runtime/world.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'

it('replay() plays a run with a grant, a change of modes, an expiry and an interruption again', async () => {
  const code = 'for (let n = 0; n < 3; n++) await tools.send({ n })'
  const world = new World({
    tools: {
      send: { risk: 'irreversible', trusted: true, run: (input) => input },
      slow: { risk: 'irreversible', approval: { expires: 50 }, run: () => 1 },
    },
    model: inTurn(ask(['run_script', { code }]), ask(['send', { n: 9 }]), ask(['slow', {}]), say('Done')),
  })
  world.sandbox = createIsolateSandbox()
  const before = await world.agent()
  before.onEvent = (event: RunEvent) => {
    if (event.type !== 'tool-decision' || event.verdict !== 'ask' || event.callId === '3.0') return
    const rest = event.callId === '1.0/0' && { rest: { count: 5 } }
    const approve = { type: 'approve', runId: 'r1', callId: event.callId, hash: event.hash, ...rest } as const
    const modes = { type: 'mode', runId: 'r1', modes: { askAll: true } } as const
    if (event.callId === '2.0') void before.api.command('s', modes)
    void before.api.command('s', approve)
  }
  await before.run('Send')
  await before.until((event) => event.type === 'tool-decision' && event.callId === '3.0')
  await before.ok(before.api.unfollow('s'))
  world.time += 1_000
  const after = await world.agent()
  await after.ok(after.api.follow('s'))
  await after.end()
  const events = await world.store.read('r1')
  const types = new Set(events.map(({ type }) => type))
  expect([...types]).toEqual(expect.arrayContaining(['mode-change', 'approval-expired', 'lease-start']))
  expect(events.filter((event) => event.type === 'tool-start' && event.grant !== undefined)).toHaveLength(2)
  const result = await replay(await after.ok(after.api.exportRun('r1')))
  expect(result.same ? 'same' : result.divergence.text).toBe('same')
})
