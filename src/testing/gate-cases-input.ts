import { giveBack, lookUp, read, write } from './case-tools.js'
import type { CaseOutcome, GateCase, GatePath } from './gate-case.js'

const refused = (code: string): CaseOutcome => ({ outcome: 'denied', code, runs: 0 })
/** A script has no such function: nothing is asked of the gate. */
const noFunction = { script: { outcome: 'none', code: undefined } } as const

const others = ({ caller }: GatePath) => (['model', 'script', 'program'] as const).filter((other) => other !== caller)

/** Which calls there are, what may be called, and what an input must be. */
export const inputCases: readonly GateCase[] = [
  {
    name: 'a tool that there is not is not called',
    tools: () => [read()],
    call: { tool: 'look_down', input: { id: 'O-1' } },
    expected: refused('unknown_tool'),
    differs: noFunction,
  },
  {
    name: 'what every object has is no tool',
    tools: () => [read()],
    call: { tool: 'constructor', input: {} },
    expected: refused('unknown_tool'),
    differs: noFunction,
  },
  {
    name: 'a call of the runtime itself is no tool',
    tools: () => [read()],
    call: { tool: 'script.sleep', input: { ms: 1 } },
    expected: refused('unknown_tool'),
    differs: noFunction,
  },
  {
    name: 'a tool that the run does not allow is not called',
    tools: () => [read(), write()],
    run: { allow: ['return_order'] },
    call: lookUp,
    expected: refused('not_allowed'),
  },
  {
    name: 'a run that only reads does not write',
    tools: () => [write()],
    run: { readOnly: true },
    call: giveBack,
    expected: refused('not_allowed'),
  },
  {
    name: 'a tool is not called by whom it does not name',
    tools: (path) => [read({ callers: others(path) })],
    call: lookUp,
    expected: refused('not_allowed'),
    differs: noFunction,
  },
  {
    name: 'arguments that are no JSON call nothing',
    tools: () => [read()],
    call: { tool: 'look_up', inputText: '{"id": "O-1"' },
    expected: refused('invalid_input'),
    never: ['script'],
  },
  {
    name: 'an input that does not fit the schema calls nothing',
    tools: () => [read()],
    call: { tool: 'look_up', input: { id: 1 } },
    expected: refused('invalid_input'),
  },
  {
    name: 'an input with a field more calls nothing',
    tools: () => [read()],
    call: { tool: 'look_up', inputText: '{"id":"O-1","__proto__":{"admin":true}}' },
    expected: refused('invalid_input'),
  },
  {
    name: 'a field that the app fills is not taken from a model',
    tools: () => [own(() => 'ann')],
    call: { tool: 'return_order', input: { id: 'O-1', customer: 'eve' } },
    expected: refused('invalid_input'),
  },
  {
    name: 'a field that the app fills reaches the tool, and a person first',
    tools: () => [own(() => 'ann')],
    call: giveBack,
    expected: { outcome: 'ok', asked: [['risk']], runs: 1, ranWith: { id: 'O-1', customer: 'ann' } },
  },
  {
    name: 'a field that the app cannot fill stops the call',
    tools: () => [
      own(() => {
        throw new Error('Nobody is signed in')
      }),
    ],
    call: giveBack,
    expected: refused('check_failed'),
  },
  {
    name: 'an id that nobody gave is not used',
    tools: () => [write({ from: { '/id': ['user', 'look_up:/id'] } }), read()],
    message: 'Send my order back.',
    call: { tool: 'return_order', input: { id: 'O-9' } },
    expected: refused('unproven_input'),
  },
  {
    name: 'an id that the user gave may be used',
    tools: () => [write({ from: { '/id': 'user' } })],
    message: 'Send O-1 back.',
    call: giveBack,
    expected: { outcome: 'ok', asked: [['risk']], runs: 1 },
  },
  {
    name: 'an id that the named tool gave may be used',
    tools: () => [write({ from: { '/id': 'look_up:/id' } }), read()],
    before: [lookUp],
    call: giveBack,
    expected: { outcome: 'ok', asked: [['risk']], runs: 1 },
  },
  {
    name: 'an id that another tool gave is not used',
    tools: () => [write({ from: { '/id': 'search:/id' } }), read(), read({ name: 'search' })],
    before: [lookUp],
    call: giveBack,
    expected: refused('unproven_input'),
  },
]

function own(customer: () => string) {
  const input = {
    type: 'object',
    properties: { id: { type: 'string' }, customer: { type: 'string' } },
    required: ['id', 'customer'],
    additionalProperties: false,
  } as const
  return write({ input, hostInput: { customer } })
}
