import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import { isTextTool, type ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelReply } from '../../src/models/model.js'
import { createOpenAIDecoder } from '../../src/models/openai/decode.js'

type One = <T>(...choices: readonly T[]) => T
interface Dice {
  readonly below: (n: number) => number
  readonly one: One
}

/** The same ones every time. */
export function dice(seed: number): Dice {
  let state = seed
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  return { below, one: (...choices) => choices[below(choices.length)]! }
}

const object = (properties: JsonObject) => ({ type: 'object', properties }) as const
export const tools: readonly ToolDefinition[] = [
  {
    name: 'find',
    description: 'Finds.',
    input: object({ a: { type: 'number' } }),
    output: object({ found: { type: 'string' } }),
    risk: 'read',
  },
  {
    name: 'query',
    description: 'Asks in words.',
    input: { type: 'string' },
    grammar: { syntax: 'regex', definition: '[a-z ]+' },
    risk: 'read',
  },
  { name: 'crm__list', namespace: 'Customers.', description: 'Lists.', input: object({}), risk: 'read' },
  { name: 'crm__delete', description: 'Deletes.', input: object({}), risk: 'irreversible' },
  { name: 'teller', description: 'Tells of tools.', input: object({}), risk: 'read', returnsTools: true },
  { name: 'late', description: 'Is told of.', input: object({}), risk: 'read', deferred: true },
  {
    name: 'crm__late',
    description: 'Is told of.',
    input: object({}),
    risk: 'read',
    deferred: true,
    callers: ['model'],
  },
  { name: 'programmed', description: 'Not for models.', input: object({}), risk: 'read', callers: ['program'] },
  { name: 'scripted', description: 'For scripts.', input: object({}), risk: 'read', callers: ['script'] },
]
const textTools = new Set(tools.filter(isTextTool).map(({ name }) => name))

/**
 * Transcripts of all kinds: models change; ids are blank, taken or odd; arguments do not parse; replies are cut, refused and
 * filtered; programs, hosted tools and approvals; files, notes, instructions.
 * @param self the model that is asked next
 */
export function anyOpenAIHistory(seed: number, self: Origin): Message[] {
  const { below, one } = dice(seed)
  const messages: Message[] = [{ role: 'user', text: 'Hi' }]
  const turns: Turns = { programs: [], ids: 0 }
  for (let step = 1; step <= 8; step++) {
    const origin = one(self, self, self, { provider: 'openai', model: 'gpt-5.3' }, claude)
    const turn = origin === claude ? claudeTurn(step, { below, one }) : openAITurn(step, origin, turns, { below, one })
    messages.push(turn, ...turn.calls.map((call) => resultOf(call, one)))
    if (below(4) === 0) messages.push({ role: 'news', callId: '1.0', done: true, text: 'It took effect.' })
    if (below(4) === 0) messages.push({ role: 'note', text: 'Go on.' })
    if (turn.calls.length === 0 || below(3) === 0) {
      messages.push({ role: 'user', text: one('And?', ' '), ...(below(3) === 0 && { files: someFiles(one) }) })
      if (below(3) === 0) messages.push({ role: 'instructions', text: 'Be brief.' })
    }
  }
  return messages
}

const claude: Origin = { provider: 'anthropic', model: 'claude-opus-5-5' }

