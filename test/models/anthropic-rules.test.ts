import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import { anthropicComplaints } from './anthropic-rules.js'

const said = (text: string): JsonObject => ({ type: 'text', text })
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content })
const model = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content })
const system = (...content: JsonObject[]): JsonObject => ({ role: 'system', content })
const hi = user(said('Hi'))
const call: JsonObject = { type: 'tool_use', id: 'a', name: 'find', input: {} }
const result: JsonObject = { type: 'tool_result', tool_use_id: 'a', content: 'done' }
const code: JsonObject = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} }
const over: JsonObject = { type: 'code_execution_tool_result', tool_use_id: 's', content: {} }
const nested: JsonObject = { ...call, caller: { type: 'code_execution_20260120', tool_id: 's' } }
const find: JsonObject = { name: 'find', input_schema: { type: 'object' } }
const programs: JsonObject = { ...find, allowed_callers: ['code_execution_20260120'] }
const runner: JsonObject = { type: 'code_execution_20260120', name: 'code_execution' }

const body = (messages: Json, more: JsonObject = {}): JsonObject => ({
  model: 'claude-opus-5',
  max_tokens: 9,
  messages,
  ...more,
})
const conversation = [hi, model(said('Yes?')), user(said('And?'))]

it.each<[string, JsonObject]>([
  ['a conversation', body(conversation)],
  ['a call and its result', body([hi, model(call), user(result, said('And?'))])],
  [
    'a program that waits',
    body([hi, model(code, nested), user(result)], { container: 'c', tools: [programs, runner] }),
  ],
  [
    'a program that ended',
    body([hi, model(code, nested), user(result), model(over, said('Well.')), hi], { container: 'c' }),
  ],
  ['a turn that paused', body([hi, model(code)])],
  ['late instructions', body([hi, system(said('x')), model(said('Yes?')), hi, system(said('y'))])],
  [
    'a deferred tool that is told of',
    body([hi, model(call), user({ ...result, content: [{ type: 'tool_reference', tool_name: 'b' }] })], {
      tools: [find, { ...find, name: 'b', defer_loading: true }],
    }),
  ],
])('The rules of the Messages API allow %s', (_, given) => {
  expect(anthropicComplaints(given)).toEqual([])
})

it.each<[string, JsonObject]>([
  ['there are no messages', body([])],
  ['have the same role', body([hi, hi])],
  ['is empty', body([user()])],
  ['has a block "image"', body([hi, model({ type: 'image', source: { type: 'url' } }), hi])],
  ['system message 0 is at the wrong place', body([system(said('x')), model(said('Yes?')), hi])],
  ['system message 2 is at the wrong place', body([hi, model(said('Yes?')), system(said('x'))])],
  [
    'system message 3 is at the wrong place',
    body([hi, model(code, nested), user(result), system(said('x'))], { container: 'c' }),
  ],
  ['after system message 1 comes no assistant', body([hi, system(said('x')), hi])],
  ['without tool_result blocks immediately after: a', body([hi, model(call), hi])],
  ['answers what was not asked, or twice', body([hi, model(call), user(result, result)])],
  ['results are not first', body([hi, model(call), user(said('And?'), result)])],
  ['message 2 has more than results', body([hi, model(code, nested), user(result, said('And?'))], { container: 'c' })],
  [
    'more than text',
    body([hi, model(code, nested), user({ ...result, content: [{ type: 'image', source: { type: 'url' } }] })], {
      container: 'c',
    }),
  ],
  ['name of its toolset', body([hi, model({ ...call, toolset_name: 'browser' }), user(result)])],
  ['a tool_use id is taken', body([hi, model(call, call), user(result)])],
  ['the final block of message 1 is thinking', body([hi, model({ type: 'thinking', signature: 's' }), hi])],
  ['a thinking block has no signature', body([hi, model({ type: 'thinking' }, said('x')), hi])],
  ['is of a program that is not there', body([hi, model(nested), user(result)], { container: 'c' })],
  ['call "s" of the API has no result', body([hi, model(code), user(said('x')), model(said('y')), hi])],
  ['is of no call', body([hi, model(over), hi])],
  ['the last calls have no results', body([hi, model(call)])],
  ['its container is not named', body([hi, model(code, nested), user(result)])],
  ['the beginning of an answer', body([hi, model(said('Well'))])],
  ['ends in white space', body([hi, model(said('Well '))], { model: 'claude-sonnet-4-5' })],
  ['a text block is blank', body([user(said(' '))])],
  ['input is no object', body([hi, model({ ...call, input: '{}' }), user(result)])],
  [
    'an image is of type "image/bmp"',
    body([user({ type: 'image', source: { type: 'base64', media_type: 'image/bmp' } })]),
  ],
  ['a document is blank', body([user({ type: 'document', source: { type: 'text', data: '' } })])],
  [
    '"b" is no deferred tool',
    body([hi, model(call), user({ ...result, content: [{ type: 'tool_reference', tool_name: 'b' }] })]),
  ],
  ['two tools have one name', body([hi], { tools: [find, { type: 'memory_20250818', name: 'find' }] })],
  ['all tools are deferred', body([hi], { tools: [{ ...find, defer_loading: true }] })],
  [
    'a deferred tool is marked',
    body([hi], { tools: [find, { ...find, name: 'b', defer_loading: true, cache_control: {} }] }),
  ],
  ['there are no programs', body([hi], { tools: [programs] })],
  ['a strict tool may be called by programs', body([hi], { tools: [{ ...programs, strict: true }, runner] })],
  [
    'leads back to itself',
    body([hi], {
      tools: [{ ...programs, input_schema: { type: 'object', properties: { a: { $ref: '#' } } } }, runner],
    }),
  ],
  ['there is a tool_choice and no tool', body([hi], { tool_choice: { type: 'auto' } })],
  ['the model takes no demand', body([hi], { model: 'claude-opus-5-5', tools: [find], tool_choice: { type: 'any' } })],
  ['beside a budget', body([hi], { tools: [find], tool_choice: { type: 'any' }, thinking: { type: 'enabled' } })],
  [
    'parallel calls are off',
    body([hi], { tools: [programs, runner], tool_choice: { type: 'auto', disable_parallel_tool_use: true } }),
  ],
  ['"find" cannot be demanded', body([hi], { tools: [programs, runner], tool_choice: { type: 'tool', name: 'find' } })],
  ['max_tokens is required', body([hi], { max_tokens: null })],
  ['temperature was removed', body([hi], { temperature: 1 })],
  [
    'not below max_tokens',
    body([hi], { model: 'claude-sonnet-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } }),
  ],
  ['the model does not think by effort', body([hi], { model: 'claude-sonnet-4-5', thinking: { type: 'adaptive' } })],
  ['the model always thinks', body([hi], { model: 'claude-opus-5-5', thinking: { type: 'disabled' } })],
  ['the effort is "minimal"', body([hi], { output_config: { effort: 'minimal' } })],
  ['has no effort xhigh', body([hi], { model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } })],
  ['the format is no schema', body([hi], { output_config: { format: { type: 'json_schema' } } })],
  ['a stop sequence is blank', body([hi], { stop_sequences: ['\n'] })],
  ['more than 4 blocks', body([user(...Array.from({ length: 5 }, () => ({ ...said('x'), cache_control: {} })))])],
])('The rules of the Messages API say "%s"', (complaint, given) => {
  expect(anthropicComplaints(given).join('\n')).toContain(complaint)
})
