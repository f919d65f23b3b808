import { fileNote, type AttachedFile } from '../../core/attached-file.js'
import { resultText } from '../../core/framed.js'
import type { JsonObject } from '../../core/json.js'
import type { KeyedCall, Message } from '../../core/transcript.js'
import { argumentsOf, isOwn, legalName, nativeOf, partsOf, wireIds, type PartOf } from '../history.js'
import type { ModelConfig } from '../model.js'
import { inner, textAt } from '../wire.js'
import { toFileBlock } from './files.js'
import { deadCalls, openCalls, serverCallIn, serverResultIn } from './server-calls.js'
import type { Way } from './way.js'

export interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: JsonObject[]
}

export interface Turns {
  readonly turns: readonly Turn[]
  /** Something that was said waits for the provider's call to end, which is not over yet. */
  readonly isWaiting: boolean
}

/** What stands between two messages of the model. */
interface Gap {
  results: JsonObject[]
  words: JsonObject[]
  late: JsonObject[]
}

/**
 * The messages as turns whose roles alternate, results first. While a call of the provider is open, results are all that may
 * be said: the rest waits, and comes after the next message of the model.
 */
export function toTurns(
  messages: readonly Message[],
  config: ModelConfig,
  way: Way,
  deferred: ReadonlySet<string>,
): Turns {
  const ids = wireIds(messages, config)
  const place: Place = { config, ids, dead: deadCalls(messages, config), deferred, toolsets: new Map(), way }
  const turns: Turn[] = []
  const gap: Gap = { results: [], words: [], late: [] }
  let isOpen = false
  for (const message of messages) {
    if (message.role === 'assistant') {
      const blocks = assistantBlocks(message, place)
      if (blocks.length === 0) continue
      closeGap(turns, gap, isOpen, way)
      if (isEnded(turns.at(-1))) turns.push(goOn())
      add(turns, 'assistant', blocks)
      isOpen = openCalls(blocks).size > 0
    } else if (message.role === 'tool') addResult(gap, message, isOpen, place)
    else if (message.role === 'instructions' && way.can.lateInstructions) gap.late.push(textBlock(message.text))
    else gap.words.push(...wordBlocks(message, config, way))
  }
  closeGap(turns, gap, isOpen, way)
  if (isEnded(turns.at(-1))) turns.push(goOn())
  return { turns, isWaiting: gap.words.length + gap.late.length > 0 }
}

const goOn = (): Turn => ({ role: 'user', content: [{ type: 'text', text: 'Go on.' }] })

/** Whether a turn of the model may not be the last, nor go on: only one that paused may. */
function isEnded(turn: Turn | undefined): boolean {
  if (turn?.role !== 'assistant') return false
  const last = turn.content.at(-1)!
  const isServers = serverCallIn(last) !== undefined || serverResultIn(last) !== undefined
  return !isServers && last.type !== 'compaction' && openCalls(turn.content).size === 0
}

function closeGap(turns: Turn[], gap: Gap, isOpen: boolean, way: Way): void {
  if (isOpen) {
    if (gap.results.length > 0) add(turns, 'user', gap.results)
    gap.results = []
    return
  }
  const said = [...gap.results, ...gap.words]
  if (said.length > 0) add(turns, 'user', said)
  // Not the first, and not after what the model said, but for a result of the provider's.
  const last = turns.at(-1)
  const isLegal = last?.role === 'user' || (last && serverResultIn(last.content.at(-1)!) !== undefined)
  if (gap.late.length > 0) add(turns, isLegal && way.can.lateInstructions ? 'system' : 'user', gap.late)
  Object.assign(gap, { results: [], words: [], late: [] } satisfies Gap)
}

function add(turns: Turn[], role: Turn['role'], content: readonly JsonObject[]): void {
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...content)
  else turns.push({ role, content: [...content] })
}

/** Blank text is a 400. */
const textBlock = (text: string): JsonObject => ({ type: 'text', text: text.trim() === '' ? '(no text)' : text })

