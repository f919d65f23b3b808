import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolChoice, ToolDefinition } from '../../src/core/tool-definition.js'
import type { HostedTool, ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI, remarksOnOpenAI } from '../../src/models/openai/encode.js'
import { openAIToolComplaints } from './openai-tool-rules.js'

const schema = { type: 'object', properties: { a: { type: 'number' } } } as const
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `${name}.`,
  input: schema,
  risk: 'read',
  ...more,
})
const fn = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  name,
  description: `${name}.`,
  parameters: schema,
  strict: false,
  ...more,
})
const requestOf = (tools: readonly ToolDefinition[], toolChoice?: ToolChoice): ModelRequest => ({
  instructions: '',
  tools,
  messages: [{ role: 'user', text: 'Hi' }],
  cacheKey: 's',
  toolChoice,
})
const gpt = (model = 'gpt-6-astra', more: Partial<ModelConfig> = {}): ModelConfig => ({
  provider: 'openai',
  model,
  ...more,
})
const sent = (tools: readonly ToolDefinition[], config = gpt(), choice?: ToolChoice): JsonObject => {
  const body = JSON.parse(JSON.stringify(encodeOpenAI(requestOf(tools, choice), config))) as JsonObject
  expect(openAIToolComplaints(body)).toEqual([])
  return body
}

describe('Tools of the Responses API', () => {
  it('are as strict as their author says, and not stricter by a guess of the provider', () => {
    const closed = { ...schema, required: ['a'], additionalProperties: false }
    expect(sent([tool('find'), tool('add', { strict: true, input: closed })]).tools).toEqual([
      fn('find'),
      fn('add', { strict: true, parameters: closed }),
    ])
  })

  it('take a text with its grammar, where the model knows such tools', () => {
    const grammar = { syntax: 'lark', definition: 'start: "a"' } as const
    const query = tool('query', { input: { type: 'string' }, grammar })
    expect(sent([query, tool('say', { input: { type: 'string' } })]).tools).toEqual([
      { type: 'custom', name: 'query', description: 'query.', format: { type: 'grammar', ...grammar } },
      { type: 'custom', name: 'say', description: 'say.' },
    ])
    expect(sent([query], gpt('gpt-4.1')).tools).toMatchObject([
      { type: 'function', name: 'query', parameters: { required: ['input'], additionalProperties: false } },
    ])
  })

  it('stand in their namespace when one of them says what it is for', () => {
    const tools = [
      tool('crm__list', { namespace: 'Customers.' }),
      tool('find'),
      tool('crm__add', { deferred: true }),
      tool('mail__send'),
    ]
    expect(sent(tools, gpt('gpt-5.4', { toolSearch: true })).tools).toEqual([
      { type: 'tool_search' },
      {
        type: 'namespace',
        name: 'crm',
        description: 'Customers.',
        tools: [
          fn('list', { description: 'crm__list.' }),
          fn('add', { description: 'crm__add.', defer_loading: true }),
        ],
      },
      fn('find'),
      fn('mail__send'),
    ])
    expect((sent(tools, gpt('gpt-5.2')).tools as JsonObject[]).map(({ name }) => name)).toEqual([
      'crm__list',
      'find',
      'crm__add',
      'mail__send',
    ])
  })

  it('are found by the search of the provider when they are deferred, also those of a remote server', () => {
    const late = tool('late', { deferred: true })
    expect(sent([late], gpt('gpt-6-astra', { toolSearch: true })).tools).toEqual([
      { type: 'tool_search' },
      fn('late', { defer_loading: true }),
    ])
    expect(sent([late], gpt('gpt-5.2', { toolSearch: true })).tools).toEqual([fn('late')])
    const mcp = { type: 'mcp', server_label: 'zip', server_url: 'https://zip.example', defer_loading: true }
    expect(sent([], gpt('gpt-6-astra', { hostedTools: [{ tool: mcp, risk: 'read' }] })).tools).toEqual([
      { type: 'tool_search' },
      { require_approval: 'never', ...mcp },
    ])
  })

  it('may be called by programs when they never ask, and say then what they return', () => {
    const output = { type: 'object', properties: { b: { type: 'string' } } }
    const tools = [
      tool('find', { output }),
      tool('add', { risk: 'reversible', output }),
      tool('hidden', { callers: ['program'] }),
      tool('direct', { callers: ['model'] }),
    ]
    expect(sent(tools, gpt('gpt-5.6-sol', { programs: true })).tools).toEqual([
      { type: 'programmatic_tool_calling' },
      fn('find', { output_schema: output, allowed_callers: ['direct', 'programmatic'] }),
      fn('add'),
      fn('hidden', { allowed_callers: ['programmatic'] }),
      fn('direct'),
    ])
    // Without programs nobody could call the one that is for them.
    for (const config of [gpt('gpt-5.6-sol'), gpt('gpt-5.5', { programs: true })])
      expect(sent(tools, config).tools).toEqual([fn('find'), fn('add'), fn('direct')])
    expect(sent([tools[1]!], gpt('gpt-5.6-sol', { programs: true })).tools).toEqual([fn('add')])
  })

  it('of the provider are sent as they are, and remote servers ask or not as the app says', () => {
    const mcp = { type: 'mcp', server_label: 'zip', server_url: 'https://zip.example' }
    const some = { never: { tool_names: ['a'] } }
    const hostedTools: HostedTool[] = [
      { tool: { type: 'web_search', search_context_size: 'low' }, risk: 'read' },
      { tool: { type: 'shell', environment: { type: 'container_auto' } }, risk: 'read' },
      { tool: mcp, risk: 'read' },
      { tool: { ...mcp, require_approval: some }, risk: 'read' },
      { tool: { ...mcp, require_approval: 'never' }, risk: 'ask' },
    ]
    expect(sent([tool('find')], gpt('gpt-4.1', { hostedTools })).tools).toEqual([
      { type: 'web_search', search_context_size: 'low' },
      { type: 'shell', environment: { type: 'container_auto' } },
      { ...mcp, require_approval: 'never' },
      { ...mcp, require_approval: some },
      { ...mcp, require_approval: 'always' },
      fn('find'),
    ])
  })

  it.each<[HostedTool]>([
    [{ tool: { type: 'web_search' }, risk: 'ask' }],
    [{ tool: { type: 'local_shell' }, risk: 'read' }],
    [{ tool: { type: 'computer' }, risk: 'read' }],
    [{ tool: { type: 'shell', environment: { type: 'local' } }, risk: 'read' }],
    [{ tool: { type: 'shell' }, risk: 'read' }],
    [{ tool: { type: 'tool_search', execution: 'client' }, risk: 'read' }],
    [{ tool: { type: 'function', name: 'x' }, risk: 'read' }],
  ])('refuse before anything is sent what the provider does not do: %j', (hosted) => {
    const why = expect.objectContaining({
      code: 'model_bad_request',
      retryable: false,
      message: expect.stringContaining(`"hostedTools[0]", "${hosted.tool.type as string}"`) as string,
    }) as Error
    expect(() => sent([], gpt('gpt-6-astra', { hostedTools: [hosted] }))).toThrow(why)
  })

  it('that a result tells of are not among the others, and told in full of where that is unknown', () => {
    const tools = [tool('teller', { returnsTools: true }), tool('late', { deferred: true })]
    expect(sent(tools).tools).toEqual([fn('teller')])
    expect(sent(tools, gpt('gpt-5.2')).tools).toEqual([fn('teller'), fn('late')])
  })
})

