import { HandrailError, type Json, type JsonObject, type ModelDelta, type ReplyPart } from '../../index.js'

/** `{"answer":` or `{"tool":"NAME","input":`, which the constraint puts in this order. */
const opening = /^\s*\{\s*(?:"answer"|"tool"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"input")\s*:\s*/
/** The characters of a string, as far as they have come whole. */
const characters = /^"([^"\\\p{Cc}]*(?:\\(?:["\\/bfnrt]|u[\da-f]{4})[^"\\\p{Cc}]*)*)/iu

/** Whether the value is a text itself, and not JSON: of this tool, or of the answer. */
type IsText = (toolName: string | undefined) => boolean
type WrittenPart = Extract<ReplyPart, { type: 'call' }> | (ReplyPart & { readonly type: 'text' })

/** What can be shown of a reply that has come so far: a beginning of what can be shown of all of it. */
export function toDelta(written: string, isText: IsText): ModelDelta | undefined {
  const [head = '', name] = opening.exec(written) ?? []
  if (head === '') return undefined
  const value = written.slice(head.length)
  const toolName = name === undefined ? undefined : (JSON.parse(name) as string)
  const text = isText(toolName) ? decoded(value) : raw(value)
  return toolName === undefined ? { type: 'text', index: 0, text } : { type: 'call', index: 0, toolName, text }
}

/** The half of a character that comes in two escapes is held back. */
const decoded = (value: string): string =>
  (JSON.parse(`"${characters.exec(value)?.[1] ?? ''}"`) as string).replace(/[\ud800-\udbff]$/, '')

/** The last brace is not the value's, and more of them may follow. */
const raw = (value: string): string => value.replace(/[\s}]+$/, '')

export function wholeDelta(part: WrittenPart): ModelDelta {
  if (part.type === 'text') return { type: 'text', index: 0, text: part.text }
  return { type: 'call', index: 0, toolName: part.toolName, text: part.inputText }
}

/**
 * The one part of a whole reply.
 * @throws {HandrailError} `model_bad_reply`, worth another try, when it is none.
 */
export function toPart(written: string, isText: IsText): WrittenPart {
  const { answer, tool, input = {} } = parse(written)
  const valueText = (value: Json) => {
    const [head] = opening.exec(written) ?? []
    return head === undefined ? JSON.stringify(value) : written.slice(head.length, written.lastIndexOf('}')).trim()
  }
  if (typeof tool === 'string') {
    const call = { type: 'call', toolName: tool, native: written } as const
    if (isText(tool) && typeof input === 'string') return { ...call, inputText: input, isText: true }
    return { ...call, inputText: valueText(input) }
  }
  if (answer === undefined) throw notAReply(written)
  const text = isText(undefined) && typeof answer === 'string' ? answer : valueText(answer)
  return { type: 'text', text, native: written }
}

function parse(written: string): JsonObject {
  try {
    const value: unknown = JSON.parse(written)
    if (typeof value === 'object' && value !== null) return value as JsonObject
  } catch {
    // Told below, with what was written.
  }
  throw notAReply(written)
}

const notAReply = (written: string): HandrailError =>
  new HandrailError(
    'model_bad_reply',
    `The browser's model wrote ${JSON.stringify(written.slice(0, 200))}, expected {"answer"} or {"tool", "input"}`,
    { retryable: true },
  )
