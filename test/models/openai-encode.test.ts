import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { openAIComplaints } from './openai-rules.js'
import { answers, asks, call, find, news, partOf, request, user } from './conversation-parts.js'

const gpt: ModelConfig = { provider: 'openai', model: 'gpt-6-astra' }
const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5-5' }
const openAI = (...messages: Message[]) => encodeOpenAI(request(messages), gpt).input as unknown as JsonObject[]

describe('encodeOpenAI()', () => {
  it('asks for a stream that is not stored, with encrypted reasoning', () => {
    expect(encodeOpenAI(request([user('Hi')]), { ...gpt, maxOutputTokens: 99 })).toEqual({
      model: 'gpt-6-astra',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', name: 'find', description: 'Finds.', parameters: find.input, strict: false }],
      parallel_tool_calls: true,
      prompt_cache_key: 'session-1',
      max_output_tokens: 99,
    })
  })

  it('leaves out what there is none of', () => {
    expect(encodeOpenAI(request([user('Hi')], { instructions: ' ', tools: [] }), { ...gpt, model: 'gpt-4o' })).toEqual({
      model: 'gpt-4o',
      stream: true,
      store: false,
      input: [{ role: 'user', content: 'Hi' }],
      prompt_cache_key: 'session-1',
    })
  })

  it.each([
    ['gpt-4.1-mini', false],
    ['gpt-4o', false],
    ['openai/gpt-4o', false],
    ['gpt-5-chat-latest', false],
    ['gpt-5.4', true],
    ['o3-pro', true],
    ['gpt-6-luna', true],
  ])('asks %s for encrypted reasoning: %s', (model, asked) => {
    expect('include' in encodeOpenAI(request([]), { ...gpt, model })).toBe(asked)
  })

  it('keeps the cache key within the 64 characters that the API takes', () => {
    expect(encodeOpenAI(request([], { cacheKey: `${'owner'.repeat(20)}:session-1` }), gpt).prompt_cache_key).toMatch(
      /^.{54}:session-1$/,
    )
  })

  it('sends own items back as they are, and results by their call', () => {
    const items: JsonObject[] = [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'I look.' }],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'id_0',
        name: 'find',
        arguments: '{"a": 0}',
        status: 'completed',
        caller: { type: 'direct' },
      },
      { type: 'item_of_tomorrow', id: 'x_1' },
      { type: 'function_call', id: 'fc_2', call_id: 'id_1', name: 'find', arguments: '{"a":', status: 'completed' },
    ]
    const bad = call(1, { input: undefined, inputText: '{"a":' })
    const parts: Part[] = [
      { type: 'reasoning', text: '', native: items[0]! },
      { type: 'text', text: 'I look.', native: items[1]! },
      partOf(call(0), items[2]),
      { type: 'other', native: items[3]! },
      partOf(bad, items[4]),
    ]
    const failed = '{"error":{"code":"invalid_input"}}'
    expect(
      openAI(user('Hi'), asks(gpt, parts, call(0), bad), answers(call(0)), answers(bad, failed), news, user('And?')),
    ).toEqual([
      { role: 'user', content: 'Hi' },
      ...items,
      { type: 'function_call_output', call_id: 'id_0', output: 'done' },
      { type: 'function_call_output', call_id: 'id_1', output: failed },
      { role: 'user', content: 'It took effect.' },
      { role: 'user', content: 'And?' },
    ])
  })

  it('rebuilds the items of another model, without what only that model can read', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: 'Secret', native: { type: 'thinking', thinking: 'Secret', signature: 's' } },
      { type: 'text', text: 'I look.', native: { type: 'text', text: 'I look.' } },
      { type: 'text', text: ' \n', native: { type: 'text', text: ' \n' } },
      partOf(call(0), { type: 'tool_use', id: 'id_0', name: 'find', input: { a: 0 } }),
      { type: 'other', native: { type: 'server_tool_use' } },
      partOf(call(1)),
      { type: 'refusal', text: 'No.' },
    ]
    const odd = call(1, { wireId: 'srv tool:1', toolName: 'a.b/c', input: undefined, inputText: '{"a":' })
    for (const origin of [claude, { ...gpt, model: 'gpt-5.4' }])
      expect(openAI(user('Hi'), asks(origin, parts, call(0), odd), answers(call(0)), answers(odd))).toEqual([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'id_0', name: 'find', arguments: '{"a": 0}' },
        { type: 'function_call', call_id: 'call_1_1_1', name: 'a_b_c', arguments: '{"INVALID_JSON":"{\\"a\\":"}' },
        { role: 'assistant', content: 'No.' },
        { type: 'function_call_output', call_id: 'id_0', output: 'done' },
        { type: 'function_call_output', call_id: 'call_1_1_1', output: 'done' },
      ])
  })

  it('changes nothing but the id of a call whose id is taken', () => {
    const native = { type: 'function_call', id: 'fc_1', call_id: 'id_0', name: 'find', arguments: '{}' }
    const [a, b] = [call(0), call(1, { wireId: 'id_0' })]
    expect(
      openAI(
        user('Hi'),
        asks(gpt, [partOf(a, native), partOf(b, native)], a, b),
        answers(a, 'A'),
        answers(b, 'B'),
      ).slice(1),
    ).toEqual([
      native,
      { ...native, call_id: 'call_1_1_1' },
      { type: 'function_call_output', call_id: 'id_0', output: 'A' },
      { type: 'function_call_output', call_id: 'call_1_1_1', output: 'B' },
    ])
  })

  it('leaves out reasoning that cannot be read again, with the ids that refer to it', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: '', native: { type: 'reasoning', id: 'rs_1', summary: [] } },
      { type: 'text', text: 'Hello', native: { type: 'message', id: 'msg_1', role: 'assistant', content: [] } },
    ]
    expect(openAI(user('Hi'), asks(gpt, parts), user('And?')).slice(1, -1)).toEqual([
      { type: 'message', role: 'assistant', content: [] },
    ])
  })

  it('leaves out reasoning whose call was cut', () => {
    const native = { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] }
    const parts: Part[] = [
      { type: 'reasoning', text: '', native },
      { type: 'call', callId: '9.9', native: { type: 'function_call' } },
    ]
    expect(openAI(user('Hi'), asks(gpt, parts), user('And?'))).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'And?' },
    ])
  })

  it('sends the text of a reply that was cut, which has no items', () => {
    expect(openAI(user('Hi'), asks(gpt, [{ type: 'text', text: 'So far' }]), user('Go on'))[1]).toEqual({
      role: 'assistant',
      content: 'So far',
    })
  })
})

