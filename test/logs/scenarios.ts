import type { RunEvent } from '../../src/core/events.js'
import type { Json } from '../../src/core/json.js'
import type { CallState } from '../../src/core/call-state.js'
import { HandrailError, ToolError } from '../../src/errors.js'
import type { ModelReply } from '../../src/models/model.js'
import type { RunOptions } from '../../src/runtime/protocol.js'
import { ask, inTurn, lastResult, say, type TestAgent, type TestTool, type WorldOptions } from '../runtime/world.js'

/** A run as its golden log has it: the model, the tools, and what a person does when they see something. */
export interface Scenario extends WorldOptions {
  readonly name: string
  readonly text: string
  readonly options?: Partial<RunOptions>
  /** What a person answers to a call that asks. */
  readonly answer?: (agent: TestAgent, call: Pick<CallState, 'callId' | 'hash'>) => Promise<unknown>
  /** What a person does on an event. */
  readonly react?: (agent: TestAgent, event: RunEvent) => Promise<unknown> | undefined
}

const orders = [
  { order_id: 'O-313', state: 'signed', days: 3 },
  { order_id: 'O-314', state: 'signed', days: 10 },
  { order_id: 'O-315', state: 'signed', days: 20 },
  { order_id: 'O-316', state: 'packed', days: 0 },
]

const idInput = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] } as const
const orderId = (input: Json): string => (input as { order_id: string }).order_id

const tools: Record<string, TestTool> = {
  search_orders: { risk: 'read', run: () => orders.map(({ order_id }) => order_id) },
  get_order_status: {
    risk: 'read',
    input: idInput,
    run: (input) => {
      const order = orders.find(({ order_id }) => order_id === orderId(input))
      if (!order) throw new ToolError('not_available', `Order ${orderId(input)} is not available`)
      return order
    },
  },
  submit_after_sales_request: {
    risk: 'irreversible',
    input: idInput,
    run: (input) => ({ request_id: `AS-${orderId(input)}` }),
  },
  never_answers: { risk: 'read', run: () => new Promise(() => undefined) },
}

const command =
  (type: 'approve' | 'deny') =>
  (agent: TestAgent, { callId, hash }: Pick<CallState, 'callId' | 'hash'>) =>
    agent.api.command('s', { type, runId: 'r1', callId, hash: hash! })

/** Long enough for a tool that answers at once. */
const afterTheOther = () => new Promise((resolve) => setTimeout(resolve, 50))

/** Shows a little, loses its stream, and answers the next attempt. */
function cutOnce(shown: string, reply: ModelReply): Scenario['model'] {
  let isCut = false
  return (_request, { onDelta }) => {
    if (isCut) return reply
    isCut = true
    onDelta({ type: 'text', index: 0, text: shown })
    throw new HandrailError('model_stream_cut', 'The stream ended early', { retryable: true })
  }
}

const program = (...lines: string[]): Json => ({ code: lines.join('\n') })

