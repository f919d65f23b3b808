import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'
import type { ReportedError } from '../../src/models/model-error.js'
import { createOpenAIDecoder } from '../../src/models/openai/decode.js'

function decode(...events: unknown[]): { reply: ModelReply | undefined; deltas: ModelDelta[] } {
  const decoder = createOpenAIDecoder()
  const deltas = events.flatMap((event) => decoder.push(event))
  return { reply: decoder.reply(), deltas }
}

const done = (output_index: number, item: JsonObject) => ({ type: 'response.output_item.done', output_index, item })
const completed = (more: JsonObject = {}) => ({
  type: 'response.completed',
  response: { status: 'completed', ...more },
})
const incomplete = (reason: string) => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: { reason } },
})
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'find',
  arguments: '{"a":1}',
  status: 'completed',
  ...more,
})
const text = (...texts: string[]): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  phase: 'final_answer',
  content: texts.map((one) => ({ type: 'output_text', text: one, annotations: [] })),
})
const reasoning: JsonObject = {
  type: 'reasoning',
  id: 'rs_1',
  encrypted_content: 'xyz',
  summary: [
    { type: 'summary_text', text: 'First.' },
    { type: 'summary_text', text: 'Then.' },
  ],
}

describe('The decoder of the Responses API', () => {
  it('makes one part of each item, in the order of the output, and keeps the item as it is', () => {
    const shell = { type: 'shell_call', id: 'sh_1', action: { commands: ['ls'] } }
    const { reply } = decode(
      done(3, call('b')),
      done(1, text('Hello, ', 'you.')),
      done(0, reasoning),
      done(2, shell),
      done(4, call('c')),
      completed(),
    )
    expect(reply?.finish).toBe('calls')
    expect(reply?.parts).toEqual([
      { type: 'reasoning', text: 'First.\n\nThen.', native: reasoning },
      { type: 'text', text: 'Hello, you.', native: text('Hello, ', 'you.') },
      { type: 'other', native: shell },
      { type: 'call', toolName: 'find', inputText: '{"a":1}', wireId: 'call_b', native: call('b') },
      { type: 'call', toolName: 'find', inputText: '{"a":1}', wireId: 'call_c', native: call('c') },
    ])
  })

  it('shows pieces as they come, of parallel calls too, and nothing for events that it does not know', () => {
    const { deltas, reply } = decode(
      { type: 'response.created', response: {} },
      { type: 'response.output_item.added', output_index: 0, item: call('a', { arguments: '' }) },
      { type: 'response.output_item.added', output_index: 1, item: call('b', { arguments: '', name: 'read' }) },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: ':1}' },
      { type: 'response.reasoning_summary_part.added', output_index: 2, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', output_index: 2, summary_index: 0, delta: 'One.' },
      { type: 'response.reasoning_summary_part.added', output_index: 2, summary_index: 1 },
      { type: 'response.reasoning_text.delta', output_index: 2, delta: 'Two.' },
      { type: 'response.output_text.delta', output_index: 3, delta: 'Hi' },
      { type: 'response.refusal.delta', output_index: 4, delta: 'No' },
      { type: 'response.something.new', output_index: 'odd', item: 7 },
    )
    expect(deltas).toEqual([
      { type: 'call', index: 0, toolName: 'find', text: '' },
      { type: 'call', index: 1, toolName: 'read', text: '' },
      { type: 'call', index: 0, toolName: 'find', text: '{"a"' },
      { type: 'call', index: 1, toolName: 'read', text: '{}' },
      { type: 'call', index: 0, toolName: 'find', text: ':1}' },
      { type: 'reasoning', index: 2, text: 'One.' },
      { type: 'reasoning', index: 2, text: '\n\n' },
      { type: 'reasoning', index: 2, text: 'Two.' },
      { type: 'text', index: 3, text: 'Hi' },
      { type: 'text', index: 4, text: 'No' },
    ])
    expect(reply).toBeUndefined()
  })

  it('takes the output of the last event when no item was sent alone', () => {
    expect(decode(completed({ output: [text('All at once.')] })).reply?.parts).toEqual([
      { type: 'text', text: 'All at once.', native: text('All at once.') },
    ])
  })

  it.each([
    ['', '{}'],
    ['  ', '{}'],
    ['{"a":', '{"a":'],
  ])('gives the argument text %o as %o', (given, expected) => {
    expect(decode(done(0, call('a', { arguments: given })), completed()).reply?.parts).toMatchObject([
      { inputText: expected },
    ])
  })

  it('keeps finished calls of a reply that grew too long, and no others', () => {
    const items = [
      done(0, call('a')),
      done(1, call('b', { status: 'incomplete', arguments: '{"a' })),
      done(2, call('c', { status: 'in_progress' })),
    ]
    const { reply } = decode(...items, incomplete('max_output_tokens'))
    expect(reply).toMatchObject({ finish: 'length', parts: [{ type: 'call', wireId: 'call_a' }] })
  })

  it.each([
    ['content_filter', 'content-filter'],
    ['steered', 'resend'],
    ['max_messages', 'other'],
    ['__proto__', 'other'],
    ['constructor', 'other'],
  ])('keeps no call of a reply that ended for %s, and says %s', (reason, finish) => {
    const { reply } = decode(done(0, text('So far')), done(1, call('a')), incomplete(reason))
    expect(reply).toMatchObject({ finish, parts: [{ type: 'text', text: 'So far' }] })
    expect(reply?.parts).toHaveLength(1)
  })

  it('tells a refusal', () => {
    const item = { ...text(), content: [{ type: 'refusal', refusal: 'I will not.' }] }
    expect(decode(done(0, item), completed()).reply).toMatchObject({
      finish: 'refusal',
      parts: [{ type: 'refusal', text: 'I will not.', native: item }],
    })
  })

  it('asks to be sent again after a hosted program that ended without a message', () => {
    const output = { type: 'program_output', call_id: 'p', result: '1', status: 'completed' }
    expect(decode(done(0, output), completed()).reply?.finish).toBe('resend')
    expect(decode(done(0, output), done(1, text('One.')), completed()).reply?.finish).toBe('stop')
  })

  it('counts tokens as the provider did, and does not guess', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 5 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 12 },
    }
    expect(decode(completed({ usage })).reply?.usage).toEqual({
      input: 100,
      output: 20,
      cacheRead: 60,
      cacheWrite: 5,
      reasoning: 12,
    })
    expect(decode(completed({ usage: { input_tokens: 3, output_tokens: 4 } })).reply?.usage).toEqual({
      input: 3,
      output: 4,
    })
    expect(decode(completed({ usage: { input_tokens: -1, output_tokens: 'many' } })).reply?.usage).toBeUndefined()
    expect(decode(completed()).reply?.usage).toBeUndefined()
  })

  it.each<[string, unknown[]]>([
    ['is no object', ['text']],
    ['is null', [null]],
    ['has no type', [{}]],
    ['has no item', [{ type: 'response.output_item.done', output_index: 0 }]],
    ['has no index', [{ type: 'response.output_item.done', item: {} }]],
    ['has an index below zero', [done(-1, {})]],
    ['has no response', [{ type: 'response.completed' }]],
    ['has a call without a name', [done(0, { type: 'function_call', arguments: '{}' }), completed()]],
    ['has arguments that are no text', [done(0, call('a', { arguments: { a: 1 } })), completed()]],
  ])('refuses an event that %s', (_, events) => {
    expect(() => decode(...events)).toThrow(/^Cannot read the model's reply: /)
  })
})