describe('The choice of tools', () => {
  const tools = [
    tool('find'),
    tool('query', { input: { type: 'string' } }),
    tool('late', { deferred: true }),
    tool('crm__list', { namespace: 'Customers.' }),
    tool('hidden', { callers: ['program'] }),
  ]
  const zip: HostedTool = {
    tool: { type: 'mcp', server_label: 'zip', server_url: 'https://zip.example' },
    risk: 'read',
  }
  const config = gpt('gpt-6-astra', { toolSearch: true, programs: true, hostedTools: [zip] })
  const allowed = (mode: string, ...entries: JsonObject[]) => ({ type: 'allowed_tools', mode, tools: entries })
  const [find, query] = [
    { type: 'function', name: 'find' },
    { type: 'custom', name: 'query' },
  ]
  const programs = { type: 'programmatic_tool_calling' }

  it.each<[ToolChoice | undefined, Json | undefined]>([
    [undefined, undefined],
    [{ mode: 'auto' }, undefined],
    [{ mode: 'none' }, 'none'],
    [{ mode: 'required' }, 'required'],
    [{ mode: 'required', tools: ['find'] }, find!],
    [{ mode: 'required', tools: ['query'] }, query!],
    [
      { mode: 'required', tools: ['zip.short'] },
      { type: 'mcp', server_label: 'zip', name: 'short' },
    ],
    [{ mode: 'required', tools: ['find', 'query'] }, allowed('required', find!, query!, programs)],
    [{ mode: 'auto', tools: ['query', 'nobody'] }, allowed('auto', query!, programs)],
    [
      { mode: 'auto', tools: ['find', 'zip.short'] },
      allowed('auto', find!, { type: 'mcp', server_label: 'zip', name: 'short' }, programs),
    ],
    [{ mode: 'auto', tools: ['nobody'] }, 'none'],
    [{ mode: 'auto', tools: ['late'] }, undefined],
    [{ mode: 'auto', tools: ['crm__list'] }, undefined],
  ])('%j is %j, and the tools stay as they are', (choice, expected) => {
    const body = sent(tools, config, choice)
    expect(body.tool_choice).toEqual(expected)
    expect(body.tools).toEqual(sent(tools, config).tools)
    expect(remarksOnOpenAI(requestOf(tools, choice), config)).toEqual([])
  })

  it.each<[ModelConfig, ToolChoice, Json | undefined]>([
    [config, { mode: 'required', tools: ['late'] }, undefined],
    [config, { mode: 'required', tools: ['crm__list', 'find'] }, undefined],
    [config, { mode: 'required', tools: ['hidden'] }, undefined],
    [config, { mode: 'required', tools: ['nobody'] }, undefined],
    [gpt('my-deployment'), { mode: 'required', tools: ['find', 'query'] }, 'required'],
  ])('is left to the loop, with a remark, where %# cannot be said', (who, choice, expected) => {
    expect(sent(tools, who, choice).tool_choice).toEqual(expected)
    const remark = { code: 'tool_choice_emulated', detail: { mode: choice.mode, tools: choice.tools } }
    expect(remarksOnOpenAI(requestOf(tools, choice), { ...who, toolSearch: true })).toEqual([remark])
  })

  it('has nothing to say without tools', () => {
    expect(sent([], gpt(), { mode: 'required' })).not.toHaveProperty('tool_choice')
  })

  it('says whether a reply may have several calls', () => {
    expect(sent([tool('find')]).parallel_tool_calls).toBe(true)
    expect(sent([tool('find')], gpt('gpt-6-astra', { parallelCalls: false })).parallel_tool_calls).toBe(false)
  })
})
