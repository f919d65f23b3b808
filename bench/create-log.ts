import { logFormat, type EventBody, type RunEvent, type ToolCall } from '../src/core/events.js'
import type { Json } from '../src/core/json.js'
import { defaultBudget } from '../src/core/usage.js'

const hash = '8fa1cd910b823ee62633596cc085695e73a390c3f0f383fa9522cdf47ca57d01'
/** Most results are short, some are not. */
const notes = [0, 60, 0, 0, 240, 0, 60, 0, 2_400, 0, 0, 240]
const order = (i: number): Json => ({
  order_id: `O-${i}`,
  state: 'signed',
  days: i % 30,
  item: 'Boots',
  total: 129,
  note: 'The sole came off. '.repeat(notes[i % notes.length]! / 20),
})

/**
 * A log of one run that is not over. In turns: a step with two reads at once; one with a script that makes eight calls at once
 * and four one after the other; one with a write that a person approves.
 */
export function createLog(count: number): RunEvent[] {
  const bodies: EventBody[] = [
    {
      type: 'run-start',
      format: logFormat,
      runId: 'r',
      session: 's',
      owner: 'ada',
      epoch: 1,
      model: { provider: 'bench', model: 'scripted' },
      contextHash: hash,
      seed: 7,
      locale: 'en-GB',
      timeZone: 'Europe/Berlin',
      budget: defaultBudget,
    },
    { type: 'user-message', text: 'Which orders can still be returned?' },
  ]
  for (let step = 1; bodies.length < count; step++) bodies.push(...kinds[step % kinds.length]!(step))
  return bodies.slice(0, count).map((body, i) => ({ ...body, at: 1_700_000_000_000 + i * 7 }))
}

const kinds: readonly ((step: number) => EventBody[])[] = [
  (step) => {
    const calls = [0, 1].map((i): ToolCall => callOf(`${step}.${i}`, 'get_order', { order_id: `O-${step}` }, 'model'))
    return [...answer(step, calls), ...allAtOnce(calls)]
  },
  (step) => {
    const callId = `${step}.0`
    const script = callOf(
      callId,
      'run_script',
      { code: 'return (await tools.list_orders({})).length\n'.repeat(8) },
      'model',
    )
    return [
      ...answer(step, [script]),
      { type: 'tool-decision', callId, verdict: 'allow', mode: 'script', hash },
      { type: 'tool-start', callId, hash, tools: ['list_orders', 'get_order'] },
      ...turnsOf(callId),
      { type: 'tool-result', callId, outcome: 'ok', output: 12, bytes: 2 },
    ]
  },
  (step) => {
    const callId = `${step}.0`
    return [
      ...answer(step, [callOf(callId, 'cancel_order', { order_id: `O-${step}` }, 'model')]),
      { type: 'tool-decision', callId, verdict: 'ask', mode: 'write', hash, reasons: ['It cannot be undone.'] },
      { type: 'approval-response', callId, hash, approved: true },
      { type: 'tool-start', callId, hash },
      { type: 'tool-result', callId, outcome: 'ok', output: { cancelled: true }, bytes: 18 },
    ]
  },
]

const callOf = (callId: string, toolName: string, input: Json, caller: ToolCall['caller']): ToolCall => ({
  callId,
  toolName,
  input,
  ...(caller === 'model' && { inputText: JSON.stringify(input), wireId: `call_${callId}` }),
  caller,
})

const answer = (step: number, calls: readonly ToolCall[]): EventBody[] => [
  { type: 'step-start', step, attempt: 1 },
  {
    type: 'assistant-message',
    step,
    complete: true,
    parts: [
      { type: 'text', text: 'I look at the orders first.' },
      ...calls.map(({ callId }) => ({ type: 'call' as const, callId })),
    ],
    calls,
    finish: 'calls',
    usage: { input: 900 + step, output: 80 },
  },
]

const allAtOnce = (calls: readonly ToolCall[]): EventBody[] => [
  ...calls.map(({ callId }): EventBody => ({ type: 'tool-decision', callId, verdict: 'allow', mode: 'read', hash })),
  ...calls.map(({ callId }): EventBody => ({ type: 'tool-start', callId, hash })),
  ...calls.map(({ callId }, i): EventBody => ({
    type: 'tool-result',
    callId,
    outcome: 'ok',
    output: order(i),
    bytes: 74,
  })),
]

function turnsOf(callId: string): EventBody[] {
  const child = (n: number) => callOf(`${callId}/${n}`, 'get_order', { order_id: `O-${n}` }, 'script')
  const first = Array.from({ length: 8 }, (_, n) => child(n))
  const turns: EventBody[] = [{ type: 'script-turn', callId, turn: 0, calls: first }, ...allAtOnce(first)]
  for (let turn = 1; turn <= 12; turn++) {
    const added = turn >= 8 && turn < 12 ? [child(turn)] : []
    const outcome = turn === 12 ? ({ status: 'ok', value: 12 } as const) : undefined
    turns.push(
      { type: 'script-turn', callId, turn, fed: `${callId}/${turn - 1}`, calls: added, ...(outcome && { outcome }) },
      ...allAtOnce(added),
    )
  }
  return turns
}
