import type { Json } from '../core/json.js'
import { HandrailError } from '../errors.js'

/**
 * What JSON makes of a value: undefined is left out of objects and is null elsewhere, Date becomes its text. A function or a
 * symbol, which `toJson` leaves out, is refused: it is never what an author meant to return.
 * @throws {HandrailError} `code`, naming the path of what does not fit.
 */
export function asJson(value: unknown, code: string, what: string): Json {
  const path: { readonly key: string; readonly item: unknown }[] = []
  const refuse = (found: string): never => {
    const keys = path.slice(1).map(({ key }) => key)
    const place = keys.length > 0 ? ` at /${keys.join('/').slice(0, 300)}` : ''
    throw new HandrailError(code, `Cannot use ${what}: it must be JSON, and there is ${found}${place}`)
  }
  function follow(this: unknown, key: string, item: unknown): unknown {
    while (path.length > 0 && path.at(-1)!.item !== this) path.pop()
    path.push({ key, item })
    if (typeof item === 'function' || typeof item === 'symbol' || typeof item === 'bigint') refuse(`a ${typeof item}`)
    return item
  }
  try {
    const text = JSON.stringify(value, follow)
    return text === undefined ? null : (JSON.parse(text) as Json)
  } catch (error) {
    if (HandrailError.is(error)) throw error
    if (path.some(({ item }, i) => i < path.length - 1 && item === path.at(-1)?.item)) return refuse('a cycle')
    return refuse(`what cannot be read (${error instanceof Error ? error.message : String(error)})`)
  }
}
