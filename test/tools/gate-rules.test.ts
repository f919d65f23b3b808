import { describe, expect, it } from 'vitest'
import type { RunModes } from '../../src/core/approval.js'
import type { Json } from '../../src/core/json.js'
import type { Risk, ToolDefinition } from '../../src/core/tool-definition.js'
import { createAjvValidator } from '../../src/tools/ajv-validator.js'
import { decide, type GateCall, type GateContext } from '../../src/tools/gate.js'
import { defaultPolicy } from '../../src/tools/gate/rules.js'
import { createToolSet } from '../../src/tools/tool-set.js'

const define = (name: string, risk: Risk, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: name,
  input: { type: 'object', properties: { id: { type: 'string' }, n: { type: 'number' } } },
  risk,
  ...more,
})
const hosted = define('hosted', 'irreversible', {
  input: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      user: { type: 'string' },
      ID: { type: 'string' },
      tenant: { type: 'number' },
    },
    required: ['id', 'user'],
  },
  hostInput: ['user', 'tenant'],
  checked: true,
})
const pay = define('pay', 'irreversible', {
  input: {
    type: 'object',
    properties: {
      order: { type: 'string' },
      amount: { type: 'number' },
      lines: { type: 'array', items: { description: 'Anything' } },
    },
  },
  from: { '/order': ['user', 'find:/*/id'], '/amount': ['user'], '/lines/*': ['find:'] },
})
const tools = createToolSet(
  [
    define('look', 'read'),
    define('find', 'read'),
    define('open_look', 'read', { openWorld: true }),
    define('note', 'reversible'),
    define('eager', 'reversible', { approval: { needed: false } }),
    define('shy', 'read', { approval: { needed: true } }),
    define('asks_page', 'reversible', { checked: true }),
    define('cancel', 'irreversible'),
    define('guarded_secret', 'sensitive', { approval: { needed: false }, safe: true }),
    define('safe_note', 'reversible', { safe: true }),
    define('once_only', 'reversible', { repeat: 'deny' }),
    define('again', 'reversible', { repeat: 'allow' }),
    hosted,
    pay,
  ],
  createAjvValidator(),
)
const context = ({ allow, readOnly, askAll, ...more }: Partial<GateContext & RunModes> = {}): GateContext => ({
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
  check: async () => ({ answers: [] }),
  ...more,
})
const call = (toolName: string, input: Json = { id: 'a' }, more: Partial<GateCall> = {}): GateCall => ({
  callId: '1.0',
  toolName,
  input,
  caller: 'model',
  ...more,
})
const saying = (said: unknown) => context({ check: async () => said })
const permissive = {
  policy: { read: 'allow', reversible: 'allow', irreversible: 'allow', sensitive: 'allow' },
} as const

describe('the policy', () => {
  it.each<[string, Partial<GateContext>, string]>([
    ['look', {}, 'allow'],
    ['look', { policy: { ...defaultPolicy, read: 'ask' } }, 'ask'],
    ['note', permissive, 'allow'],
    ['note', { policy: { ...defaultPolicy, reversible: 'deny' } }, 'deny'],
    ['eager', {}, 'allow'],
    ['eager', { policy: { ...defaultPolicy, reversible: 'deny' } }, 'deny'],
    ['shy', {}, 'ask'],
    ['guarded_secret', permissive, 'ask'],
    ['guarded_secret', { policy: { ...defaultPolicy, sensitive: 'deny' } }, 'deny'],
  ])('of %s with %j: %s', async (name, more, verdict) => {
    const decision = await decide(call(name), context(more))
    expect(decision.verdict).toBe(verdict)
    expect(decision.rules).toEqual(verdict === 'allow' ? undefined : ['risk'])
    expect(decision.failure?.code).toBe(verdict === 'deny' ? 'not_allowed' : undefined)
  })

  it('that says what is none denies', async () => {
    const policy = { ...defaultPolicy, read: 'yes' } as unknown as GateContext['policy']
    expect((await decide(call('look'), context({ policy }))).verdict).toBe('deny')
  })

  it("yields to the page's needed, which only lifts what the risk asks", async () => {
    const lifted = await decide(call('asks_page'), saying({ answers: [], needed: false }))
    expect(lifted.verdict).toBe('allow')
    const answers = [{ rule: 'check', verdict: 'ask', reason: 'Odd.' }]
    const asked = await decide(call('asks_page'), saying({ answers, needed: false }))
    expect(asked).toMatchObject({ verdict: 'ask', reasons: ['Odd.'], rules: ['check'] })
    const demanded = context({ ...permissive, check: async () => ({ answers: [], needed: true }) })
    expect(await decide(call('asks_page'), demanded)).toMatchObject({ verdict: 'ask', rules: ['risk'] })
  })
})

