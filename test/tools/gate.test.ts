import { describe, expect, it } from 'vitest'
import type { RunModes } from '../../src/core/approval.js'
import type { Json } from '../../src/core/json.js'
import type { Risk, ToolDefinition } from '../../src/core/tool-definition.js'
import { HandrailError } from '../../src/errors.js'
import { createAjvValidator } from '../../src/tools/ajv-validator.js'
import { decide, type GateCall, type GateContext } from '../../src/tools/gate.js'
import { defaultPolicy } from '../../src/tools/gate/rules.js'
import { createToolSet } from '../../src/tools/tool-set.js'

const validator = createAjvValidator()
const define = (name: string, risk: Risk, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: name,
  input: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] },
  risk,
  ...more,
})
const definitions = [
  define('search_orders', 'read'),
  define('list_all', 'read', { input: { type: 'object', additionalProperties: false } }),
  define('add_note', 'reversible'),
  define('cancel_order', 'irreversible'),
  define('pay', 'sensitive'),
  define('checked_read', 'read', { checked: true }),
  define('checked_write', 'irreversible', { checked: true }),
  define('broken', 'read', { input: { type: 'object', properties: { id: { type: 'no-such-type' } } } }),
  define('constructor', 'read'),
]
const tools = createToolSet(definitions, validator)

interface Asked extends GateContext {
  readonly checks: string[]
}

function context({ allow, readOnly, askAll, ...more }: Partial<GateContext & RunModes> = {}): Asked {
  const checks: string[] = []
  return {
    tools,
    owner: 'ann',
    modes: { allow, readOnly, askAll },
    policy: defaultPolicy,
    guardsCalls: false,
    isFrom: () => false,
    isPersons: () => false,
    repeated: () => undefined,
    openUnknown: [],
    untrusted: [],
    warnings: [],
    checks,
    check: async (toolName) => {
      checks.push(toolName)
      return { answers: [] }
    },
    ...more,
  }
}
const call = (toolName: string, more: Partial<GateCall> = {}): GateCall => ({
  callId: '1.0',
  toolName,
  input: { id: 'O-1' },
  caller: 'model',
  ...more,
})
const unparsed = (toolName: string, inputText: string): GateCall => call(toolName, { input: undefined, inputText })
/** A page whose one answer is this, with the rule that it is of. */
const answering = (answer: unknown) =>
  context({
    check: async () => ({
      answers: [typeof answer === 'object' && answer !== null ? { rule: 'check', ...answer } : answer],
    }),
  })
const made = (outcome: 'ok' | 'unknown' = 'ok') => ({ call: '1.1.0', outcome })
const madeReason =
  'The same call of add_note with the same input was made earlier in this conversation, and took effect.'

describe('resolving the name', () => {
  it('denies an unknown tool and says the nearest name', async () => {
    const decision = await decide(call('serch_orders'), context())
    expect(decision).toMatchObject({ verdict: 'deny', hash: '', failure: { code: 'unknown_tool', retryable: false } })
    expect(decision.failure?.message).toBe('There is no tool "serch_orders". Did you mean "search_orders"?')
  })

  it.each(['__proto__', 'toString', 'hasOwnProperty', 'valueOf', '', 'search_orders\0', 'Search_Orders'])(
    'finds no tool under %j',
    async (name) => {
      expect((await decide(call(name), context())).failure?.code).toBe('unknown_tool')
    },
  )

  it('finds a tool that is really called "constructor"', async () => {
    expect(await decide(call('constructor'), context())).toMatchObject({ verdict: 'allow', mode: 'read' })
  })

  it('does not repeat an endless name', async () => {
    const decision = await decide(call('x'.repeat(1_000_000)), context())
    expect(decision.failure!.message.length).toBeLessThan(200)
  })
})

