import type { Json, JsonObject } from '../../core/json.js'
import { inner, textAt } from '../wire.js'
import { readOn, startOfJson, type JsonEnd } from './json-end.js'

/** A call as far as it has come. */
export interface ChatCall {
  id: string
  name: string
  text: string
  readonly index?: number
  /** What else the server said of it. */
  native: JsonObject
  /** The text is the input itself, and no JSON. */
  isText: boolean
  /** How far the arguments are complete. */
  end: JsonEnd
}

interface Fragment {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly isText: boolean
  readonly index?: number
  readonly native: JsonObject
}

/**
 * Adds a fragment to the call that it belongs to. Servers leave out indexes and ids, repeat them, give one id to two calls or
 * a new one to each fragment, number parallel calls alike, and send the whole of a call again at its end.
 * @returns the call, and the argument text that is new in it
 */
export function addFragment(calls: ChatCall[], given: JsonObject): { readonly call: ChatCall; readonly text: string } {
  const fragment = toFragment(given)
  const candidate = candidateOf(calls, fragment)
  if (!candidate || !continues(candidate, fragment)) {
    const call = { ...fragment, text: '', end: startOfJson() }
    calls.push(call)
    return { call, text: extend(call, fragment.text) }
  }
  candidate.id ||= fragment.id
  candidate.name ||= fragment.name
  candidate.isText ||= fragment.isText
  candidate.native = { ...candidate.native, ...fragment.native }
  return { call: candidate, text: extend(candidate, fragment.text) }
}

function toFragment(given: JsonObject): Fragment {
  const { index, function: _, custom: __, id: ___, ...rest } = given
  // Some servers write out the fields of both kinds.
  const ofText = given.type === 'custom' || !inner(given, 'function') ? inner(given, 'custom') : undefined
  const called = ofText ?? inner(given, 'function')
  const text = ofText ? ofText.input : called?.arguments
  return {
    id: textAt(given, 'id'),
    name: textAt(called, 'name'),
    text: typeof text === 'string' ? text : text === undefined || text === null ? '' : JSON.stringify(text),
    isText: ofText !== undefined,
    index: typeof index === 'number' ? index : undefined,
    native: Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
  }
}

function candidateOf(calls: readonly ChatCall[], { id, name, index }: Fragment): ChatCall | undefined {
  const same = id ? calls.findLast((call) => call.id === id) : undefined
  if (same && (index === undefined || same.index === undefined || same.index === index)) return same
  if (index !== undefined) return calls.findLast((call) => call.index === index)
  const last = calls.at(-1)
  return name && last?.name ? undefined : last
}

function continues(call: ChatCall, { id, name, text }: Fragment): boolean {
  if (!name || !call.name) return true
  if (name !== call.name) return false
  const isOther = id !== '' && call.id !== '' && id !== call.id
  // With another id only what can be the rest of unfinished arguments is no new call.
  if (isOther && (text === '' || call.end.isWhole)) return false
  return text.trim() === '' || !call.end.isWhole || repeats(call, text) || isPlaceholder(call)
}

function extend(call: ChatCall, text: string): string {
  if (call.isText) {
    call.text += text
    return text
  }
  if (text === '' || repeats(call, text)) return ''
  if (isPlaceholder(call) && text.trim() !== '') Object.assign(call, { text: '', end: startOfJson() })
  readOn(call.end, text)
  call.text += text
  return text
}

/** Some servers begin with empty arguments and send the true ones after them. */
const isPlaceholder = ({ end, text }: ChatCall): boolean => end.isWhole && text.trim() === '{}'

const repeats = ({ end, text: before }: ChatCall, text: string): boolean =>
  end.isWhole && (text === before || parsed(text) === before)

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
