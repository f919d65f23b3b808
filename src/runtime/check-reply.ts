import { HandrailError } from '../errors.js'
import type { ModelReply, ReplyPart } from '../models/model.js'

/**
 * A reply as the contract has it. Models come from outside: from other people's code, or over the wire from the page.
 * @throws {HandrailError} `model_bad_reply`, saying which part was wrong.
 */
export function checkReply(reply: ModelReply): ModelReply {
  if (!isRecord(reply) || !Array.isArray(reply.parts)) throw bad('has no array "parts"')
  for (const [i, part] of reply.parts.entries()) checkPart(part, i)
  if (!finishes.has(reply.finish)) throw bad(`has the finish reason ${JSON.stringify(reply.finish)}`)
  const { usage } = reply
  if (usage !== undefined && !(isCount(usage.input) && isCount(usage.output)))
    throw bad('has a usage without the counts "input" and "output"')
  return reply
}

const finishes = new Set(['stop', 'calls', 'length', 'refusal', 'content-filter', 'resend', 'other'])

function checkPart(part: ReplyPart, i: number): void {
  const need = (ok: boolean, what: string) => {
    if (!ok) throw bad(`has a part ${i} ${what}`)
  }
  need(isRecord(part), 'that is not an object')
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return need(typeof part.text === 'string', 'without a string "text"')
    case 'call':
      need(typeof part.toolName === 'string', 'without a string "toolName"')
      need(part.wireId === undefined || typeof part.wireId === 'string', 'whose "wireId" is not a string')
      return need(typeof part.inputText === 'string', 'without a string "inputText"')
    case 'other':
      return need(part.native !== undefined, 'without "native"')
    default:
      return need(false, `of unknown type ${JSON.stringify((part as { type?: unknown }).type)}`)
  }
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value)
const bad = (what: string) => new HandrailError('model_bad_reply', `The model's reply ${what}`)
