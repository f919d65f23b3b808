import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { essence } from '../models/chat-canonical.js'
import { said } from '../models/gemini-canonical.js'
import { camel } from '../models/gemini-recordings.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import type { Family } from './responses.js'

/** A request without what clients spell differently: the rules stand in docs/models.md. */
export const normalised = (family: Family, body: JsonObject): JsonObject => bare(normals[family](body))

/** How the answer is to be delivered and kept, which is not what is asked. */
const delivery = new Set(['stream', 'stream_options', 'store', 'include', 'prompt_cache_key', 'parallel_tool_calls'])

/** Without fields that say nothing. */
const bare = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([key, value]) => !delivery.has(key) && !isNothing(value)))

const isNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 'auto' ||
  (isJsonObject(value) && value.type === 'auto' && Object.keys(value).length === 1) ||
  (typeof value === 'object' && Object.values(value).every((inside) => isNothing(inside as Json)))

const textsIn = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join('\n')

const isText = (content: Json | undefined): boolean =>
  typeof content === 'string' || listOf(content).every(({ type }) => textOf(type).endsWith('text'))

const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'

/** Where a client marks the end of what is to be cached is its own choice. */
const unmarked = (block: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'cache_control'))

/** A schema without what an object has anyway; `key` is the provider's name for it. */
function toolOf(tool: JsonObject, key: string): JsonObject {
  const { type, ...rest } = unmarked(tool)
  const { properties = {}, ...schema } = record(rest[key])
  const named: JsonObject = type === 'function' || type === 'custom' ? {} : { type: type ?? null }
  return bare({ ...rest, ...named, ...(rest[key] === undefined ? {} : { [key]: { ...schema, properties } }) })
}

const normals: Readonly<Record<Family, (body: JsonObject) => JsonObject>> = {
  openai(body) {
    const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
    const start = items.findIndex((item) => !isSystem(item))
    const system = items.slice(0, start).map(({ content }: JsonObject) => textsIn(content))
    return {
      ...body,
      instructions: [textOf(body.instructions), ...system].filter(Boolean).join('\n\n'),
      input: items.slice(start).map((item): JsonObject => {
        const { type = 'message', status: _, content, output, ...rest } = item as JsonObject
        return bare({
          type,
          ...rest,
          ...(content === undefined ? {} : { content: isText(content) ? textsIn(content) : content }),
          ...(output === undefined ? {} : { output: isText(output) ? textsIn(output) : output }),
        })
      }),
      tools: listOf(body.tools).map((tool) => toolOf(tool, 'parameters')),
    }
  },
  anthropic(body) {
    const turns: { role: string; content: JsonObject[] }[] = []
    for (const { role, content } of listOf(body.messages)) {
      const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
      const blocks = list.map((marked: JsonObject) => {
        const block = unmarked(marked)
        if (block.type !== 'tool_result') return block
        return bare({ ...block, content: isText(block.content) ? textsIn(block.content) : block.content! })
      })
      const last = turns.at(-1)
      if (last && last.role === role) last.content.push(...blocks)
      else turns.push({ role: textOf(role), content: blocks })
    }
    return {
      ...body,
      system: textsIn(body.system),
      messages: turns as unknown as Json,
      tools: listOf(body.tools).map((tool) => toolOf(tool, 'input_schema')),
    }
  },
  chat({ max_completion_tokens: limit = null, messages: given = null, n = null, false: misread, ...body }) {
    const messages = listOf(given)
    // Where a recording went through YAML, the key `n` has become `false`.
    const count = misread ?? n
    const said: JsonObject[] = []
    for (const message of messages.filter((one) => !isSystem(one) && one.content !== 'Go on.').map(essence)) {
      const last = said.at(-1)
      if (!last || last.role !== 'user' || message.role !== 'user') said.push(message)
      else said[said.length - 1] = { ...last, text: `${textOf(last.text)}\n\n${textOf(message.text)}` }
    }
    return {
      ...body,
      n: count === 1 ? null : count,
      max_tokens: body.max_tokens ?? limit,
      messages: said,
      instructions: messages
        .filter(isSystem)
        .map(({ content }) => textsIn(content))
        .join('\n\n'),
      tools: listOf(body.tools).map(({ function: called, ...rest }) =>
        isJsonObject(called) ? toolOf(called, 'parameters') : rest,
      ),
    }
  },
  gemini(given) {
    const body = record(camel(given))
    const { responseModalities, ...config } = record(body.generationConfig)
    const isTextOnly = JSON.stringify(responseModalities ?? ['TEXT']) === '["TEXT"]'
    return {
      ...body,
      contents: said(listOf(body.contents)),
      systemInstruction: textsIn(record(body.systemInstruction).parts),
      generationConfig: isTextOnly ? config : { ...config, responseModalities: responseModalities ?? null },
      tools: listOf(body.tools).map(({ functionDeclarations, ...rest }) => ({
        ...rest,
        functionDeclarations: listOf(functionDeclarations).map((one) => toolOf(one, 'parametersJsonSchema')),
      })),
      toolConfig:
        record(record(body.toolConfig).functionCallingConfig).mode === 'AUTO' ? null : (body.toolConfig ?? null),
    }
  },
}
