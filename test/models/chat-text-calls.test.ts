import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { createChatDecoder, streamEnd } from '../../src/models/chat/decode.js'
import type { ModelDelta } from '../../src/models/model.js'

const tool = (name: string, properties: JsonObject = {}): ToolDefinition => ({
  name,
  description: '',
  input: { type: 'object', properties },
  risk: 'read',
})
const find = tool('find', {
  q: { type: 'string' },
  n: { type: 'integer' },
  tags: { type: 'array' },
  on: { type: ['boolean', 'null'] },
  note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  kind: { enum: ['1', '2'] },
  any: {},
})
const tools = [find, tool('read.file-2')]

const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason }],
})

/** The text and the calls of a reply, however its text was cut. */
function reply(pieces: readonly string[], { finish = 'stop', more = {}, known = tools } = {}) {
  const decoder = createChatDecoder(known)
  const chunks = [...pieces.map((content) => chunk({ content })), chunk(more, finish), streamEnd]
  const deltas: ModelDelta[] = chunks.flatMap((one) => [...decoder.push(one)])
  const parts = decoder.reply()!.parts
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    shown: deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join(''),
    calls: parts.flatMap((part) =>
      part.type === 'call' ? [{ name: part.toolName, input: JSON.parse(part.inputText) as Json }] : [],
    ),
    finish: decoder.reply()!.finish,
    deltas,
  }
}

const cuts = (text: string): string[][] => [
  [text],
  text.split(''),
  text.match(/[^]{1,3}/g) ?? [],
  text.match(/[^]{1,11}/g) ?? [],
]
const a = { name: 'find', input: { q: 'a' } }