describe('The decoder of the Responses API, of calls', () => {
  const tools = ['find', 'crm__list', 'late'].map((name): ToolDefinition => ({
    name,
    description: '',
    input: { type: 'object' },
    risk: 'read',
  }))
  const partsOf = (item: JsonObject) => {
    const decoder = createOpenAIDecoder({ tools })
    decoder.push(done(0, item))
    decoder.push(completed())
    return decoder.reply()!.parts
  }

  it('names a tool in a namespace as we do, and one that is called in a namespace of its own name', () => {
    const named = (name: string, namespace: string) => partsOf(call('a', { name, namespace }))
    expect(named('list', 'crm')).toMatchObject([{ toolName: 'crm__list' }])
    expect(named('late', 'late')).toMatchObject([{ toolName: 'late' }])
    expect(named('find', 'other')).toMatchObject([{ toolName: 'find' }])
    expect(named('nobody', 'other')).toMatchObject([{ toolName: 'other__nobody' }])
  })

  it('takes the text of a text tool as it is, and shows it as it comes', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_a', name: 'query', input: ' {"a" ' }
    expect(partsOf(item)).toEqual([
      { type: 'call', toolName: 'query', inputText: ' {"a" ', isText: true, wireId: 'call_a', native: item },
    ])
    const { deltas } = decode(
      { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: ' {"a' },
      { type: 'response.custom_tool_call_input.done', output_index: 0, input: ' {"a" ' },
    )
    expect(deltas).toEqual([
      { type: 'call', index: 0, toolName: 'query', text: '' },
      { type: 'call', index: 0, toolName: 'query', text: ' {"a' },
    ])
  })

  it('says of a call that a program makes it, and not of one that the model makes', () => {
    const program = call('a', { caller: { type: 'program', caller_id: 'prog_1' } })
    expect(partsOf(program)).toMatchObject([{ caller: 'program', native: program }])
    expect(partsOf(call('a', { caller: { type: 'direct' } }))[0]).not.toHaveProperty('caller')
  })

  it('makes a call of what the provider asks before it runs it', () => {
    const item = {
      type: 'mcp_approval_request',
      id: 'mcpr_1',
      server_label: 'zip',
      name: 'short',
      arguments: '{"url":"x"}',
    }
    expect(decode(done(0, item), completed()).reply).toEqual({
      finish: 'calls',
      parts: [
        {
          type: 'call',
          toolName: 'zip.short',
          inputText: '{"url":"x"}',
          wireId: 'mcpr_1',
          executor: 'provider',
          native: item,
        },
      ],
    })
  })

  const wrapper = (name: string, ...uses: JsonObject[]): JsonObject =>
    call('w', { name, arguments: JSON.stringify({ tool_uses: uses }) })

  it.each(['parallel', 'multi_tool_use.parallel'])('takes the calls out of %s, which nobody declared', (name) => {
    const item = wrapper(
      name,
      { recipient_name: 'functions.find', parameters: { a: 1 } },
      { recipient_name: 'crm.list' },
    )
    expect(partsOf(item)).toEqual([
      { type: 'call', toolName: 'find', inputText: '{"a":1}', wireId: 'call_w', native: item },
      { type: 'call', toolName: 'crm__list', inputText: '{}', wireId: 'call_w', native: item },
    ])
  })

  it.each<[string, JsonObject]>([
    ['one is of no tool', wrapper('parallel', { recipient_name: 'functions.find' }, { recipient_name: 'functions.x' })],
    ['there are none', wrapper('parallel')],
    ['it is cut', call('w', { name: 'parallel', arguments: '{"tool_uses":[{"rec' })],
    ['it is no object', wrapper('parallel', 7 as unknown as JsonObject)],
  ])('leaves such a wrapper alone when %s', (_, item) => {
    expect(partsOf(item)).toMatchObject([{ type: 'call', toolName: 'parallel' }])
  })

  it('takes a wrapper for a tool that the app has', () => {
    const own = createOpenAIDecoder({ tools: [...tools, { ...tools[0]!, name: 'parallel' }] })
    own.push(done(0, wrapper('parallel', { recipient_name: 'functions.find' })))
    own.push(completed())
    expect(own.reply()!.parts).toMatchObject([{ toolName: 'parallel' }])
  })
})