/** New ones each time: a model that cuts its stream does so once in its life. */
export const createScenarios = (): readonly Scenario[] => [
  {
    name: 'direct-call',
    text: 'How is O-314?',
    tools,
    model: inTurn(ask(['get_order_status', { order_id: 'O-314' }]), (request) => say(`It is ${lastResult(request)}`)),
  },
  {
    name: 'parallel-reads',
    text: 'How are all of them?',
    tools,
    model: inTurn(ask(...orders.map(({ order_id }): [string, Json] => ['get_order_status', { order_id }])), (request) =>
      say(request.messages.map((message) => (message.role === 'tool' ? message.text : '')).join(' ')),
    ),
  },
  {
    name: 'script',
    text: 'Which can still be returned?',
    tools,
    model: inTurn(
      ask([
        'run_script',
        program(
          'const ids = await tools.search_orders({})',
          'const all = await Promise.all(ids.map((order_id) => tools.get_order_status({ order_id })))',
          'print(`${all.length} orders, lucky number ${Math.random()}`)',
          'return all.filter((order) => order.state === "signed" && order.days <= 15).map((order) => order.order_id)',
        ),
      ]),
      (request) => say(`These: ${lastResult(request)}`),
    ),
  },
  {
    name: 'script-built-ins',
    text: 'Count them twice',
    tools: {
      ...tools,
      list_everything: { risk: 'read', run: () => '0123456789'.repeat(1_700) },
    },
    model: inTurn(
      ask(['list_everything', {}]),
      ask([
        'run_script',
        program(
          'const all = await results("1.1.0")',
          'await sleep(3)',
          'setTimeout(() => print("never"), 60_000)',
          'const fired = await new Promise((resolve) => setTimeout(resolve, 5, true))',
          'state.count = all.length',
          'return { count: all.length, fired, day: new Date(0).toLocaleDateString() }',
        ),
      ]),
      ask(['run_script', program('state.count += (await tools.search_orders({})).length', 'return state')]),
      (request) => say(`There are ${lastResult(request)}`),
    ),
  },
  {
    name: 'script-approval',
    text: 'Return O-314',
    tools,
    model: inTurn(
      ask([
        'run_script',
        program(
          'const [order, ids] = await Promise.all([tools.get_order_status({ order_id: "O-314" }), tools.search_orders({})])',
          'const { request_id } = await tools.submit_after_sales_request({ order_id: order.order_id })',
          'const after = await tools.get_order_status({ order_id: "O-313" })',
          'return { request_id, known: ids.length, after: after.state }',
        ),
      ]),
      (request) => say(`Done: ${lastResult(request)}`),
    ),
    answer: command('approve'),
  },
  {
    name: 'approval',
    text: 'Return O-314',
    tools,
    model: inTurn(
      ask(['get_order_status', { order_id: 'O-314' }], ['submit_after_sales_request', { order_id: 'O-314' }]),
      (request) => say(`Done: ${lastResult(request)}`),
    ),
    answer: command('approve'),
  },
  {
    name: 'denial',
    text: 'Return O-314',
    tools,
    model: inTurn(ask(['submit_after_sales_request', { order_id: 'O-314' }]), (request) => say(lastResult(request))),
    answer: command('deny'),
  },
  {
    name: 'script-denial',
    text: 'Return O-314',
    tools,
    model: inTurn(
      ask([
        'run_script',
        program(
          'try {',
          '  return await tools.submit_after_sales_request({ order_id: "O-314" })',
          '} catch (error) {',
          '  return { failed: error.code, retryable: error.retryable }',
          '}',
        ),
      ]),
      (request) => say(lastResult(request)),
    ),
    answer: command('deny'),
  },
  {
    name: 'answer-check',
    text: 'How many are signed?',
    options: {
      toolChoice: { mode: 'required', tools: ['search_orders'] },
      answer: {
        name: 'answer',
        schema: { type: 'object', properties: { signed: { type: 'integer' } }, required: ['signed'] },
      },
      files: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'list.png' }],
      instructions: 'The page shows the list of orders.',
    },
    tools,
    model: inTurn(
      say('Three, I think.'),
      ask(['search_orders', {}]),
      say('{"signed": "three"}'),
      { ...say('{"sign'), finish: 'length' },
      say('ed": 3}'),
    ),
  },
  {
    name: 'provider-approval',
    text: 'Delete contact 7',
    tools,
    model: inTurn(
      {
        parts: [
          { type: 'call', toolName: 'look_up', inputText: '{}', caller: 'program' },
          { type: 'call', toolName: 'crm.delete', inputText: '{"id":7}', wireId: 'mcpr_1', executor: 'provider' },
        ],
        finish: 'calls',
        usage: { input: 10, output: 5 },
        serverState: { container: { id: 'c_1' } },
        remarks: [{ code: 'unknown_event', detail: { type: 'response.new' } }],
      },
      (request) => say(lastResult(request)),
    ),
    answer: command('approve'),
  },
  {
    name: 'cancel',
    text: 'Wait',
    tools,
    model: inTurn(ask(['get_order_status', { order_id: 'O-314' }], ['never_answers', {}]), say('Never said')),
    react: (agent, event) =>
      event.type === 'tool-start' && event.callId === '1.1'
        ? afterTheOther().then(() => agent.api.command('s', { type: 'cancel', runId: 'r1' }))
        : undefined,
  },
  {
    name: 'tool-error',
    text: 'How is O-999?',
    tools,
    model: inTurn(
      ask(['get_order_status', { order_id: 'O-999' }], ['get_order_status', { id: 1 }], ['get_order', {}]),
      (request) => say(lastResult(request)),
    ),
  },
  {
    name: 'cut-stream',
    text: 'Hi',
    tools,
    model: cutOnce('Hel', say('Hello again')),
  },
]
