import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { createAjvValidator } from '../../src/tools/ajv-validator.js'
import type { Validator } from '../../src/tools/fault.js'
import { scriptToolDefinition } from '../../src/tools/script-tool.js'
import { createToolSet } from '../../src/tools/tool-set.js'

const validator = createAjvValidator()
const define = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: name,
  input: { type: 'object' },
  risk: 'read',
  ...more,
})

describe('createToolSet()', () => {
  it('puts the script tool before the others, which keep their order', async () => {
    const given = [define('b'), define('a', { risk: 'sensitive' })]
    const tools = createToolSet(given, validator)
    expect(tools.definitions).toEqual([scriptToolDefinition(given), ...given])
    expect(tools.scriptTools).toEqual(given)
    expect(['run_script', 'b', 'a'].map((name) => tools.get(name)?.mode)).toEqual(['script', 'read', 'write'])
  })

  it('gives scripts only the tools that they may call, and tells the model of all', async () => {
    const given = [
      define('direct_only', { callers: ['model'] }),
      define('both'),
      define('inner', { callers: ['script'] }),
    ]
    const tools = createToolSet(given, validator)
    expect(tools.scriptTools.map(({ name }) => name)).toEqual(['both', 'inner'])
    expect(tools.definitions[0]!.description).not.toContain('direct_only')
    expect(tools.definitions.slice(1)).toEqual(given)
  })

  it('refuses a "from" whose tool it does not have, and names the nearest', () => {
    const wanting = (origin: string) => [
      define('search_orders'),
      define('pay', { input: { type: 'object', properties: { id: {} } }, from: { '/id': ['user', 'app', origin] } }),
    ]
    expect(() => createToolSet(wanting('search_order:/id'), validator)).toThrow(
      'Cannot define tool "pay": "from" of "/id" has "search_order:/id", and there is no tool "search_order"; did you mean "search_orders"?',
    )
    expect(() => createToolSet(wanting('run_script:/id'), validator)).toThrow('there is no tool "run_script"')
    expect(createToolSet(wanting('search_orders:/id'), validator).get('pay')).toBeDefined()
  })

  it('has a script tool when there is no other', async () => {
    expect(createToolSet([], validator).get('run_script')?.validateInput({ code: 'return 1' })).toEqual([])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])('has nothing under %j', async (name) => {
    const tools = createToolSet([define('a')], validator)
    expect(tools.get(name)).toBeUndefined()
  })

  it('refuses two tools of one name, and one of the name of the script tool', () => {
    expect(() => createToolSet([define('a'), define('a')], validator)).toThrow(
      'Cannot define tool "a": there is another tool of that name',
    )
    expect(() => createToolSet([define('run_script')], validator)).toThrow('reserved')
  })

  it('refuses a schema that is nested so deep that reading it could end the stack', () => {
    const deep = (levels: number): JsonSchema => {
      let schema: JsonSchema = { type: 'string' }
      for (let i = 0; i < levels; i++) schema = { anyOf: [schema] }
      return { type: 'object', properties: { a: schema } }
    }
    const set = (input: JsonSchema, output: JsonSchema) => () =>
      createToolSet([define('deep', { input, output })], validator)
    expect(set(deep(20), deep(20))).not.toThrow()
    expect(set(deep(5_000), deep(1))).toThrow('"input" must be nested no deeper than 256 levels')
    expect(set(deep(1), deep(5_000))).toThrow('"output" must be nested no deeper than 256 levels')
  })

  it.each<[string, object]>([
    ['a risk that there is not', { risk: 'none' }],
    ['a description that is no text', { description: { toString: () => 'x' } }],
    ['a schema that is none', { input: 'object' }],
    ['a field that there is not', { run: 'x' }],
    ['an endless timeout', { timeout: Infinity }],
    ['a name that is an array', { name: ['a'] }],
  ])('refuses %s from another thread', (_, wrong) => {
    const create = () => createToolSet([{ ...define('a'), ...wrong } as ToolDefinition], validator)
    expect(create).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  })

  it('says the name that was meant', async () => {
    const tools = createToolSet(
      ['search_orders', 'get_order', 'cancel'].map((name) => define(name)),
      validator,
    )
    const near = ['searchOrders', 'search-order', 'get_oder', 'cancle', 'runScript', 'delete_everything', ''].map(
      (name) => tools.nearest(name),
    )
    expect(near).toEqual(['search_orders', 'search_orders', 'get_order', 'cancel', 'run_script', undefined, undefined])
  })

  it('hashes a definition whatever the order of its keys, and each change to it', async () => {
    const hashOf = (definition: ToolDefinition) => createToolSet([definition], validator).get('a')!.hash
    const hash = hashOf(define('a'))
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hashOf({ risk: 'read', input: { type: 'object' }, description: 'a', name: 'a' })).toBe(hash)
    for (const change of [
      { description: 'b' },
      { risk: 'sensitive' },
      { checked: true },
      { input: { type: 'object', title: '' } },
    ] as const)
      expect(hashOf(define('a', change))).not.toBe(hash)
  })

  it('compiles a schema when it is first needed, and once', async () => {
    const compiled: string[] = []
    const counting: Validator = {
      name: 'counting',
      compile: (schema, what) => (compiled.push(what), validator.compile(schema, what)),
    }
    const tools = createToolSet(
      [define('a', { output: { type: 'string' } }), define('b', { input: { type: 'object', properties: 1 } as never })],
      counting,
    )
    expect(compiled).toEqual([])
    const a = tools.get('a')!
    expect([a.validateInput([]).length, a.validateInput({}).length, a.validateOutput!(1).length]).toEqual([1, 0, 1])
    expect(compiled).toEqual(['input of tool "a"', 'output of tool "a"'])
    expect(() => tools.get('b')!.validateInput({})).toThrow('input of tool "b"')
    expect(tools.get('b')).not.toHaveProperty('validateOutput')
  })
})
