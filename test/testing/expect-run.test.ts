import { beforeAll, describe, expect, it } from 'vitest'
import { expectRun, type RunExpectation } from '../../src/testing/expect-run.js'
import type { RecordedRun } from '../../src/testing/recording.js'
import { ask, inTurn, say, World } from '../runtime/world.js'
import { record, recordedIn } from './record.js'

let approved: RecordedRun
let denied: RecordedRun
let repeated: RecordedRun

beforeAll(async () => {
  approved = await record('script-approval')
  denied = await record('denial')
  const world = new World({
    tools: { pay: { risk: 'reversible', run: () => 'paid' } },
    model: inTurn(ask(['pay', { n: 1 }]), ask(['pay', { n: 1 }]), say('Paid')),
  })
  const agent = await world.agent()
  agent.onEvent = (event) => {
    if (event.type !== 'tool-decision' || event.verdict !== 'ask') return
    const { callId, hash } = event
    void agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash })
  }
  await agent.run('Pay')
  await agent.end()
  repeated = await recordedIn(world)
})

function failureOf(work: () => unknown): Error & { actual?: unknown; expected?: unknown } {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('It did not fail')
}

describe('expectRun()', () => {
  it('passes what the run did, in one chain', () => {
    expectRun(approved)
      .toEnd('completed')
      .toCall('submit_after_sales_request', { order_id: /^O-\d+$/ }, 'ok')
      .notToCall('delete_order')
      .notToCall('get_order_status', { order_id: 'O-999' })
      .toCallInOrder('run_script', 'search_orders', 'submit_after_sales_request')
      .toAsk('submit_after_sales_request', { reasons: ['cannot be undone', /^It/] })
      .toAnswer('AS-O-314')
      .toAnswer(/^Done/g)
      .toStayWithin({ steps: 2, calls: 5, scripts: 1, tokens: 100 })
      .notToRepeatWrites()
    expectRun(denied).toDeny('submit_after_sales_request').toDeny('submit_after_sales_request', 'denied')
  })

  it.each<[string, () => RecordedRun, (run: RunExpectation) => unknown]>([
    ['to end failed; it is completed', () => approved, (run) => run.toEnd('failed')],
    ['to call delete_order with {"id":1}', () => approved, (run) => run.toCall('delete_order', { id: 1 })],
    ['to call search_orders, ending error', () => approved, (run) => run.toCall('search_orders', undefined, 'error')],
    [
      'not to call get_order_status with {"order_id":"O-313"}',
      () => approved,
      (run) => run.notToCall('get_order_status', { order_id: 'O-313' }),
    ],
    [
      'to call in this order: search_orders, run_script; run_script is missing after search_orders',
      () => approved,
      (run) => run.toCallInOrder('search_orders', 'run_script'),
    ],
    ['to ask before search_orders', () => approved, (run) => run.toAsk('search_orders')],
    [
      'to ask before submit_after_sales_request (rule trust)',
      () => approved,
      (run) => run.toAsk('submit_after_sales_request', { rules: ['trust'] }),
    ],
    ['to deny submit_after_sales_request', () => approved, (run) => run.toDeny('submit_after_sales_request')],
    [
      'to deny submit_after_sales_request with not_allowed',
      () => denied,
      (run) => run.toDeny('submit_after_sales_request', 'not_allowed'),
    ],
    ['to answer /^Nothing/', () => approved, (run) => run.toAnswer(/^Nothing/)],
    ['to answer {"total":1}', () => approved, (run) => run.toAnswer({ total: 1 })],
    ['to stay within steps 1; it used 2', () => approved, (run) => run.toStayWithin({ steps: 1, calls: 9 })],
    ['not to repeat a write; it did: pay {"n":1}: 1.0 and 2.0', () => repeated, (run) => run.notToRepeatWrites()],
  ])('fails, and says so: %s', (says, run, wants) => {
    const failure = failureOf(() => wants(expectRun(run())))
    expect(failure.name).toBe('AssertionError')
    expect(failure.message.split('\n')[0]).toBe(`Expected the run ${says}. It did this:`)
    expect(failure).toHaveProperty('actual')
    expect(failure).toHaveProperty('expected')
  })

  it('lists what the run did, and gives both sides for a diff', () => {
    const failure = failureOf(() => expectRun(denied).toCall('submit_after_sales_request', { order_id: 'O-315' }))
    expect(failure.message.split('\n').slice(1)).toEqual([
      'user: "Return O-314"',
      expect.stringMatching(
        /^ {2}1\.0 submit_after_sales_request \{"order_id":"O-314"\} asked \(It cannot be undone\.\) denied -> denied \(denied\)$/,
      ),
      expect.stringMatching(/^assistant: /),
      'end: completed',
    ])
    expect(failure.actual).toEqual({
      tool: 'submit_after_sales_request',
      input: { order_id: 'O-314' },
      outcome: 'denied',
    })
    expect(failure.expected).toEqual({ tool: 'submit_after_sales_request', input: { order_id: 'O-315' } })
  })
})