describe('the modes of a run', () => {
  it('askAll: reads ask too, scripts, and what was lifted', async () => {
    for (const [name, input] of [['look'], ['eager'], ['run_script', { code: 'return 1' }]] as [string, Json?][])
      expect(await decide(call(name, input), context({ askAll: true }))).toMatchObject({
        verdict: 'ask',
        rules: ['mode'],
      })
  })

  it('askAll: what is built into a script does not ask', async () => {
    const sleep = call('script.sleep', { ms: 1 }, { caller: 'script' })
    expect(
      (await decide(sleep, context({ askAll: true, guardsCalls: true, check: () => Promise.reject(new Error()) })))
        .verdict,
    ).toBe('allow')
  })

  it.each<[string, RunModes]>([
    ['readOnly', { readOnly: true }],
    ['an allowed list', { allow: ['look'] }],
  ])('%s denies what a provider runs', async (_, modes) => {
    const provided = call('server.x', {}, { executor: 'provider' })
    expect(await decide(provided, context(modes))).toMatchObject({
      verdict: 'deny',
      failure: { code: 'not_allowed' },
      rules: ['mode'],
    })
  })

  it('askAll adds its reason to what a provider runs', async () => {
    const decision = await decide(call('server.x', {}, { executor: 'provider' }), context({ askAll: true }))
    expect(decision).toMatchObject({ verdict: 'ask', rules: ['mode', 'provider'] })
  })

  it('askAll denies to a program, which cannot wait', async () => {
    const decision = await decide(call('look', {}, { caller: 'program' }), context({ askAll: true }))
    expect(decision).toMatchObject({
      verdict: 'deny',
      failure: { code: 'approval_required' },
      rules: ['mode', 'program'],
    })
  })
})

describe('fields that the app fills', () => {
  const filling = (filled: unknown) => saying({ answers: [], filled })

  it('are in the input that is hashed, shown and executed', async () => {
    const first = await decide(call('hosted'), filling({ user: 'u1' }))
    expect(first).toMatchObject({ verdict: 'ask', input: { id: 'a', user: 'u1' } })
    expect((await decide(call('hosted'), filling({ user: 'u2' }))).hash).not.toBe(first.hash)
  })

  it.each<[string, string]>([
    ['user', '{"id":"a","user":"root"}'],
    ['tenant', '{"id":"a","tenant":1}'],
    ['USER', '{"id":"a","USER":"root"}'],
    ['User', '{"id":"a","User":"root"}'],
    ['ｕser', '{"id":"a","ｕser":"root"}'],
    ['__proto__', '{"id":"a","__proto__":{"user":"root"}}'],
  ])('are refused when a model sends them: %s', async (field, inputText) => {
    const decision = await decide(call('hosted', undefined, { input: undefined, inputText }), filling({ user: 'u1' }))
    expect(decision).toMatchObject({ verdict: 'deny', failure: { code: 'invalid_input' }, rules: ['host'] })
    expect(decision.failure?.message).toBe(
      `The input of "hosted" must be without ${JSON.stringify(field)}: the app fills such a field`,
    )
  })

  it('leave alone a field of the tool that is called almost so', async () => {
    const cased = define('cased', 'read', {
      input: { type: 'object', properties: { ID: { type: 'string' }, id: { type: 'string' } } },
      hostInput: ['id'],
    })
    const decision = await decide(call('cased', { ID: 'x' }), {
      ...filling({ id: 'y' }),
      tools: createToolSet([cased], createAjvValidator()),
    })
    expect(decision).toMatchObject({ verdict: 'allow', input: { ID: 'x', id: 'y' } })
  })

  it.each<[string, unknown]>([
    ['is missing', {}],
    ['is of another type', { user: 7 }],
  ])('fail the check, and not the model, when one %s', async (_, filled) => {
    const { verdict, failure, rules } = await decide(call('hosted'), filling(filled))
    expect([verdict, failure?.code, rules]).toEqual(['deny', 'check_failed', ['host']])
    expect(failure?.message).toMatch(/what the app fills does not fit the schema at .*user$/)
    expect(failure?.message).not.toContain('7')
  })

  it.each<[string, unknown]>([
    ['others than those', { user: 'u1', id: 'b' }],
    ['a prototype', JSON.parse('{"user":"u1","__proto__":{"id":"b"}}')],
    ['no object', ['u1']],
    ['what is too deep', { user: 'u1', tenant: JSON.parse('['.repeat(200) + ']'.repeat(200)) }],
    ['what is no number', { user: 'u1', tenant: Infinity }],
  ])('fail the check when the page fills %s', async (_, filled) => {
    expect((await decide(call('hosted'), filling(filled))).failure?.code).toBe('check_failed')
  })
})