describe('The decoder of the Responses API, of how a response ends', () => {
  const program = { type: 'program', call_id: 'p', code: 'x()', fingerprint: 'f' }
  const output = { type: 'program_output', call_id: 'p', result: '1', status: 'completed' }

  it.each<[string, JsonObject[], string]>([
    ['a program alone', [program], 'resend'],
    ['a program that ended, after some words', [text('I count.'), program, output], 'resend'],
    ['reasoning after a program that ended', [output, reasoning], 'resend'],
    ['a program with a call', [program, call('a')], 'calls'],
    ['words after a program', [output, text('One.')], 'stop'],
  ])('says of %s what is next', (_, items, finish) => {
    expect(decode(...items.map((item, i) => done(i, item)), completed()).reply?.finish).toBe(finish)
  })

  it('keeps a text call that was finished before the end of the tokens, and an approval that was asked for', () => {
    const custom = { type: 'custom_tool_call', call_id: 'c', name: 'query', input: 'a' }
    const asked = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'short', server_label: 'zip' }
    const items = [asked, { ...custom, status: 'completed' }, { ...custom, call_id: 'd', status: 'incomplete' }]
    const { reply } = decode(...items.map((item, i) => done(i, item)), incomplete('max_output_tokens'))
    expect(reply?.parts).toMatchObject([{ wireId: 'mcpr_1' }, { wireId: 'c' }])
    expect(decode(done(0, asked), incomplete('content_filter')).reply?.parts).toEqual([])
  })

  it.each(['max_messages', 'tomorrow'])('remarks that it is incomplete for %s', (reason) => {
    expect(decode(done(0, text('So far')), incomplete(reason)).reply).toMatchObject({
      finish: 'other',
      remarks: [{ code: 'incomplete', detail: { reason } }],
    })
  })

  it.each<[string, unknown, Partial<ReportedError['facts']>]>([
    [
      'failed',
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } },
      { code: 'server_error' },
    ],
    [
      'failed, in an event that says completed',
      completed({ status: 'failed', error: { code: 'invalid_prompt', message: 'x' } }),
      { code: 'invalid_prompt' },
    ],
    ['was cancelled', { type: 'response.cancelled', response: {} }, { code: 'cancelled' }],
    ['was cancelled, in an event that says completed', completed({ status: 'cancelled' }), { code: 'cancelled' }],
    [
      'broke with an error',
      { type: 'error', code: 'slow_down', message: 'x', param: 'input' },
      { code: 'slow_down', param: 'input' },
    ],
    [
      'broke with an error inside',
      { type: 'error', error: { type: 'server_error', message: 'x' } },
      { type: 'server_error' },
    ],
  ])('throws what it says when it %s', (_, event, facts) => {
    expect(() => decode(done(0, text('So far')), event)).toThrow(
      expect.objectContaining({ facts: expect.objectContaining(facts) as unknown }) as Error,
    )
  })

  it('says when the conversation is too long for the model', () => {
    const error = { code: 'context_length_exceeded', message: 'Too long.' }
    for (const event of [
      { type: 'response.failed', response: { error } },
      { type: 'error', ...error },
    ])
      expect(decode(done(0, text('So far')), done(1, call('a')), event).reply).toMatchObject({
        finish: 'context',
        parts: [{ type: 'text' }],
      })
  })
})