describe('what this run allows', () => {
  it('denies a tool that is not in the list, and says the list', async () => {
    const decision = await decide(call('add_note'), context({ allow: ['search_orders', 'pay'] }))
    expect(decision).toMatchObject({ verdict: 'deny', mode: 'write', failure: { code: 'not_allowed' } })
    expect(decision.failure?.message).toContain('search_orders, pay')
  })

  it('denies everything but scripts when the list is empty', async () => {
    expect((await decide(call('search_orders'), context({ allow: [] }))).failure?.code).toBe('not_allowed')
    const script = call('run_script', { input: { code: 'return 1' } })
    expect(await decide(script, context({ allow: [] }))).toMatchObject({ verdict: 'allow', mode: 'script' })
  })

  it('denies writes and allows reads in a run that only reads', async () => {
    const readOnly = context({ readOnly: true })
    for (const name of ['add_note', 'cancel_order', 'pay', 'checked_write'])
      expect((await decide(call(name), readOnly)).failure?.code).toBe('not_allowed')
    expect(await decide(call('search_orders'), readOnly)).toMatchObject({ verdict: 'allow' })
    expect(readOnly.checks).toEqual([])
  })

  it.each(['script', 'program'] as const)('denies a script that a %s starts', async (caller) => {
    const decision = await decide(call('run_script', { input: { code: 'return 1' }, caller }), context())
    expect(decision).toMatchObject({ verdict: 'deny', mode: 'script', failure: { code: 'not_allowed' } })
  })

  it('denies every call when the budget is used up, and says which', async () => {
    const decision = await decide(call('search_orders'), context({ overBudget: 'calls' }))
    expect(decision.failure).toMatchObject({ code: 'budget_exceeded', message: expect.stringContaining('calls') })
  })
})

describe('reading the input', () => {
  it('takes no text as no arguments', async () => {
    expect(await decide(unparsed('list_all', ''), context())).toMatchObject({ verdict: 'allow', input: {} })
    expect(await decide(unparsed('list_all', ' \n'), context())).toMatchObject({ verdict: 'allow', input: {} })
  })

  it('parses a text and says so in the decision', async () => {
    expect(await decide(unparsed('search_orders', '{"id":"O-1"}'), context())).toMatchObject({
      verdict: 'allow',
      input: { id: 'O-1' },
    })
    expect(await decide(call('search_orders'), context())).not.toHaveProperty('input')
  })

  it('tells the model where its text stops being JSON', async () => {
    const decision = await decide(unparsed('search_orders', '{"id": "O-1", note: 1}'), context())
    expect(decision).toMatchObject({ verdict: 'deny', mode: 'read', hash: '', failure: { code: 'invalid_input' } })
    expect(decision.failure?.message).toBe(
      'The input of "search_orders" is not JSON: at position 14, after "{\\"id\\": \\"O-1\\", ", there is "n" where a property name, in double quotes must be',
    )
  })

  it('tells a cut text from a wrong one', async () => {
    expect((await decide(unparsed('search_orders', '{"id": "O-'), context())).failure?.message).toContain(
      'the end of the text',
    )
  })

  it('denies a call without any input', async () => {
    expect((await decide(call('search_orders', { input: undefined }), context())).failure).toMatchObject({
      code: 'invalid_input',
    })
  })

  it('denies what is nested too deep, before the validator sees it', async () => {
    const deep = (levels: number) =>
      unparsed('search_orders', `{"id":"a","x":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    expect((await decide(deep(127), context())).verdict).toBe('allow')
    expect((await decide(deep(128), context())).failure?.message).toContain('deeper than 128')
    expect((await decide(deep(500_000), context())).failure?.code).toBe('invalid_input')
  })

  it('names the place of every fault', async () => {
    const { failure } = await decide(call('search_orders', { input: { note: 1 } }), context())
    expect(failure?.message).toBe(
      'The input of "search_orders" is not valid: /id is missing; /note must be string; it is the number 1',
    )
  })

  it('names 20 faults, then counts', async () => {
    const items = define('many', 'read', { input: { type: 'object', additionalProperties: { type: 'string' } } })
    const many = createToolSet([items], validator)
    const input = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${'k'.repeat(400)}${i}`, i]))
    const { failure } = await decide(call('many', { input }), context({ tools: many }))
    expect(failure?.message).toContain('and 4980 more')
    expect(failure!.message.length).toBeLessThan(20_000)
  })

  it.each<[string, Json]>([
    ['a text', '{"id":"O-1"}'],
    ['an array', [{ id: 'O-1' }]],
    ['null', null],
  ])('denies %s where an object must be', async (_, input) => {
    expect((await decide(call('search_orders', { input }), context())).failure?.message).toContain(
      'the whole input must be object',
    )
  })

  it('never asks the page about an input that is not valid', async () => {
    const asked = context()
    const wrongInputs: Json[] = [{}, [], { id: 1 }]
    for (const wrong of wrongInputs) await decide(call('checked_write', { input: wrong }), asked)
    await decide(unparsed('checked_write', '{'), asked)
    expect(asked.checks).toEqual([])
    await decide(call('checked_write'), asked)
    expect(asked.checks).toEqual(['checked_write'])
  })

  it('denies when the schema of the tool is not one, and leaves other tools alone', async () => {
    const decision = await decide(call('broken'), context())
    expect(decision).toMatchObject({ verdict: 'deny', failure: { code: 'check_failed' } })
    expect(decision.failure?.message).toContain('input of tool "broken": /properties/id/type')
    expect((await decide(call('search_orders'), context())).verdict).toBe('allow')
  })
})