describe('where a value must be from', () => {
  const known = new Map<string | number, string[]>([
    ['O-1', ['find:/*/id']],
    ['O-2', ['other:/*/id']],
    [30, ['user']],
    ['line', ['find:']],
  ])
  const knowing = (more: Partial<GateContext> = {}) =>
    context({ isFrom: (origin, value) => known.get(value)?.includes(origin) ?? false, ...more })

  it('lets pass what is from there, and what is absent', async () => {
    expect(
      (await decide(call('pay', { order: 'O-1', amount: 30, lines: [{ a: 'line' }, true, null] }), knowing())).verdict,
    ).toBe('ask')
    expect((await decide(call('pay', {}), knowing())).verdict).toBe('ask')
  })

  it('denies an invented value, and says what to do', async () => {
    const decision = await decide(call('pay', { order: 'O-9' }), knowing())
    expect(decision).toMatchObject({ verdict: 'deny', hash: '', rules: ['from'], failure: { code: 'unproven_input' } })
    expect(decision.failure?.message).toBe(
      'The input of "pay": /order is "O-9", which is not from where it must be. It must be in the words of the user, or in an output of find at /*/id: call find first, and take it from there, or ask the user for it.',
    )
  })

  it('denies a value that only another tool has given', async () => {
    expect((await decide(call('pay', { order: 'O-2' }), knowing())).failure?.code).toBe('unproven_input')
  })

  it('names each of a few, and counts the rest', async () => {
    const { failure } = await decide(call('pay', { order: 'x', amount: 1, lines: ['a', 'b', 'c'] }), knowing())
    expect(failure?.message).toMatch(/\/order .*\/amount .*\/lines\/0 .* And 2 more\.$/)
  })

  it('does not ask the page about what is invented', async () => {
    let asked = 0
    const counting = knowing({ guardsCalls: true, check: async () => (asked++, { answers: [] }) })
    await decide(call('pay', { order: 'O-9' }), counting)
    expect(asked).toBe(0)
    await decide(call('pay', { order: 'O-1' }), counting)
    expect(asked).toBe(1)
  })

  it('lets pass what a person has put in, at its path only', async () => {
    const edited = knowing({ isPersons: (path) => path === '/order' })
    expect((await decide(call('pay', { order: 'O-9' }), edited)).verdict).toBe('ask')
    expect((await decide(call('pay', { order: 'O-9', amount: 5 }), edited)).failure?.message).toContain('/amount is 5')
  })
})

describe('what the page says', () => {
  it.each<unknown>([
    undefined,
    null,
    'allow',
    [],
    {},
    { answers: null },
    { answers: { length: 0 } },
    { answers: ['allow'] },
    { answers: [null] },
    { answers: [{ verdict: 'allow' }] },
    { answers: [{ verdict: 'allow', rule: 'unknown' }] },
    { answers: [{ verdict: 'Allow', rule: 'check' }] },
    { answers: [{ verdict: 'ask', rule: 'check' }] },
    { answers: [{ verdict: 'deny', rule: 'check', reason: ' ' }] },
    { answers: [{ verdict: 'ask', rule: 'check', reason: 1 }] },
    {
      answers: [
        { verdict: 'allow', rule: 'check' },
        { verdict: 'allow', rule: '' },
      ],
    },
    { answers: [], needed: 'no' },
    { answers: [], needed: 0 },
    { answers: [], filled: { id: 'b' } },
  ])('denies when it is %j', async (said) => {
    const decision = await decide(call('asks_page'), saying(said))
    expect(decision).toMatchObject({ verdict: 'deny', hash: '', rules: ['check'], failure: { code: 'check_failed' } })
  })

  it('is asked of every call where there are guardrails over calls, and the strictest wins', async () => {
    const answers = [
      { rule: 'guardrail', verdict: 'allow' },
      { rule: 'guardrail', verdict: 'ask', reason: 'A big one.' },
      { rule: 'guardrail', verdict: 'deny', reason: 'Not on Sundays.' },
      { rule: 'guardrail', verdict: 'deny', reason: 'Never.' },
    ]
    const guarded = context({ guardsCalls: true, check: async () => ({ answers }) })
    for (const name of ['look', 'note'])
      expect((await decide(call(name), guarded)).failure).toEqual({
        code: 'denied',
        message: 'Not on Sundays.',
        retryable: false,
      })
    expect(await decide(call('look'), guarded)).toMatchObject({
      reasons: ['A big one.'],
      rules: ['guardrail', 'guardrail', 'guardrail'],
    })
    expect((await decide(call('server.x', {}, { executor: 'provider' }), guarded)).verdict).toBe('deny')
  })

  it('denies what a provider runs when guardrails cannot be asked', async () => {
    const broken = context({ guardsCalls: true, check: () => Promise.reject(new Error('gone')) })
    const decision = await decide(call('server.x', {}, { executor: 'provider' }), broken)
    expect(decision).toMatchObject({ verdict: 'deny', failure: { code: 'check_failed' } })
  })
})

