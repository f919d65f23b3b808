import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { encodeAnthropicWith } from '../../src/models/anthropic/encode.js'
import { firstWay } from '../../src/models/anthropic/way.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { textOf } from './recorded-json.js'

const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5', cache: 'off' }
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  input: { type: 'object', properties: {} },
  risk: 'read',
  ...more,
})
const encode = (config: Partial<ModelConfig>, tools: readonly ToolDefinition[], more: Partial<ModelRequest> = {}) => {
  const all = { ...claude, ...config }
  const request = { instructions: '', tools, messages: [], cacheKey: 's', ...more }
  const { body, remarks } = encodeAnthropicWith(request, all, firstWay(all.model))
  return { tools: body.tools as unknown as JsonObject[], choice: body.tool_choice, remarks }
}
const named = (given: readonly JsonObject[]) =>
  given.map(({ name, type, defer_loading }) => `${textOf(type) || textOf(name)}${defer_loading ? ' deferred' : ''}`)
const hosted = (type: string, name: string) => ({ tool: { type, name }, risk: 'read' }) as const

describe('Tools', () => {
  it('have the strictness of their definition, and a text tool has its text as a field', () => {
    const { tools } = encode({}, [
      tool('loose', { strict: false }),
      tool('strict', { strict: true }),
      tool('query', { input: { type: 'string' }, grammar: { syntax: 'regex', definition: '\\d+' } }),
    ])
    expect(tools.map(({ strict }) => strict)).toEqual([false, true, undefined])
    expect(tools[2]).toMatchObject({ input_schema: { type: 'object', required: ['input'] } })
    expect(JSON.stringify(tools[2])).toContain('regular expression: \\\\d+')
  })

  it('of the provider go as they are, and one that the app has by the same name stands in its place', () => {
    const { tools } = encode(
      { hostedTools: [hosted('memory_20250818', 'memory'), hosted('web_search_20260318', 'web_search')] },
      [tool('memory'), tool('find')],
    )
    expect(tools.slice(1)).toEqual([
      { type: 'memory_20250818', name: 'memory' },
      { type: 'web_search_20260318', name: 'web_search' },
    ])
    expect(tools[0]).toMatchObject({ name: 'find' })
  })

  it('of the provider that are to be asked about are refused before anything is sent', () => {
    const web = { ...hosted('web_search_20260318', 'web_search'), risk: 'ask' } as const
    expect(() => encode({ hostedTools: [web] }, [])).toThrow(
      expect.objectContaining({ code: 'model_bad_request' }) as Error,
    )
  })

  it('that are deferred come last, behind the search of the provider', () => {
    const all = [tool('rate', { deferred: true }), tool('find'), tool('stock', { deferred: true })]
    expect(named(encode({ toolSearch: true }, all).tools)).toEqual([
      'find',
      'tool_search_tool_bm25_20251119',
      'rate deferred',
      'stock deferred',
    ])
    expect(named(encode({}, all).tools)).toEqual(['rate', 'find', 'stock'])
    const regex = hosted('tool_search_tool_regex_20251119', 'tool_search_tool_regex')
    expect(named(encode({ toolSearch: true, hostedTools: [regex] }, all).tools)).toEqual([
      'find',
      'tool_search_tool_regex_20251119',
      'rate deferred',
      'stock deferred',
    ])
    expect(named(encode({ toolSearch: true, model: 'claude-sonnet-4-0' }, all).tools)).toEqual([
      'rate',
      'find',
      'stock',
    ])
  })

  it('that are deferred wait for a tool of the app that tells of them', () => {
    const all = [tool('rate', { deferred: true }), tool('find_tools', { returnsTools: true })]
    expect(named(encode({}, all).tools)).toEqual(['find_tools', 'rate deferred'])
  })

  it('carry no mark of the cache where they are deferred', () => {
    const { tools } = encode({ cache: 'short', toolSearch: true }, [tool('find'), tool('rate', { deferred: true })])
    expect(tools.map((one) => 'cache_control' in one)).toEqual([true, false, false])
  })
})

