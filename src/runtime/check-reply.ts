import { isDeeperThan, toJson, type Json } from '../core/json.js'
import type { Usage } from '../core/usage.js'
import type { Remark } from '../core/events.js'
import { HandrailError } from '../errors.js'
import type { ModelDelta, ModelReply, ReplyPart } from '../models/model.js'

/**
 * A reply as the contract has it, with nothing in it that a log cannot hold. Models come from outside: from other people's
 * code, or over the wire from the page.
 * @throws {HandrailError} `model_bad_reply`, saying which part was wrong.
 */
export function checkReply(reply: ModelReply): ModelReply {
  if (!isRecord(reply) || !Array.isArray(reply.parts)) throw bad('has no array "parts"')
  const { finish, usage, serverState, remarks } = reply
  const parts = reply.parts.map(checkPart)
  if (!finishes.has(finish)) throw bad(`has the finish reason ${shown(finish)}`)
  return {
    parts,
    finish,
    ...(usage === undefined ? {} : { usage: checkUsage(usage) }),
    ...(serverState === undefined ? {} : { serverState: shallow(serverState, 'a "serverState" that') }),
    ...(remarks === undefined ? {} : { remarks: checkRemarks(remarks) }),
  }
}

const finishes = new Set(['stop', 'calls', 'length', 'context', 'refusal', 'content-filter', 'resend', 'other'])

function checkPart(part: ReplyPart, i: number): ReplyPart {
  const need = (ok: boolean, what: string) => {
    if (!ok) throw bad(`has a part ${i} ${what}`)
  }
  need(isRecord(part), 'that is not an object')
  const native = part.native === undefined ? {} : nativeOf(part.native, i)
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal': {
      const { type, text } = part
      need(typeof text === 'string', 'without a string "text"')
      return { type, text, ...native }
    }
    case 'call': {
      const { type, toolName, inputText, wireId, isText, caller, executor } = part
      need(typeof toolName === 'string', 'without a string "toolName"')
      need(wireId === undefined || typeof wireId === 'string', 'whose "wireId" is not a string')
      need(typeof inputText === 'string', 'without a string "inputText"')
      need(caller === undefined || caller === 'program', 'whose "caller" is not "program"')
      need(executor === undefined || executor === 'provider', 'whose "executor" is not "provider"')
      const more = { ...(isText === true && { isText }), ...(caller && { caller }), ...(executor && { executor }) }
      return { type, toolName, inputText, wireId, ...more, ...native }
    }
    case 'other':
      if (native.native === undefined) throw bad(`has a part ${i} without "native", or one that is nested too deep`)
      return { type: 'other', native: native.native }
    default:
      throw bad(`has a part ${i} of unknown type ${shown((part as { type?: unknown }).type)}`)
  }
}

/** Levels of a provider's own object. One that is nested deeper cannot be stored by every engine, and is made again. */
const deepest = 256

function nativeOf(native: Json, i: number): { readonly native?: Json } {
  const json = shallow(native, `a part ${i} whose "native"`)
  return json === undefined ? {} : { native: json }
}

/** Undefined where it is nested too deep. */
function shallow(value: Json, what: string): Json | undefined {
  try {
    const json = toJson(value)
    return isDeeperThan(json, deepest) ? undefined : json
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw bad(`has ${what} is not JSON`)
  }
}

/** Nothing depends on one, so a wrong one is left out. */
function checkRemarks(remarks: readonly Remark[]): Remark[] {
  if (!Array.isArray(remarks)) throw bad('has "remarks" that are no array')
  return remarks.flatMap((remark: Remark) => {
    if (!isRecord(remark) || typeof remark.code !== 'string') return []
    const detail = remark.detail === undefined ? undefined : shallow(remark.detail, 'a remark whose "detail"')
    return [{ code: remark.code, ...(detail === undefined ? {} : { detail }) }]
  })
}

function checkUsage(usage: Usage): Usage {
  const { input, output, estimated } = usage
  if (!isCount(input) || !isCount(output)) throw bad('has a usage without the counts "input" and "output"')
  const more = (['cacheRead', 'cacheWrite', 'reasoning'] as const).filter((name) => isCount(usage[name]))
  const counts = Object.fromEntries(more.map((name) => [name, usage[name]]))
  return { input, output, ...counts, ...(estimated === true ? { estimated } : {}) }
}

/** The delta, without what is not its own; undefined when it is none. Nothing depends on one, so a wrong one is left out. */
export function checkDelta(delta: ModelDelta): ModelDelta | undefined {
  if (!isRecord(delta) || typeof delta.text !== 'string') return undefined
  const { type, index, text } = delta
  if (!Number.isSafeInteger(index) || index < 0) return undefined
  if (type === 'text' || type === 'reasoning') return { type, index, text }
  if (type !== 'call' || typeof delta.toolName !== 'string') return undefined
  return { type, index, toolName: delta.toolName, text }
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && Number.isFinite(value)
const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : `of type ${typeof value}`
const bad = (what: string) => new HandrailError('model_bad_reply', `The model's reply ${what}`)