function wordBlocks(
  message: Exclude<Message, { role: 'assistant' | 'tool' }>,
  { programs, hostedTools = [] }: ModelConfig,
  { can }: Way,
): JsonObject[] {
  const runs = (programs && can.programs) || hostedTools.some(({ tool }) => textAt(tool, 'name') === 'code_execution')
  const files = message.role === 'user' ? (message.files ?? []) : []
  const isSilent = files.length > 0 && message.text.trim() === ''
  return [...(isSilent ? [] : [textBlock(message.text)]), ...files.map((file) => toFileBlock(file, can, runs))]
}

function addResult(
  gap: Gap,
  result: Message & { role: 'tool' },
  isOpen: boolean,
  { ids, deferred, toolsets, way }: Place,
): void {
  const { call, outcome, files = [], tools = [] } = result
  // A program is given text only.
  const block = (file: AttachedFile) => (isOpen ? textBlock(fileNote(file)) : toFileBlock(file, way.can))
  const found = isOpen ? [] : tools.filter((name) => deferred.has(name))
  const isOnlyFound = found.length > 0 && result.text === JSON.stringify({ tools })
  // What a program reads as JSON stands in no frame: the model reads what the program makes of it.
  const text = isOpen && call.caller === 'program' ? result.text : resultText(result)
  const said = text.trim() === '' || isOnlyFound ? [] : [textBlock(text)]
  // Beside a text they are not known to be taken.
  const isApart = way.can.lateInstructions && !isOnlyFound
  const references = isApart ? [] : found.map((name) => ({ type: 'tool_reference', tool_name: name }))
  if (isApart)
    gap.late.push(...found.map((name) => ({ type: 'tool_addition', tool: { type: 'tool_reference', name } })))
  const more = [...files.map(block), ...references]
  const toolset = toolsets.get(call.key)
  gap.results.push({
    type: 'tool_result',
    tool_use_id: ids.get(call.key)!,
    is_error: outcome !== 'ok',
    ...(toolset && { toolset_name: toolset }),
    ...(more.length > 0 ? { content: [...said, ...more] } : said.length > 0 && { content: text }),
  })
}

interface Place {
  readonly config: ModelConfig
  readonly ids: ReadonlyMap<string, string>
  readonly dead: ReadonlySet<string>
  readonly deferred: ReadonlySet<string>
  /** Names of the provider's sets of tools, by the key of a call: its result has to repeat it. */
  readonly toolsets: Map<string, string>
  readonly way: Way
}

function assistantBlocks(message: Message & { role: 'assistant' }, place: Place): JsonObject[] {
  const own = isOwn(message.origin, place.config)
  const refusedHere = message.origin.provider === place.config.provider
  const gone = new Set<string | JsonObject>()
  const blocks = partsOf(message)
    .filter(({ part }) => !(part.type === 'refusal' && refusedHere))
    .flatMap(({ part, call }) => {
      const block = toBlock(part, call, own, place)
      if (!block) return []
      const called = serverCallIn(block) ?? ''
      const caller = textAt(inner(block, 'caller'), 'tool_id')
      const isDead = place.dead.has(called) || place.dead.has(caller) || gone.has(serverResultIn(block) ?? block)
      if (isDead) gone.add(called || block)
      // Thinking is bound to all that stands before it.
      if (isThinking(block)) return gone.size > 0 || !place.way.thinking ? [] : [block]
      return isDead ? alive(block) : [block]
    })
  // A turn may not end in thinking: the call that it led to was cut.
  while (blocks.length > 0 && isThinking(blocks.at(-1)!)) blocks.pop()
  return blocks
}

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking'

/** Of what belongs to a dead call, only calls of our tools are left, as the model's own. */
function alive(block: JsonObject): JsonObject[] {
  if (block.type !== 'tool_use') return []
  const { caller: _, ...call } = block
  return [call]
}

function toBlock(
  part: PartOf,
  call: KeyedCall | undefined,
  own: boolean,
  { ids, toolsets }: Place,
): JsonObject | undefined {
  const native = own ? nativeOf(part) : undefined
  if (call) {
    const id = ids.get(call.key)!
    toolsets.set(call.key, textAt(native, 'toolset_name'))
    if (native) return native.id === id ? native : { ...native, id }
    return { type: 'tool_use', id, name: legalName(call.toolName), input: argumentsOf(call) }
  }
  const isText = part.type === 'text' || part.type === 'refusal'
  if (isText && part.text.trim() === '') return undefined
  if (native) return native
  return isText ? { type: 'text', text: part.text } : undefined
}