describe('Programs', () => {
  const all = [
    tool('find', { output: { type: 'number' } }),
    tool('send', { risk: 'reversible' }),
    tool('nested', { callers: ['program'] }),
    tool('direct', { callers: ['model'] }),
    tool('tree', { input: { type: 'object', properties: { child: { $ref: '#' } } } }),
    tool('write', { risk: 'irreversible', callers: ['program'] }),
  ]
  const code = 'code_execution_20260120'

  it('may call what never asks a person, and run in a tool that is added', () => {
    const { tools } = encode({ programs: true }, all)
    expect(Object.fromEntries(tools.map(({ name, allowed_callers }) => [name, allowed_callers]))).toEqual({
      find: ['direct', code],
      send: undefined,
      nested: [code],
      direct: undefined,
      tree: undefined,
      code_execution: undefined,
    })
    expect(tools.at(-1)).toEqual({ type: code, name: 'code_execution' })
    expect(tools[0]!.description).toBe('Does find.\n\nReturns JSON of this schema: {"type":"number"}')
  })

  it('are not there without the setting, nor with a model that runs none', () => {
    expect(named(encode({}, all).tools)).toEqual(['find', 'send', 'direct', 'tree'])
    const { tools, remarks } = encode({ programs: true, model: 'claude-haiku-4-5' }, all)
    expect(named(tools)).toEqual(['find', 'send', 'direct', 'tree'])
    expect(remarks).toMatchObject([{ code: 'setting_ignored', detail: { setting: 'programs' } }])
  })

  it('run in the tool that the app names, unless that calls nothing', () => {
    const newer = 'code_execution_20260521'
    const { tools } = encode({ programs: true, hostedTools: [hosted(newer, 'code_execution')] }, [tool('find')])
    expect(tools[0]!.allowed_callers).toEqual(['direct', newer])
    expect(named(tools)).toEqual(['find', newer])
    const older = encode({ programs: true, hostedTools: [hosted('code_execution_20250522', 'code_execution')] }, [
      tool('find'),
    ])
    expect(older.tools[0]).not.toHaveProperty('allowed_callers')
    expect(older.remarks).toMatchObject([{ detail: { setting: 'programs' } }])
  })

  it('exclude strict tools, single calls and a demand for what they call', () => {
    const demand = { toolChoice: { mode: 'required', tools: ['find'] } } as const
    const { tools, choice, remarks } = encode(
      { programs: true, parallelCalls: false },
      [tool('find', { strict: true })],
      demand,
    )
    expect(tools[0]).not.toHaveProperty('strict')
    expect(choice).toBeUndefined()
    expect(remarks).toMatchObject([
      { detail: { setting: 'strict', value: 'find' } },
      { detail: { setting: 'parallelCalls' } },
      { code: 'tool_choice_emulated' },
    ])
  })
})

describe('The tool choice', () => {
  const find = [tool('find'), tool('send')]

  it.each<[ModelRequest['toolChoice'], object | undefined]>([
    [undefined, undefined],
    [{ mode: 'auto', tools: ['find'] }, undefined],
    [{ mode: 'none' }, { type: 'none' }],
    [{ mode: 'required' }, { type: 'any' }],
    [{ mode: 'required', tools: ['find', 'send'] }, { type: 'any' }],
    [
      { mode: 'required', tools: ['find'] },
      { type: 'tool', name: 'find' },
    ],
  ])('%o goes as %o', (toolChoice, expected) => {
    const { choice, remarks } = encode({}, find, { toolChoice })
    expect(choice).toEqual(expected)
    expect(remarks).toEqual([])
  })

  it.each<[string, Partial<ModelConfig>, string[] | undefined]>([
    ['a model that takes none', { model: 'claude-sonnet-5-5' }, undefined],
    ['a budget for thinking', { model: 'claude-sonnet-4-5', extra: { thinking: { type: 'enabled' } } }, ['find']],
    ['a tool that is not there', {}, ['gone']],
  ])('that demands a call is emulated with %s', (_, config, tools) => {
    const { choice, remarks } = encode(config, find, { toolChoice: { mode: 'required', ...(tools && { tools }) } })
    expect(choice).toBeUndefined()
    expect(remarks).toMatchObject([{ code: 'tool_choice_emulated' }])
  })

  it('says that there may be one call only', () => {
    const single = { disable_parallel_tool_use: true }
    expect(encode({ parallelCalls: false }, find).choice).toEqual({ type: 'auto', ...single })
    const required = { toolChoice: { mode: 'required' } } as const
    expect(encode({ parallelCalls: false }, find, required).choice).toEqual({ type: 'any', ...single })
    expect(encode({ parallelCalls: false, model: 'claude-opus-5-5' }, find, required).choice).toEqual({
      type: 'auto',
      ...single,
    })
  })

  it('is not sent without tools', () => {
    expect(encode({ parallelCalls: false }, [], { toolChoice: { mode: 'none' } }).choice).toBeUndefined()
  })
})