describe('encodeOpenAI() of what a run may have', () => {
  const input = (messages: readonly Message[], more: Partial<ModelRequest> = {}, config = gpt): JsonObject[] =>
    encodeOpenAI(request(messages, more), config).input as unknown as JsonObject[]
  const program = { type: 'program', caller_id: 'prog_1' }

  it('sends images and documents of a user, and tells of what the model does not take', () => {
    const files = [
      { mediaType: 'image/png', data: 'AAAA' },
      { mediaType: 'image/jpeg', url: 'https://files.example/a.jpg' },
      { mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA' },
      { mediaType: 'text/csv', data: 'AAAA' },
      { mediaType: 'application/pdf', url: 'https://files.example/a.pdf' },
      { mediaType: 'audio/mpeg', name: 'a.mp3', data: 'AAAA' },
    ]
    expect(input([{ role: 'user', text: 'See', files }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          { type: 'input_image', image_url: 'https://files.example/a.jpg', detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
          { type: 'input_file', filename: 'file.csv', file_data: 'data:text/csv;base64,AAAA' },
          { type: 'input_file', file_url: 'https://files.example/a.pdf' },
          { type: 'input_text', text: '[file "a.mp3": audio/mpeg, 3 bytes]' },
        ],
      },
    ])
    const told = input([{ role: 'user', text: ' ', files }], {}, { ...gpt, model: 'o3-mini' })[0]!.content
    expect((told as JsonObject[]).map(({ type }) => type)).toEqual(files.map(() => 'input_text'))
  })

  it('sends the files of a result beside its text', () => {
    const result: Message = {
      role: 'tool',
      trusted: true,
      call: call(0),
      outcome: 'ok',
      text: 'Seen.',
      files: [{ mediaType: 'image/png', data: 'AAAA' }],
    }
    expect(input([user('Hi'), asks(gpt, [partOf(call(0))], call(0)), result])[2]).toEqual({
      type: 'function_call_output',
      call_id: 'id_0',
      output: [
        { type: 'input_text', text: 'Seen.' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ],
    })
  })

  it("sends the app's instructions as a developer's, and notes as the user's", () => {
    expect(input([user('Hi'), { role: 'instructions', text: 'Be brief.' }, { role: 'note', text: 'Go on.' }])).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Go on.' },
    ])
  })

  it('asks for an answer that fits a schema, as strict as the run says', () => {
    const answer = { name: 'city', schema: { type: 'object', properties: {} } } as const
    expect(encodeOpenAI(request([user('Hi')], { answer }), gpt).text).toEqual({
      format: { type: 'json_schema', name: 'city', schema: answer.schema },
    })
    const strict = { ...answer, strict: true, description: 'Where.' }
    expect(encodeOpenAI(request([user('Hi')], { answer: strict }), gpt).text).toEqual({
      format: { type: 'json_schema', name: 'city', schema: answer.schema, strict: true, description: 'Where.' },
    })
    expect(encodeOpenAI(request([user('Hi')], { answer }), { ...gpt, model: 'gpt-4-turbo' })).not.toHaveProperty('text')
  })

  it('merges what has no option into the body, and lets nobody replace the conversation', () => {
    const extra = { reasoning: { summary: 'auto' }, text: { verbosity: 'low' }, metadata: { a: 'b' } }
    expect(encodeOpenAI(request([user('Hi')]), { ...gpt, effort: 'low', extra })).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low' },
      metadata: { a: 'b' },
    })
    const more = { ...gpt, extra: { include: ['web_search_call.action.sources', 'reasoning.encrypted_content'] } }
    expect(encodeOpenAI(request([user('Hi')]), more).include).toEqual([
      'reasoning.encrypted_content',
      'web_search_call.action.sources',
    ])
    for (const name of ['model', 'stream', 'store', 'input', 'instructions', 'tools', 'previous_response_id'])
      expect(() => encodeOpenAI(request([user('Hi')]), { ...gpt, extra: { [name]: 1 } })).toThrow(`"${name}"`)
  })

  it('sends the text of a text tool, and its result in kind', () => {
    const query = { name: 'query', description: '', input: { type: 'string' }, risk: 'read' } as const
    const raw = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'id_0',
      name: 'query',
      input: 'who',
      status: 'completed',
    }
    const own = call(0, { toolName: 'query', input: 'who', inputText: 'who' })
    const theirs = call(1, { toolName: 'query', input: 'what', inputText: '{"input":"what"}' })
    const messages = [
      user('Hi'),
      asks(gpt, [partOf(own, raw)], own),
      answers(own, 'A'),
      asks(claude, [partOf(theirs)], theirs),
      answers(theirs, 'B'),
    ]
    expect(input(messages, { tools: [query] }).slice(1)).toEqual([
      raw,
      { type: 'custom_tool_call_output', call_id: 'id_0', output: 'A' },
      { type: 'custom_tool_call', call_id: 'id_1', name: 'query', input: 'what' },
      { type: 'custom_tool_call_output', call_id: 'id_1', output: 'B' },
    ])
    expect(input(messages, { tools: [query] }, { ...gpt, model: 'gpt-4.1' }).slice(1)).toEqual([
      { type: 'function_call', call_id: 'id_0', name: 'query', arguments: '{"input":"who"}' },
      { type: 'function_call_output', call_id: 'id_0', output: 'A' },
      { type: 'function_call', call_id: 'id_1', name: 'query', arguments: '{"input":"what"}' },
      { type: 'function_call_output', call_id: 'id_1', output: 'B' },
    ])
  })

  it('keeps of what another model said whether it was the answer, for a model that knows the difference', () => {
    const native = { type: 'message', id: 'msg_1', phase: 'commentary', content: [] }
    const messages = [asks({ ...gpt, model: 'gpt-5.4' }, [{ type: 'text', text: 'I look.', native }])]
    expect(input(messages)).toEqual([{ role: 'assistant', content: 'I look.', phase: 'commentary' }])
    expect(input(messages, {}, { ...gpt, model: 'gpt-4.1' })).toEqual([{ role: 'assistant', content: 'I look.' }])
  })

  it("calls another model's calls by the namespaces of the tools", () => {
    const list = { ...find, name: 'crm__list', namespace: 'Customers.' }
    const made = call(0, { toolName: 'crm__list' })
    const messages = [user('Hi'), asks(claude, [partOf(made)], made), answers(made)]
    expect(input(messages, { tools: [list] })[1]).toEqual({
      type: 'function_call',
      call_id: 'id_0',
      namespace: 'crm',
      name: 'list',
      arguments: '{"a": 0}',
    })
  })

  it("sends a program and its fingerprint back, and its calls' results with their caller, as JSON where that was promised", () => {
    const items: JsonObject[] = [
      { type: 'program', id: 'p_1', call_id: 'prog_1', code: 'x()', fingerprint: 'f' },
      { type: 'function_call', id: 'fc_1', call_id: 'id_0', name: 'find', arguments: '{}', caller: program },
      { type: 'function_call', id: 'fc_2', call_id: 'id_1', name: 'find', arguments: '{}', caller: program },
    ]
    const [a, b] = [call(0, { caller: 'program' }), call(1, { caller: 'program' })]
    const output = { type: 'program_output', id: 'po_1', call_id: 'prog_1', result: '1', status: 'completed' }
    const messages = [
      user('Hi'),
      asks(gpt, [{ type: 'other', native: items[0]! }, partOf(a, items[1]), partOf(b, items[2])], a, b),
      answers(a, 'plain'),
      answers(b, '{"error":{}}', 'denied'),
      asks(gpt, [{ type: 'other', native: output }]),
    ]
    const tools = [{ ...find, output: { type: 'string' } }]
    expect(input(messages, { tools }, { ...gpt, programs: true }).slice(1)).toEqual([
      ...items,
      { type: 'function_call_output', call_id: 'id_0', output: '"plain"', caller: program },
      { type: 'function_call_output', call_id: 'id_1', output: '{"error":{}}', caller: program },
      output,
    ])
  })

  it("makes calls of a program that is gone the model's own, and leaves out what it came to", () => {
    const native = { type: 'function_call', call_id: 'id_0', name: 'find', arguments: '{}', caller: program }
    const output = { type: 'program_output', call_id: 'prog_1', result: '1', status: 'completed' }
    const messages = [
      user('Hi'),
      asks(gpt, [partOf(call(0), native)], call(0)),
      answers(call(0)),
      asks(gpt, [{ type: 'other', native: output }]),
      user('And?'),
    ]
    expect(input(messages).slice(1)).toEqual([
      { type: 'function_call', call_id: 'id_0', name: 'find', arguments: '{}' },
      { type: 'function_call_output', call_id: 'id_0', output: 'done' },
      { role: 'user', content: 'And?' },
    ])
  })

  it('answers what the provider asks before it runs it, with a reason when it may not', () => {
    const [a, b] = [0, 1].map((i) => call(i, { toolName: 'zip.short', wireId: `mcpr_${i}`, executor: 'provider' }))
    const asked = (i: number) => ({ type: 'mcp_approval_request', id: `mcpr_${i}`, name: 'short', server_label: 'zip' })
    const failed = '{"error":{"code":"denied","message":"Not that one."}}'
    const messages = (origin: Origin) => [
      user('Hi'),
      asks(origin, [partOf(a!, asked(0)), partOf(b!, asked(1))], a!, b!),
      answers(a!, 'approved'),
      answers(b!, failed, 'denied'),
    ]
    expect(input(messages(gpt)).slice(1)).toEqual([
      asked(0),
      asked(1),
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_0', approve: true },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false, reason: 'Not that one.' },
    ])
    expect(input(messages({ ...gpt, model: 'gpt-5.4' })).slice(1)).toMatchObject([
      { type: 'function_call', call_id: 'mcpr_0', name: 'zip_short' },
      { type: 'function_call', call_id: 'mcpr_1', name: 'zip_short' },
      { type: 'function_call_output', call_id: 'mcpr_0', output: 'approved' },
      { type: 'function_call_output', call_id: 'mcpr_1', output: failed },
    ])
  })

  it('sends calls that came in one item back as that item, and answers it once', () => {
    const native = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'id_0',
      name: 'parallel',
      arguments: '{"tool_uses":[]}',
    }
    const [a, b] = [call(0), call(1, { wireId: 'id_0' })]
    const messages = [
      user('Hi'),
      asks(gpt, [partOf(a, native), partOf(b, native)], a, b),
      answers(a, 'A'),
      answers(b, 'B'),
    ]
    const output = '[{"tool":"find","result":"A"},{"tool":"find","result":"B"}]'
    expect(input(messages).slice(1)).toEqual([native, { type: 'function_call_output', call_id: 'id_0', output }])
    expect(input(messages, {}, { ...gpt, model: 'gpt-5.4' }).slice(1)).toMatchObject([
      { call_id: 'id_0', name: 'find' },
      { call_id: 'call_1_1_1', name: 'find' },
      { call_id: 'id_0', output: 'A' },
      { call_id: 'call_1_1_1', output: 'B' },
    ])
  })

  it('tells of tools after the last result of the turn that names them, each once and in full', () => {
    const teller = { ...find, name: 'teller', returnsTools: true }
    const late = { ...find, name: 'late', deferred: true }
    const [a, b, c] = [call(0, { toolName: 'teller' }), call(1), call(2, { toolName: 'teller' })]
    const tells = (to: KeyedCall, ...tools: string[]): Message => ({
      role: 'tool',
      trusted: true,
      call: to,
      outcome: 'ok',
      text: '',
      tools,
    })
    const messages = [
      user('Hi'),
      asks(gpt, [partOf(a), partOf(b)], a, b),
      tells(a, 'late', 'find', 'nobody'),
      answers(b),
      asks(gpt, [partOf(c)], c),
      tells(c, 'late'),
    ]
    const { type, name, description, input: parameters } = { type: 'function', ...late }
    const told = { type, name, description, parameters, strict: false }
    expect(input(messages, { tools: [teller, find, late] }).map((item) => item.type ?? item.role)).toEqual([
      'user',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'additional_tools',
      'function_call',
      'function_call_output',
    ])
    expect(input(messages, { tools: [teller, find, late] })[5]).toEqual({
      type: 'additional_tools',
      role: 'developer',
      tools: [told],
    })
  })

  it('puts the words of a turn before its calls for a server that would not take them between', () => {
    const deepseek = { provider: 'openai', model: 'deepseek-v4-flash' }
    const said = (text: string): Part => ({ type: 'text', text, native: { role: 'assistant', content: text } })
    const native = (id: string) => ({ type: 'function_call', call_id: id, name: 'find', arguments: '{}' })
    const parts = [said('One'), partOf(call(0), native('id_0')), said('Two'), partOf(call(1), native('id_1'))]
    const messages = [user('Hi'), asks(deepseek, parts, call(0), call(1)), answers(call(0)), answers(call(1))]
    const outputs = ['id_0', 'id_1'].map((call_id) => ({ type: 'function_call_output', call_id, output: '' }))
    const plain = [...parts.map(({ native: item }) => item as JsonObject), ...outputs]
    expect(openAIComplaints({ model: 'deepseek-v4-flash', input: plain })).toEqual([
      'No tool output found for tool call id_0',
    ])
    const body = JSON.parse(JSON.stringify(encodeOpenAI(request(messages), deepseek))) as JsonObject
    expect(openAIComplaints(body)).toEqual([])
    expect((body.input as JsonObject[]).slice(1, 5).map((item) => item.content ?? item.call_id)).toEqual([
      'One',
      'Two',
      'id_0',
      'id_1',
    ])
  })

  it('leaves out reasoning that cannot be read with the ids of what it led to, and no others', () => {
    const item = (type: string, id: string, more: JsonObject = {}): Part => ({
      type: 'other',
      native: { type, id, ...more },
    })
    const parts = [
      item('reasoning', 'rs_1', { encrypted_content: 'x' }),
      item('message', 'msg_1'),
      item('reasoning', 'rs_2'),
      item('reasoning', 'rs_3', { encrypted_content: 'x' }),
      item('web_search_call', 'ws_1'),
      item('message', 'msg_2'),
      item('reasoning', 'rs_4', { encrypted_content: 'x' }),
      item('message', 'msg_3'),
      item('reasoning', 'rs_5', { encrypted_content: 'x' }),
    ]
    expect(
      input([user('Hi'), asks(gpt, parts), user('And?')])
        .slice(1, -1)
        .map(({ type, id }) => [type, id]),
    ).toEqual([
      ['reasoning', 'rs_1'],
      ['message', 'msg_1'],
      ['message', undefined],
      ['reasoning', 'rs_4'],
      ['message', 'msg_3'],
    ])
  })
})

