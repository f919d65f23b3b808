import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Json } from '../../src/core/json.js'
import type { Grammar, ToolDefinition } from '../../src/core/tool-definition.js'
import { createAjvValidator } from '../../src/tools/ajv-validator.js'
import { declareTools } from '../../src/tools/declarations.js'
import { decide, type GateCall, type GateContext } from '../../src/tools/gate.js'
import { defaultPolicy } from '../../src/tools/gate/rules.js'
import { compileGrammar } from '../../src/tools/grammar/compile.js'
import { scriptToolDefinition } from '../../src/tools/script-tool.js'
import { createToolSearch } from '../../src/tools/search.js'
import { createToolSet } from '../../src/tools/tool-set.js'
import { defineTool } from '../../src/tools/tool.js'

const lark: Grammar = { syntax: 'lark', definition: 'start: "SELECT" NAME ("," NAME)*\nNAME: /[a-z]+/\n%ignore /\\s+/' }
const define = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}`,
  input: { type: 'string' },
  risk: 'read',
  ...more,
})
const definitions = [
  define('say'),
  define('query', { grammar: lark }),
  define('day', {
    grammar: { syntax: 'regex', definition: '\\d+-\\d+' },
    input: { type: 'string', minLength: 5, description: 'A month of the calendar' },
  }),
  define('doubled', { grammar: { syntax: 'lark', definition: 'start: start start | "a"' } }),
]
const tools = createToolSet(definitions, createAjvValidator(), { compileGrammar })

const context: Omit<GateContext, 'tools'> = {
  owner: 'ann',
  modes: {},
  policy: defaultPolicy,
  guardsCalls: false,
  isFrom: () => false,
  isPersons: () => false,
  repeated: () => undefined,
  openUnknown: [],
  untrusted: [],
  warnings: [],
  check: async () => ({ answers: [] }),
}
const ask = (toolName: string, call: Partial<GateCall>) =>
  decide({ callId: '1.0', toolName, caller: 'model', ...call }, { ...context, tools })
const refusal = async (toolName: string, call: Partial<GateCall>) => {
  const { verdict, failure } = await ask(toolName, call)
  expect([verdict, failure?.code]).toEqual(['deny', 'invalid_input'])
  return failure!.message
}

describe('the gate, of a text tool', () => {
  it.each<[string, string]>([
    ['say', ''],
    ['say', '{"not": JSON'],
    ['query', 'SELECT a,\n b'],
    ['day', '2026-11'],
  ])('lets a text pass that fits: %s %j', async (toolName, input) => {
    expect(await ask(toolName, { input, inputText: input })).toMatchObject({ verdict: 'allow' })
  })

  it('says where a text does not match its grammar, what is there and what must be', async () => {
    expect(await refusal('query', { input: 'SELECT a b' })).toBe(
      'The input of "query" does not match its grammar: at line 1, column 10, after "SELECT a ", there is "b" where "," or the end of the text must be',
    )
    expect(await refusal('query', { input: 'SELECT a,\n  ' })).toContain(
      'at line 2, column 3, after "SELECT a,\\n  ", there is the end of the text where NAME must be',
    )
  })

  it('says what breaks the schema as well', async () => {
    expect(await refusal('day', { input: 'x' })).toBe(
      'The input of "day" is not valid: the whole input must have at least 5 characters; it is 1 long; it does not match its grammar: at line 1, column 1, after "", there is "x" where \\d must be',
    )
    expect(await refusal('day', { input: '1-1' })).not.toContain('grammar')
  })

  it.each<[Json, string]>([
    [{ sql: 'SELECT a' }, 'an object'],
    [{}, 'an object'],
    [['SELECT a'], 'an array'],
    [null, 'null'],
    [7, 'a number'],
    [true, 'a boolean'],
  ])('refuses what is no text: %j', async (input, kind) => {
    expect(await refusal('query', { input, caller: 'script' })).toBe(
      `The input of "query" must be one text; it is ${kind}`,
    )
    expect(await refusal('query', { input, inputText: JSON.stringify(input) })).toBe(
      `The input of "query" must be one text, or {"input": TEXT}; it is ${kind}`,
    )
  })

  it('tells a model that can only send objects where its JSON is broken', async () => {
    expect(await refusal('say', { inputText: '{"input": "a' })).toContain('is not JSON: at position 12')
    expect(await refusal('say', { inputText: '' })).toContain('must be one text, or {"input": TEXT}')
  })

  it('names only some of very many things that could be there', async () => {
    const definition = `start: ${Array.from({ length: 40 }, (_, i) => `"k${i}"`).join(' | ')}`
    const many = createToolSet([define('many', { grammar: { syntax: 'lark', definition } })], createAjvValidator(), {
      compileGrammar,
    })
    const fault = await decide(
      { callId: '1.0', toolName: 'many', caller: 'model', input: 'x' },
      { ...context, tools: many },
    )
    expect(fault.failure?.message).toMatch(/where "k0", .* or one of 28 others must be$/)
  })

  it('does not run a call whose text would take too long to check', async () => {
    const { verdict, failure } = await ask('doubled', { input: 'a'.repeat(2_000) })
    expect([verdict, failure?.code]).toEqual(['deny', 'check_failed'])
    expect(failure?.message).toContain('The text takes too many steps to be checked against its grammar')
  })
})

describe('createToolSet(), of text tools', () => {
  it('refuses a grammar that is wrong, with the place and what must be there', () => {
    const wrong = define('query', {
      grammar: { syntax: 'lark', definition: 'start: "SELECT" columns\ncolumn: /[a-z]+/' },
    })
    expect(() => createToolSet([wrong], createAjvValidator(), { compileGrammar })).toThrow(
      'Cannot define tool "query": "grammar.definition" is wrong at line 1, column 17: columns is not defined; did you mean column?',
    )
  })

  it('refuses to leave a grammar unchecked', () => {
    expect(() => createToolSet([define('query', { grammar: lark })], createAjvValidator())).toThrow(
      'nothing to compile it',
    )
  })
})

describe('defineTool(), of a text tool', () => {
  it('takes a schema of a text, and a grammar', async () => {
    const tool = defineTool({
      name: 'query',
      description: 'A query',
      risk: 'read',
      input: { type: 'string' },
      grammar: lark,
      run: (text) => text.toUpperCase(),
    })
    expect(tool.definition).toMatchObject({ input: { type: 'string' }, grammar: lark })
    expect(
      tool.run('select a', { signal: new AbortController().signal, runId: 'r', callId: '1.0', idempotencyKey: 'k' }),
    ).toBe('SELECT A')
  })

  it("takes a library's schema of a text", () => {
    const tool = defineTool({
      name: 'say',
      description: 'Says it',
      risk: 'read',
      input: z.string().min(2),
      run: (text) => text.length,
    })
    expect(tool.definition.input).toMatchObject({ type: 'string', minLength: 2 })
  })

  it('refuses a grammar for a tool that takes an object, and one that is none', () => {
    const wrong = (input: object, grammar: object) => () =>
      defineTool({ ...define('x'), input, grammar, run: () => 1 } as unknown as Parameters<typeof defineTool>[0])
    expect(wrong({ type: 'object' }, lark)).toThrow('"grammar" is for tools whose "input" is of type "string"')
    expect(wrong({ type: 'string' }, { syntax: 'peg', definition: 'x' })).toThrow(
      '"grammar.syntax" must be "regex" or "lark"',
    )
    expect(wrong({ type: 'string' }, { syntax: 'lark', definition: ' ' })).toThrow(
      '"grammar.definition" must be a text',
    )
    expect(wrong({ type: 'string' }, { syntax: 'lark', rules: '' })).toThrow('"rules" is not a field in "grammar"')
  })
})

describe('scripts, of text tools', () => {
  it('see that they take a text', () => {
    expect(declareTools(definitions.slice(0, 2), { longest: 300 })).toBe(
      'declare const tools: {\n  say(input: string): Promise<unknown>\n  query(input: string): Promise<unknown>\n}',
    )
  })

  it('see the texts that there are, if there are only some', () => {
    const tool = define('set', { input: { type: 'string', enum: ['on', 'off'] } })
    expect(declareTools([tool], { longest: 300 })).toContain('set(input: "on" | "off")')
  })

  it('are shown a call with a text', () => {
    expect(scriptToolDefinition([definitions[0]!]).description).toContain('const found = await tools.say("...")\n')
    const [on] = [define('set', { input: { type: 'string', enum: ['on', 'off'] } })]
    expect(scriptToolDefinition([on]).description).toContain('tools.set("on")')
  })

  it('find them by what their texts are', () => {
    const search = createToolSearch(definitions)
    expect(search.search('calendar month').map(({ name }) => name)).toEqual(['day'])
  })

  it('are told of their grammars when they ask', () => {
    const search = createToolSearch(definitions)
    expect(search.describe('query')).toEqual({
      name: 'query',
      declaration: 'declare const tools: {\n  query(input: string): Promise<unknown>\n}',
      description: `Does query\n\nAll of it must match this Lark grammar, from its rule "start":\n${lark.definition}`,
      risk: 'read',
    })
    expect(search.describe('day').description).toBe(
      'Does day\n\nIts text: A month of the calendar\n\nAll of it must match this regular expression: \\d+-\\d+',
    )
    expect(search.describe('say').description).toBe('Does say')
  })
})