describe('The decoder of the Responses API, of what is in no item', () => {
  const replyTo = (stored: boolean, response: JsonObject, ...events: unknown[]) => {
    const decoder = createOpenAIDecoder({ stored, remarks: [{ code: 'setting_ignored' }] })
    for (const event of [...events, completed(response)]) decoder.push(event)
    return decoder.reply()
  }

  it('says by which name the provider keeps the response, when it does', () => {
    const kept = (stored: boolean, more: JsonObject) => replyTo(stored, { id: 'resp_1', ...more })?.serverState
    expect(kept(true, { store: true })).toEqual({ responseId: 'resp_1' })
    expect(kept(true, {})).toEqual({ responseId: 'resp_1' })
    expect(kept(true, { store: false })).toBeUndefined()
    expect(kept(false, {})).toBeUndefined()
    expect(kept(true, { conversation: { id: 'conv_1' } })).toEqual({ responseId: 'resp_1', conversation: 'conv_1' })
  })

  it('says no name of a response that is not whole: what it asked for could not be answered', () => {
    const cut = { id: 'resp_1', store: true, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(replyTo(true, cut, done(0, text('So')))).not.toHaveProperty('serverState')
  })

  it('remarks on reasoning that was dropped, and other things that the provider notes', () => {
    const removed = { type: 'reasoning', action: 'removed', id: 'rs_1', reason: 'prefix_mismatch' }
    const other = { type: 'image', action: 'resized' }
    const response = {
      input_transformations: [removed, other],
      prompt_cache_diagnostics: { miss: 'tools' },
      moderation: null,
    }
    expect(replyTo(false, response)?.remarks).toEqual([
      { code: 'setting_ignored' },
      { code: 'reasoning_dropped', detail: removed },
      { code: 'input_transformed', detail: other },
      { code: 'cache_diagnostics', detail: { miss: 'tools' } },
    ])
  })

  it('remarks on events that nobody knows, on twenty at most, and on long ones by name', () => {
    const odd = Array.from({ length: 30 }, (_, i) => ({ type: 'response.x_new', i }))
    const long = { type: 'response.x_long', b64: 'x'.repeat(5000) }
    const remarks = replyTo(false, {}, long, ...odd)?.remarks?.slice(1)
    expect(remarks).toHaveLength(20)
    expect(remarks?.slice(0, 2)).toEqual([
      { code: 'unknown_event', detail: { type: 'response.x_long' } },
      { code: 'unknown_event', detail: odd[0] },
    ])
  })

  it.each([
    'response.created',
    'response.queued',
    'response.content_part.added',
    'response.output_text.annotation.added',
    'response.mcp_call_arguments.delta',
    'response.image_generation_call.partial_image',
    'response.shell_call_command.added',
    'response.compaction.compacting',
    'keepalive',
  ])('passes over %s without a word', (type) => {
    expect(replyTo(false, {}, { type })?.remarks).toEqual([{ code: 'setting_ignored' }])
  })
})