describe('what needs a person', () => {
  it.each([
    ['search_orders', 'allow', 'read', undefined],
    ['add_note', 'ask', 'write', ['It changes something, and can be undone.']],
    ['cancel_order', 'ask', 'write', ['It cannot be undone.']],
    ['pay', 'ask', 'write', ['It touches something sensitive.']],
  ])('%s: %s', async (name, verdict, mode, reasons) => {
    const decision = await decide(call(name), context())
    expect(decision).toMatchObject({ verdict, mode, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(decision.reasons).toEqual(reasons)
  })

  it.each(['model', 'script'] as const)('is the same for a call of a %s', async (caller) => {
    expect(await decide(call('cancel_order', { caller }), context())).toEqual(
      await decide(call('cancel_order'), context()),
    )
  })

  it('is denied to a program, which cannot wait', async () => {
    const decision = await decide(call('cancel_order', { caller: 'program' }), context())
    expect(decision).toMatchObject({ verdict: 'deny', failure: { code: 'approval_required' } })
    expect(decision.failure?.message).toContain('call it directly')
    expect((await decide(call('search_orders', { caller: 'program' }), context())).verdict).toBe('allow')
    expect(
      (await decide(call('checked_read', { caller: 'program' }), answering({ verdict: 'ask', reason: 'Odd.' }))).failure
        ?.code,
    ).toBe('approval_required')
  })

  it('asks for a write that was made before, with that reason too', async () => {
    const seen: [string, Json][] = []
    const repeated = (toolName: string, input: Json) => {
      seen.push([toolName, input])
      return made()
    }
    const decision = await decide(unparsed('add_note', '{"id":"O-1"}'), context({ repeated }))
    expect(decision.reasons).toEqual(['It changes something, and can be undone.', madeReason])
    expect(decision.rules).toEqual(['risk', 'repeat'])
    expect(seen).toEqual([['add_note', { id: 'O-1' }]])
    expect((await decide(call('search_orders'), context({ repeated }))).verdict).toBe('allow')
    expect(seen).toHaveLength(1)
  })

  it('asks for a write while the outcome of another is unknown', async () => {
    const openUnknown = [{ callId: '1.3', toolName: 'pay' }]
    const decision = await decide(call('add_note'), context({ openUnknown }))
    expect(decision.reasons).toContain('It is not known whether the earlier call 1.3 of "pay" took effect.')
    expect((await decide(call('search_orders'), context({ openUnknown }))).verdict).toBe('allow')
  })
})

describe("the tool's own check", () => {
  it('is asked only of tools that have one', async () => {
    const asked = context()
    await decide(call('search_orders'), asked)
    await decide(call('checked_read'), asked)
    expect(asked.checks).toEqual(['checked_read'])
  })

  it('gets the input that was checked', async () => {
    let got: Json | undefined
    await decide(
      unparsed('checked_read', '{"id":"O-9"}'),
      context({ check: async (_, input) => ((got = input), { answers: [] }) }),
    )
    expect(got).toEqual({ id: 'O-9' })
  })

  it('may deny, ask, or allow; the strictest answer wins', async () => {
    const deny = await decide(call('checked_write'), answering({ verdict: 'deny', reason: 'The order has left.' }))
    expect(deny).toMatchObject({ verdict: 'deny', failure: { code: 'denied', message: 'The order has left.' } })
    const ask = await decide(call('checked_read'), answering({ verdict: 'ask', reason: 'It is a big one.' }))
    expect(ask).toMatchObject({ verdict: 'ask', mode: 'read', reasons: ['It is a big one.'] })
    expect((await decide(call('checked_write'), answering({ verdict: 'allow' }))).verdict).toBe('ask')
  })

  it('denies when it cannot be asked', async () => {
    const unreachable = context({
      check: () => Promise.reject(new HandrailError('page_closed', 'The page is gone', { retryable: true })),
    })
    expect(await decide(call('checked_read'), unreachable)).toMatchObject({
      verdict: 'deny',
      failure: { code: 'check_failed', message: expect.stringContaining('The page is gone'), retryable: true },
    })
  })

  it('denies when any rule throws', async () => {
    const repeated = () => {
      throw new Error('the log is closed')
    }
    expect((await decide(call('add_note'), context({ repeated }))).failure).toEqual({
      code: 'check_failed',
      message: 'The call of "add_note" could not be checked: the log is closed',
      retryable: false,
    })
  })

  it.each([
    undefined,
    null,
    true,
    'allow',
    {},
    { verdict: 'maybe' },
    { verdict: 'ask' },
    { verdict: 'deny', reason: '' },
    { verdict: 'ask', reason: 1 },
  ])('denies when its answer is %j', async (answer) => {
    expect((await decide(call('checked_read'), answering(answer))).failure?.code).toBe('check_failed')
  })
})

describe('the hash that an approval is bound to', () => {
  const hashOf = async (more: Partial<GateCall> = {}, inContext: Partial<GateContext> = {}) =>
    (await decide(call('cancel_order', more), context(inContext))).hash

  it('does not depend on the order of keys, nor on how the input came', async () => {
    const hash = await hashOf({ input: { id: 'O-1', note: 'a' } })
    expect(await hashOf({ input: { note: 'a', id: 'O-1' } })).toBe(hash)
    expect(await hashOf({ input: undefined, inputText: ' {"note" : "a", "id":"O-1"}' })).toBe(hash)
    expect(await hashOf({ input: { note: 'a', id: 'O-1' }, callId: '7.3' })).toBe(hash)
  })

  it('changes with input, owner, tool definition and reasons', async () => {
    const redefined = createToolSet([define('cancel_order', 'irreversible', { description: 'another' })], validator)
    const hashes = [
      await hashOf(),
      await hashOf({ input: { id: 'O-2' } }),
      await hashOf({ input: JSON.parse('{"id":"O-1","__proto__":"a"}') as Json }),
      await hashOf({}, { owner: 'bob' }),
      await hashOf({}, { tools: redefined }),
      await hashOf({}, { repeated: () => made() }),
      (await decide(call('pay'), context())).hash,
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('stays when a reason that was shown is gone, and changes when there is a new one', async () => {
    const first = await decide(call('cancel_order'), context({ repeated: () => made() }))
    const fewer = await decide(call('cancel_order', { reasons: first.reasons }), context())
    expect(fewer).toMatchObject({ verdict: 'ask', hash: first.hash, reasons: first.reasons })
    const more = await decide(
      call('cancel_order', { reasons: fewer.reasons }),
      context({ openUnknown: [{ callId: '1.1', toolName: 'pay' }] }),
    )
    expect(more.hash).not.toBe(first.hash)
    expect(more.reasons).toEqual(['It cannot be undone.', expect.stringContaining('1.1')])
  })

  it('is there for what its own check denies, and not for what was never valid', async () => {
    expect((await decide(call('checked_write'), answering({ verdict: 'deny', reason: 'No.' }))).hash).toMatch(
      /^[0-9a-f]{64}$/,
    )
    expect((await decide(call('checked_write', { input: {} }), context())).hash).toBe('')
  })
})