describe('Calls that a model writes into its text are found', () => {
  it.each<[string, string, Json[], string]>([
    [
      'Hermes and Qwen',
      'I look.\n<tool_call>\n{"name": "find", "arguments": {"q": "a"}}\n</tool_call>',
      [a],
      'I look.\n',
    ],
    [
      'two of them',
      '<tool_call>{"name":"find","arguments":{"q":"a"}}</tool_call>\n<tool_call>{"name":"read.file-2","arguments":{}}</tool_call>',
      [a, { name: 'read.file-2', input: {} }],
      '\n',
    ],
    ['parameters instead of arguments', '<tool_call>{"name":"find","parameters":{"q":"a"}}</tool_call>', [a], ''],
    [
      'arguments as text',
      '<tool_call>{"name":"find","arguments":"{\\"q\\":\\"a\\"}"}</tool_call> Done.',
      [a],
      ' Done.',
    ],
    [
      'a function object',
      '<tool_call>{"type":"function","function":{"name":"find","arguments":{"q":"a"}}}</tool_call>',
      [a],
      '',
    ],
    ['no end tag', 'So. <tool_call>{"name":"find","arguments":{"q":"a"}}', [a], 'So. '],
    [
      'the end tag in a value',
      '<tool_call>{"name":"find","arguments":{"q":"</tool_call>\\"}"}}</tool_call>',
      [{ name: 'find', input: { q: '</tool_call>"}' } }],
      '',
    ],
    ['Qwen 2.5', '<tools>\n{"name":"find","arguments":{"q":"a"}}\n</tools>', [a], ''],
    [
      'Qwen 2.5 with a list',
      '<tools>[{"name":"find","arguments":{"q":"a"}},{"name":"find","arguments":{"q":"b"}}]</tools>',
      [a, { name: 'find', input: { q: 'b' } }],
      '',
    ],
    ['LM Studio', '[TOOL_REQUEST]{"name":"find","arguments":{"q":"a"}}[END_TOOL_REQUEST]', [a], ''],
    [
      'Llama 3',
      '<|python_tag|>{"name":"find","parameters":{"q":"a"}}; {"name":"read.file-2","parameters":{}}<|eom_id|>',
      [a, { name: 'read.file-2', input: {} }],
      '',
    ],
    ['Mistral', 'So.[TOOL_CALLS] [{"name":"find","arguments":{"q":"a"}}]', [a], 'So.'],
    [
      'Qwen 3 Coder, whose values the schema explains',
      '<tool_call>\n<function=find>\n<parameter=q>\n12\n</parameter>\n<parameter=n>\n12\n</parameter>\n<parameter=tags>["x"]</parameter>\n<parameter=on>null</parameter><parameter=note>null</parameter><parameter=kind>1</parameter><parameter=any>{"b":[1]}</parameter><parameter=other>plain words</parameter>\n</function>\n</tool_call>',
      [
        {
          name: 'find',
          input: {
            q: '12',
            n: 12,
            tags: ['x'],
            on: null,
            note: null,
            kind: '1',
            any: { b: [1] },
            other: 'plain words',
          },
        },
      ],
      '',
    ],
    [
      'its values of several lines',
      '<tool_call><function=find><parameter=q>\nif (a < b) {\n  return "</p>"\n}\n</parameter></function></tool_call>',
      [{ name: 'find', input: { q: 'if (a < b) {\n  return "</p>"\n}' } }],
      '',
    ],
    [
      'without its first tag',
      'So.\n<function=read.file-2>\n</function>\n</tool_call>',
      [{ name: 'read.file-2', input: {} }],
      'So.\n',
    ],
    [
      'after thoughts in the middle',
      'So. <think>I use <tool_call>{"name":"find","arguments":{"q":"b"}}</tool_call></think><tool_call>{"name":"find","arguments":{"q":"a"}}</tool_call>',
      [a],
      'So. <think>I use <tool_call>{"name":"find","arguments":{"q":"b"}}</tool_call></think>',
    ],
    [
      'after an example',
      'Like:\n```xml\n<tool_call>{"name":"find","arguments":{"q":"b"}}</tool_call>\n```\nNow:\n<tool_call>{"name":"find","arguments":{"q":"a"}}</tool_call>',
      [a],
      'Like:\n```xml\n<tool_call>{"name":"find","arguments":{"q":"b"}}</tool_call>\n```\nNow:\n',
    ],
    [
      'with backticks in a value',
      '<tool_call>{"name":"find","arguments":{"q":"`\\n```"}}</tool_call><tool_call>{"name":"find","arguments":{"q":"a"}}</tool_call>',
      [{ name: 'find', input: { q: '`\n```' } }, a],
      '',
    ],
    [
      'after a stray backtick on another line',
      'It\'s a ` here.\n<tool_call>{"name":"find","arguments":{"q":"a"}}</tool_call>',
      [a],
      "It's a ` here.\n",
    ],
  ])('in the form of %s, wherever the text is cut', (_, text, calls, rest) => {
    for (const pieces of cuts(text)) {
      const { deltas, ...found } = reply(pieces)
      expect(found).toEqual({ text: rest, shown: rest, calls, finish: 'calls' })
      expect(deltas.filter(({ type }) => type === 'call')).toHaveLength(calls.length)
    }
  })
})

const call = '<tool_call>{"name":"find","arguments":{"q":"a"}}</tool_call>'

