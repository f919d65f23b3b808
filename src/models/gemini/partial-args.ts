import type { Json, JsonObject } from '../../core/json.js'
import { badReply, textAt } from '../wire.js'

type Holder = Record<string, Json> | Json[]

/**
 * Puts one piece of streamed arguments where its path says, `$.orders[0].id`. Pieces of one text follow each other.
 * @throws {HandrailError} `model_bad_reply` when the path leads nowhere.
 */
export function putArgument(args: Record<string, Json>, piece: JsonObject): void {
  const path = textAt(piece, 'jsonPath')
  const steps = stepsOf(path)
  let holder: Holder = args
  for (const [i, step] of steps.slice(0, -1).entries()) {
    const inside: Json | undefined = read(holder, step)
    const next = (inside ?? (typeof steps[i + 1] === 'number' ? [] : {})) as Holder
    if (typeof next !== 'object' || next === null) throw lost(path)
    if (inside === undefined) write(holder, step, next, path)
    holder = next
  }
  const last = steps.at(-1)!
  const before = read(holder, last)
  write(holder, last, valueOf(piece, typeof before === 'string' ? before : '', path), path)
}

function valueOf(piece: JsonObject, before: string, path: string): Json {
  if (typeof piece.stringValue === 'string') return before + piece.stringValue
  if (typeof piece.boolValue === 'boolean') return piece.boolValue
  if (piece.nullValue !== undefined) return null
  if (typeof piece.numberValue === 'number') return piece.numberValue
  throw badReply(`the argument at "${path}" has no value`)
}

function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  const step = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y
  let at = path.startsWith('$') ? 1 : path.length + 1
  while (at < path.length) {
    step.lastIndex = at
    const found = step.exec(path)
    if (!found) throw lost(path)
    const [, name, index, single, double] = found
    steps.push(index === undefined ? (name ?? (single ?? double ?? '').replaceAll(/\\(.)/g, '$1')) : Number(index))
    at = step.lastIndex
  }
  if (steps.length === 0 || typeof steps[0] === 'number') throw lost(path)
  return steps
}

const read = (holder: Holder, step: string | number): Json | undefined =>
  Object.hasOwn(holder, step) ? (holder as Record<string | number, Json>)[step] : undefined

function write(holder: Holder, step: string | number, value: Json, path: string): void {
  const fits = Array.isArray(holder) ? typeof step === 'number' && step <= holder.length : typeof step === 'string'
  if (!fits) throw lost(path)
  // A name may be one that an object has already, as "__proto__".
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true })
}

const lost = (path: string) => badReply(`an argument's path "${path}" leads nowhere`)