const someFiles = (one: One): AttachedFile[] => [
  one<AttachedFile>(
    { mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    { mediaType: 'image/png', url: 'https://files.example/a.png' },
    { mediaType: 'application/pdf', name: 'a.pdf', data: 'JVBERi0=' },
    { mediaType: 'application/pdf', url: 'https://files.example/a.pdf' },
    { mediaType: 'text/csv', data: 'YSxi' },
    { mediaType: 'audio/mpeg', data: 'SUQz' },
  ),
]

const resultOf = (call: KeyedCall, one: One): Message => ({
  role: 'tool',
  trusted: true,
  call,
  outcome: one('ok', 'error', 'denied', 'ok'),
  text: one('done', '', '{"error":{"message":"no"}}', '{"found":"x"}'),
  ...one({}, {}, { files: someFiles(one) }),
  ...(call.toolName === 'teller' && { tools: one(['late'], ['crm__late', 'late'], ['nobody'], []) }),
})

interface Turns {
  /** Programs that wait for their calls. */
  programs: string[]
  ids: number
}

/** What the decoder makes of a response of some items. */
function openAITurn(step: number, origin: Origin, turns: Turns, { below, one }: Dice): Message & { role: 'assistant' } {
  const items = Array.from({ length: below(5) }).flatMap(() => someItems(turns, { below, one }))
  const id = `resp_${step}`
  const response: JsonObject = one<JsonObject>(
    { id, status: 'completed', store: true },
    { id, status: 'completed', store: true },
    { id, status: 'completed', store: false },
    { id, status: 'incomplete', store: true, incomplete_details: { reason: 'max_output_tokens' } },
    { id, status: 'incomplete', store: true, incomplete_details: { reason: 'content_filter' } },
  )
  const decoder = createOpenAIDecoder({ tools, stored: true })
  for (const [output_index, item] of items.entries())
    decoder.push({ type: 'response.output_item.done', output_index, item })
  decoder.push({ type: 'response.completed', response })
  return turnOf(decoder.reply()!, step, origin)
}

/** The message that a run makes of a reply. */
export function turnOf(
  { parts: given, serverState }: ModelReply,
  step: number,
  origin: Origin,
): Message & { role: 'assistant' } {
  const calls: KeyedCall[] = []
  const parts = given.map((part): Part => {
    if (part.type !== 'call') return part
    const callId = `${step}.${calls.length}`
    const { toolName, inputText, wireId, caller = 'model', executor, isText } = part
    const read = isText ? inputText : parsed(inputText)
    const unwrapped = textTools.has(toolName) ? ((read as JsonObject | undefined)?.input ?? read) : read
    calls.push({
      key: `1.${callId}`,
      callId,
      toolName,
      input: isText ? read : unwrapped,
      inputText,
      wireId,
      caller,
      ...(executor && { executor }),
    })
    return { type: 'call', callId, native: part.native }
  })
  return { role: 'assistant', parts, calls, origin, ...(serverState !== undefined && { serverState }) }
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function someItems(turns: Turns, { below, one }: Dice): JsonObject[] {
  const n = ++turns.ids
  const id = `${n}`
  const wireId = one(`call_${n}`, `call_${n}`, `call_${n}`, '', 'same', 'odd id:1')
  const thought: JsonObject[] =
    below(2) === 0 ? [{ type: 'reasoning', id: `rs_${n}`, summary: [], encrypted_content: one('x', 'x', null) }] : []
  const text = one('Well.', '', ' \n')
  const program = turns.programs.at(-1)
  const caller: JsonObject =
    program === undefined ? {} : one<JsonObject>({}, { caller: { type: 'program', caller_id: program } })
  const called: JsonObject = { call_id: wireId, status: one('completed', 'completed', 'incomplete'), ...caller }
  const kind = below(14)
  switch (kind) {
    case 0:
    case 1:
      return [
        ...thought,
        {
          type: 'message',
          id: `msg_${n}`,
          role: 'assistant',
          phase: 'commentary',
          content: [{ type: 'output_text', text }],
        },
      ]
    case 2:
      return [{ type: 'message', id: `msg_${n}`, role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }]
    case 3:
    case 4:
    case 5: {
      const name = one<JsonObject>(
        { name: 'find' },
        { name: 'list', namespace: 'crm' },
        { name: 'late', namespace: 'late' },
        { name: 'functions.find' },
        { name: 'teller' },
      )
      return [
        ...thought,
        { type: 'function_call', id: `fc_${n}`, ...name, arguments: one('{"a":1}', '{"a', ''), ...called },
      ]
    }
    case 6:
      return [...thought, { type: 'custom_tool_call', id: `ctc_${n}`, name: 'query', input: one('who', ''), ...called }]
    case 7: {
      const uses = ['find', 'crm.list'].map((name) => ({ recipient_name: `functions.${name}`, parameters: { a: n } }))
      const text = JSON.stringify({ tool_uses: uses })
      return [...thought, { type: 'function_call', id: `fc_${n}`, name: 'parallel', arguments: text, ...called }]
    }
    case 8: {
      turns.programs.push(`prog_${n}`)
      return [...thought, { type: 'program', id: `p_${n}`, call_id: `prog_${n}`, code: 'x()', fingerprint: 'f' }]
    }
    case 9: {
      turns.programs.pop()
      const output = { type: 'program_output', id: `po_${n}`, result: '1', status: 'completed' }
      return program === undefined ? [] : [{ ...output, call_id: program }]
    }
    case 10:
      return [
        ...thought,
        { type: 'mcp_list_tools', id: `mcpl_${n}`, server_label: 'zip', tools: [] },
        { type: 'mcp_approval_request', id: `mcpr_${n}`, server_label: 'zip', name: 'short', arguments: '{"a":1}' },
      ]
    case 11:
      return [...thought, { type: 'web_search_call', id: `ws_${n}`, status: 'completed' }]
    case 12:
      return [
        { type: 'tool_search_call', call_id: null, execution: 'server', arguments: { paths: [] } },
        { type: 'tool_search_output', call_id: null, execution: 'server', tools: [] },
      ]
    default:
      return [...thought, { type: 'x_tomorrow', id, x: 1 }]
  }
}

function claudeTurn(step: number, { below, one }: Dice): Message & { role: 'assistant' } {
  const calls: KeyedCall[] = []
  const parts = Array.from({ length: below(4) }, (): Part => {
    switch (below(4)) {
      case 0:
        return { type: 'text', text: one('Well.', ' '), native: { type: 'text', text: 'Well.' } }
      case 1:
        return { type: 'reasoning', text: 'Hm', native: { type: 'thinking', thinking: 'Hm', signature: 's' } }
      case 2:
        return { type: 'other', native: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } }
      default: {
        const callId = `${step}.${calls.length}`
        const toolName = one('find', 'query', 'crm__list', 'a.b/c')
        const input = one<Json | undefined>({ a: 1 }, undefined, toolName === 'query' ? 'who' : { a: 2 })
        const inputText = input === undefined ? '{"a' : JSON.stringify(typeof input === 'string' ? { input } : input)
        const wireId = one('toolu_1', `toolu_${step}`, 'srv tool:1')
        calls.push({ key: `1.${callId}`, callId, toolName, input, inputText, wireId, caller: 'model' })
        return { type: 'call', callId, native: { type: 'tool_use', id: wireId, name: toolName, input: input ?? {} } }
      }
    }
  })
  return { role: 'assistant', parts, calls, origin: claude }
}