describe('What is not a call stays text, and is shown', () => {
  it.each([
    ['a tool that does not exist', '<tool_call>{"name":"drop","arguments":{}}</tool_call>'],
    ['a name of every object', '<tool_call>{"name":"toString","arguments":{}}</tool_call>'],
    [
      'one of two that does not exist',
      '<tools>[{"name":"find","arguments":{}},{"name":"drop","arguments":{}}]</tools>',
    ],
    ['JSON that is cut', '<tool_call>{"name":"find","arguments":{"q":"a"'],
    ['JSON that is wrong', "<tool_call>{'name':'find'}</tool_call>"],
    ['arguments that are no object', '<tool_call>{"name":"find","arguments":[1]}</tool_call>'],
    ['a function without its end', '<tool_call><function=find><parameter=q>a</parameter>'],
    ['a parameter without its end', '<function=find><parameter=q>a</function>'],
    ['a fenced example', `Like this:\n\`\`\`\n${call}\n\`\`\`\nSee?`],
    ['a fenced example with a longer fence', `\`\`\`\`md\n\`\`\`\n${call}\n\`\`\`\n${call}\n\`\`\`\`\n`],
    ['a fenced example with tildes', `  ~~~xml\n${call}\n`],
    ['an example in a line', `Write \`${call}\` to look.`],
    ['thoughts', `Hm. <think>Maybe ${call}`],
    ['tags in prose', 'The tags <tools>, <tool_call> and [TOOL_CALLS] are of models; a < b, [1], x[0] `<tools>{`.'],
    ['markup', '<table><tr>1 < 2</tr></table>\n\n[LINK](x)\n'],
    ['backticks', '``a`` ```b``` \n```js\n``` \n`'],
    ['nothing but spaces', ' \n'],
  ])('%s', (_, text) => {
    for (const pieces of cuts(text)) {
      const { calls, text: kept, shown, finish } = reply(pieces)
      expect({ calls, kept, shown, finish }).toEqual({ calls: [], kept: text, shown: text, finish: 'stop' })
    }
  })

  it('calls in a reply that has true ones', () => {
    const more = { tool_calls: [{ index: 0, id: 'x', function: { name: 'find', arguments: '{}' } }] }
    expect(reply([call], { more })).toMatchObject({ text: call, shown: call, calls: [{ name: 'find', input: {} }] })
  })

  it.each(['length', 'content_filter'])('calls in a reply that ended with "%s"', (finish) => {
    expect(reply([call], { finish })).toMatchObject({ text: call, shown: call, calls: [] })
  })

  it('calls for a model without tools', () => {
    expect(reply([call], { known: [] })).toMatchObject({ text: call, shown: call, calls: [], finish: 'stop' })
  })

  it('calls among its thoughts', () => {
    const decoder = createChatDecoder(tools)
    for (const one of [chunk({ reasoning_content: call }), chunk({ content: 'So.' }, 'stop'), streamEnd])
      decoder.push(one)
    expect(decoder.reply()).toMatchObject({
      finish: 'stop',
      parts: [{ type: 'reasoning', text: call }, { type: 'text' }],
    })
  })
})

describe('Thoughts in tags at the beginning of the content', () => {
  it.each([
    ['are apart from what the model says', '\n<think>\nI <b>look</b>.\n</think>\n\nSo.', '\nI <b>look</b>.\n', 'So.'],
    ['may hold what looks like a call', `<think>${call}</think>So.`, call, 'So.'],
    ['may be empty', '<think>\n\n</think>\n\nSo.', '\n\n', 'So.'],
    ['may have no end', '<think>I look </th', 'I look </th', ''],
    ['are none in the middle', 'So <think>x</think>', '', 'So <think>x</think>'],
    ['are none in another tag', ' <thinking>x', '', ' <thinking>x'],
    ['are none when cut', ' <thi', '', ' <thi'],
  ])('%s', (_, text, thoughts, said) => {
    for (const pieces of cuts(text)) {
      const decoder = createChatDecoder(tools)
      const chunks = [...pieces.map((content) => chunk({ content })), chunk({}, 'stop'), streamEnd]
      const deltas = chunks.flatMap((one) => [...decoder.push(one)])
      const { parts } = decoder.reply()!
      const all = (list: readonly { type: string; text?: string }[], type: string) =>
        list.map((one) => (one.type === type ? (one.text ?? '') : '')).join('')
      expect([all(parts, 'reasoning'), all(parts, 'text')]).toEqual([thoughts, said])
      expect([all(deltas, 'reasoning'), all(deltas, 'text')]).toEqual([thoughts, said])
    }
  })
})

it('Text is shown as it comes: a piece that cannot begin a call is not held', () => {
  const { deltas } = reply(['The ', 'answer', ' is\n', '4 < ', '5, ', 'not <', 'b>.'])
  expect(deltas.map(({ text }) => text)).toEqual(['The ', 'answer', ' is', '\n4 < ', '5, ', 'not ', '<b>.'])
})

it('A text of a megabyte in small pieces comes to its end, whatever it looks like: nothing is read again for each piece', () => {
  const line = 'a < b and [c] or `d` <tools> ```\n'
  const texts = [line.repeat(32_000), 'x'.repeat(1_000_000), '<tool_call>{"a":'.repeat(60_000), '`'.repeat(300_000)]
  for (const text of texts) expect(reply(text.match(/[^]{1,40}/g)!).text).toBe(text)
})
