import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { openAIComplaints } from './openai-rules.js'

const user: JsonObject = { role: 'user', content: 'Hi' }
const call = (more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  call_id: 'a',
  name: 'find',
  arguments: '{}',
  ...more,
})
const output = (more: JsonObject = {}): JsonObject => ({
  type: 'function_call_output',
  call_id: 'a',
  output: 'done',
  ...more,
})
const reasoning: JsonObject = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
const program = { type: 'program', caller_id: 'p' }
const find: JsonObject = {
  type: 'function',
  name: 'find',
  parameters: { type: 'object', properties: {} },
  strict: false,
}
const file = (more: JsonObject): JsonObject => ({ role: 'user', content: [{ type: 'input_file', ...more }] })

describe('The rules of the Responses API', () => {
  it('have nothing against a request that it takes', () => {
    expect(
      openAIComplaints({
        model: 'gpt-6-astra',
        tools: [find],
        parallel_tool_calls: true,
        tool_choice: 'required',
        input: [user, reasoning, call(), output(), { role: 'developer', content: 'Be brief.' }],
      }),
    ).toEqual([])
  })

  it.each<[string, JsonObject[]]>([
    ['a call without an output', [user, call()]],
    ['a user before the output', [user, call(), user, output()]],
    ['an output without a call', [user, output()]],
    ['two outputs', [user, call(), output(), output()]],
    ['two calls of one id', [user, call(), output(), call(), output()]],
    ['a blank id', [user, call({ call_id: '' }), output({ call_id: '' })]],
    ['an output of another kind', [user, call(), output({ type: 'custom_tool_call_output' })]],
    [
      'an output without its caller',
      [{ type: 'program', call_id: 'p', fingerprint: 'f' }, call({ caller: program }), output()],
    ],
    ['a call of no program', [user, call({ caller: program }), output({ caller: program })]],
    ['an output of no program', [user, { type: 'program_output', call_id: 'p', result: '' }]],
    ['a program without its fingerprint', [user, { type: 'program', call_id: 'p' }]],
    [
      'an approval that nobody asked for',
      [user, { type: 'mcp_approval_response', approval_request_id: 'm', approve: true }],
    ],
    ['a request that is not answered', [user, { type: 'mcp_approval_request', id: 'm', name: 'a', server_label: 'z' }]],
    ['reasoning that leads to nothing', [user, reasoning, user]],
    ['reasoning before an output', [user, call(), reasoning, output()]],
    ['reasoning that cannot be read', [user, { ...reasoning, encrypted_content: null }, call(), output()]],
    ['arguments that are no text', [user, call({ arguments: {} }), output()]],
    ['a hosted call without its id', [user, { type: 'web_search_call' }]],
    ['a text of the wrong side', [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }]],
    ['a file without a name', [file({ file_data: 'data:application/pdf;base64,AA' })]],
    ['a file that is no document', [file({ file_data: 'data:audio/mpeg;base64,AA', filename: 'a.mp3' })]],
    ['a file of two contents', [file({ file_url: 'https://a.example', file_id: 'f' })]],
    ['an image that is none', [{ role: 'user', content: [{ type: 'input_image', image_url: 'a.png' }] }]],
  ])('refuse %s', (_, input) => {
    expect(openAIComplaints({ model: 'gpt-6-astra', input })).not.toEqual([])
  })

  it.each<[string, JsonObject]>([
    ['sampling of a model that thinks', { temperature: 1 }],
    ['no thinking', { reasoning: { effort: 'none' } }],
    ['a stop text', { stop: ['.'] }],
    ['a long cache key', { prompt_cache_key: 'x'.repeat(65) }],
    ['two names of what was before', { previous_response_id: 'a', conversation: 'b' }],
    ['a format without a name', { text: { format: { type: 'json_schema', schema: {} } } }],
    ['a choice without tools', { tool_choice: 'required' }],
    ['a choice of no tool', { tools: [find], tool_choice: { type: 'function', name: 'x' } }],
    [
      'a choice of a deferred tool',
      {
        tools: [{ type: 'tool_search' }, { ...find, defer_loading: true }],
        tool_choice: { type: 'function', name: 'find' },
      },
    ],
    ['a choice of nothing', { tools: [find], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }],
    ['a deferred tool without a search', { tools: [{ ...find, defer_loading: true }] }],
    ['programs without tools for them', { tools: [find, { type: 'programmatic_tool_calling' }] }],
    ['tools for programs without them', { tools: [{ ...find, allowed_callers: ['programmatic'] }] }],
    ['two tools of one name', { tools: [find, find] }],
    ['a strict tool of an open schema', { tools: [{ ...find, strict: true }] }],
    [
      'a namespace without a description',
      { tools: [{ type: 'namespace', name: 'a', description: '', tools: [find] }] },
    ],
    ['a remote server without an address', { tools: [{ type: 'mcp', server_label: 'z' }] }],
    [
      'a grammar of an unknown syntax',
      { tools: [{ type: 'custom', name: 'a', format: { type: 'grammar', syntax: 'ebnf', definition: 'a' } }] },
    ],
  ])('refuse %s', (_, body) => {
    expect(openAIComplaints({ model: 'gpt-6-astra', input: [user], ...body })).not.toEqual([])
  })
})
