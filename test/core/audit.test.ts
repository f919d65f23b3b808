import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { audit } from '../../src/core/audit.js'
import type { RunEvent } from '../../src/core/events.js'

const golden = async (name: string) =>
  JSON.parse(await readFile(new URL(`../logs/${name}.json`, import.meta.url), 'utf8')) as RunEvent[]

describe('audit()', () => {
  it('says who asked, what was decided, who approved, what ran and what came back', async () => {
    const log = await golden('script-approval')
    const { calls } = audit(log)
    const timeOf = (type: RunEvent['type'], callId: string) =>
      log.find((event) => event.type === type && 'callId' in event && event.callId === callId)!.at
    const write = calls.find(({ toolName }) => toolName === 'submit_after_sales_request')!
    expect(write).toMatchObject({
      runId: 'r1',
      callId: '1.0/2',
      idempotencyKey: 'r1:1.0/2',
      askedBy: 'script',
      script: { callId: '1.0', line: 2 },
      input: { order_id: 'O-314' },
      decisions: [{ verdict: 'ask', mode: 'write', at: timeOf('tool-decision', '1.0/2') }],
      answers: [{ approved: true, by: 'ann', at: timeOf('approval-response', '1.0/2') }],
      starts: [{ at: timeOf('tool-start', '1.0/2'), input: { order_id: 'O-314' } }],
      result: { outcome: 'ok', output: { request_id: 'AS-O-314' }, attempts: 1, at: timeOf('tool-result', '1.0/2') },
      reconciled: [],
    })
    expect(write.decisions[0]!.reasons.length).toBeGreaterThan(0)
    expect(write.decisions[0]!.rules.length).toBe(write.decisions[0]!.reasons.length)
    expect(calls[0]).toMatchObject({ callId: '1.0', toolName: 'run_script', askedBy: 'model' })
  })

  it.each(['denial', 'tool-error', 'cancel', 'script', 'format-1/approval', 'provider-approval', 'cut-stream'])(
    'has a row for each call, and each settled call has its result: %s',
    async (name) => {
      const log = await golden(name)
      const { calls, runs } = audit(log)
      const asked = log.flatMap((event) =>
        event.type === 'script-turn' || (event.type === 'assistant-message' && event.complete) ? event.calls : [],
      )
      expect(calls.map(({ callId }) => callId)).toEqual(asked.map(({ callId }) => callId))
      const results = log.flatMap((event) => (event.type === 'tool-result' ? [`${event.callId} ${event.outcome}`] : []))
      expect(calls.map(({ callId, result }) => `${callId} ${result?.outcome}`).toSorted()).toEqual(results.toSorted())
      expect(runs.map(({ what }) => what)).toEqual(
        name === 'cancel' ? ['start', 'message', 'stop', 'end'] : ['start', 'message', 'end'],
      )
    },
  )

  it('counts no attempt of a call that was never started, and says who denied it', async () => {
    const { calls } = audit(await golden('denial'))
    expect(calls[0]).toMatchObject({
      answers: [{ approved: false, by: 'ann' }],
      starts: [],
      result: { outcome: 'denied', attempts: 0 },
    })
  })

  const first = (runId: string): RunEvent =>
    ({ type: 'run-start', at: 1, runId, owner: 'ann', model: { provider: 'p', model: 'm' } }) as unknown as RunEvent
  const unknown: RunEvent[] = [
    first('r1'),
    {
      type: 'assistant-message',
      at: 2,
      step: 1,
      complete: true,
      parts: [],
      calls: [{ callId: '1.0', toolName: 'pay', input: 1, caller: 'model' }],
    },
    {
      type: 'tool-decision',
      at: 3,
      callId: '1.0',
      verdict: 'ask',
      mode: 'write',
      hash: 'h',
      reasons: ['a'],
      rules: ['risk'],
    },
    { type: 'approval-response', at: 4, callId: '1.0', hash: 'h', approved: true, edit: { input: 2, hash: 'h2' } },
    { type: 'tool-start', at: 5, callId: '1.0', hash: 'h2' },
    { type: 'tool-result', at: 6, callId: '1.0', outcome: 'unknown', attempts: 3 },
  ]
  const found: RunEvent = {
    type: 'tool-reconciled',
    at: 9,
    callId: '1.0',
    toolName: 'pay',
    runId: 'r1',
    done: true,
    by: 'person',
  }

  it('shows an edited input, and what a later run learnt of the call', () => {
    const [call] = audit([...unknown, first('r2'), found]).calls
    expect(call).toMatchObject({
      input: 1,
      starts: [{ input: 2 }],
      result: { outcome: 'unknown', attempts: 3 },
      reconciled: [{ at: 9, done: true, by: 'ann' }],
    })
  })

  it('tells of what was learnt of a call whose run is not among the events', () => {
    const { calls, runs } = audit([first('r2'), found])
    expect(calls).toEqual([])
    expect(runs.at(-1)).toMatchObject({ what: 'reconciled', runId: 'r1', callId: '1.0', done: true, by: 'ann' })
  })

  it('names modes and leases', () => {
    const { runs } = audit([
      first('r1'),
      { type: 'mode-change', at: 2, readOnly: true },
      { type: 'lease-start', at: 3, epoch: 2 },
    ])
    expect(runs.slice(1)).toEqual([
      { runId: 'r1', at: 2, what: 'modes', modes: { readOnly: true } },
      { runId: 'r1', at: 3, what: 'lease', epoch: 2 },
    ])
  })
})