describe('a repeated write', () => {
  const repeated = () => ({ call: '1.2.0', outcome: 'unknown' as const })

  it.each<[string, string]>([
    ['note', 'ask'],
    ['once_only', 'deny'],
    ['again', 'ask'],
    ['look', 'allow'],
  ])('of %s: %s', async (name, verdict) => {
    const decision = await decide(call(name), context({ repeated }))
    expect(decision.verdict).toBe(verdict)
    expect(decision.rules?.includes('repeat') ?? false).toBe(name === 'note' || name === 'once_only')
  })

  it('that is denied says which call it repeats, and what is known of it', async () => {
    expect((await decide(call('once_only'), context({ repeated }))).failure).toEqual({
      code: 'repeated',
      message:
        'The same call of once_only with the same input was made earlier in this conversation, and its outcome is unknown. It is call 1.2.0.',
      retryable: false,
    })
  })
})

describe('after text that is not trusted', () => {
  const untrusted = { untrusted: ['fetch_page'] }

  it.each<[string, string]>([
    ['look', 'allow'],
    ['open_look', 'ask'],
    ['note', 'ask'],
    ['safe_note', 'allow'],
    ['again', 'ask'],
  ])('%s, which the policy allows: %s', async (name, verdict) => {
    const decision = await decide(call(name), context({ ...permissive, ...untrusted }))
    expect(decision).toMatchObject({ verdict, ...(verdict === 'ask' && { rules: ['trust'] }) })
  })

  it('what asks anyway asks for the same reasons, so an approval stays', async () => {
    const before = await decide(call('cancel'), context())
    expect(await decide(call('cancel'), context(untrusted))).toEqual(before)
  })
})

describe('what guardrails over messages and outputs warn of', () => {
  it('makes writes ask, and reads that send something away, and no other', async () => {
    const warned = context({ ...permissive, warnings: ['It asks for a password.'] })
    for (const name of ['note', 'open_look', 'safe_note'])
      expect(await decide(call(name), warned)).toMatchObject({
        verdict: 'ask',
        reasons: ['It asks for a password.'],
        rules: ['warning'],
      })
    expect((await decide(call('look'), warned)).verdict).toBe('allow')
  })

  it('shows a few of many, and any new one asks again', async () => {
    const warnings = Array.from({ length: 40 }, (_, i) => `Warning ${i}.`)
    const decision = await decide(call('note'), context({ warnings }))
    expect(decision.reasons).toHaveLength(18)
    expect(decision.reasons?.at(-1)).toBe('There are 24 more warnings.')
    expect((await decide(call('note'), context({ warnings: [...warnings, 'x'] }))).hash).not.toBe(decision.hash)
  })
})

it('every reason has its rule beside it, in the order of the rules, also when it is shown again', async () => {
  const many = context({
    askAll: true,
    repeated: () => ({ call: '1.1.0', outcome: 'ok' }),
    openUnknown: [{ callId: '1.3', toolName: 'pay' }],
    warnings: ['Careful.'],
    untrusted: ['look'],
    guardsCalls: true,
    check: async () => ({
      answers: [
        { rule: 'check', verdict: 'ask', reason: 'Odd.' },
        { rule: 'guardrail', verdict: 'ask', reason: 'Big.' },
      ],
    }),
  })
  const first = await decide(call('cancel'), many)
  expect(first.rules).toEqual(['mode', 'risk', 'check', 'guardrail', 'repeat', 'unknown', 'warning'])
  expect(first.reasons).toHaveLength(7)
  const { reasons, rules } = first
  const fewer = await decide(call('cancel', { id: 'a' }, { reasons, rules }), context())
  expect(fewer).toMatchObject({ verdict: 'ask', hash: first.hash, reasons, rules })
})