describe('encodeOpenAI() with a conversation that the provider keeps', () => {
  const native = { type: 'function_call', call_id: 'id_0', name: 'find', arguments: '{}' }
  const kept = (origin: Origin, serverState: Json, made = call(0)): Message[] => [
    user('Hi'),
    { ...asks(origin, [partOf(made, native)], made), serverState } as Message,
    answers(made),
  ]
  const stored = { ...gpt, stored: true }
  const body = (messages: readonly Message[], config: ModelConfig = stored) => encodeOpenAI(request(messages), config)
  const whole = (messages: readonly Message[]) => body(messages, gpt).input

  it('keeps the first response', () => {
    expect(body([user('Hi')])).toMatchObject({ store: true, input: [{ role: 'user', content: 'Hi' }] })
    expect(body([user('Hi')])).not.toHaveProperty('previous_response_id')
  })

  it('sends only what is new since, with the instructions and tools', () => {
    expect(body([...kept(gpt, { responseId: 'resp_1' }), user('And?')])).toMatchObject({
      store: true,
      previous_response_id: 'resp_1',
      instructions: 'Be brief.',
      tools: [{ name: 'find' }],
      input: [
        { type: 'function_call_output', call_id: 'id_0', output: 'done' },
        { role: 'user', content: 'And?' },
      ],
    })
  })

  it('sends nothing but the name of a response that paused', () => {
    const paused = { ...asks(gpt, []), serverState: { responseId: 'resp_1' } } as Message
    expect(body([user('Hi'), paused])).toMatchObject({ previous_response_id: 'resp_1', input: [] })
  })

  it.each<[string, Message[], ModelConfig]>([
    ['another model spoke last', kept({ ...gpt, model: 'gpt-5.4' }, { responseId: 'resp_1' }), stored],
    ['nothing was kept', kept(gpt, { container: 'x' }), stored],
    ['a call has another id here', kept(gpt, { responseId: 'resp_1' }, call(0, { wireId: '' })), stored],
    ['the reply was cut', [...kept(gpt, { responseId: 'r' }), asks(gpt, [{ type: 'text', text: 'So' }])], stored],
    ['the app does not want it', kept(gpt, { responseId: 'resp_1' }), gpt],
  ])('sends all when %s', (_, messages, config) => {
    expect(body(messages, config)).not.toHaveProperty('previous_response_id')
    expect(body(messages, config).input).toEqual(whole(messages))
  })

  it('goes on in a conversation that the app named, when that is where the last reply is', () => {
    const messages = kept(gpt, { responseId: 'resp_1', conversation: 'conv_1' })
    for (const conversation of ['conv_1', { id: 'conv_1' }]) {
      const named = body(messages, { ...gpt, extra: { conversation } })
      expect(named).toMatchObject({ store: true, conversation, input: [{ type: 'function_call_output' }] })
      expect(named).not.toHaveProperty('previous_response_id')
    }
    expect(body(messages, { ...stored, extra: { conversation: 'conv_2' } }).input).toEqual(whole(messages))
  })
})
