/** What a value must hold: of an object the fields that are named, of a text what an expression finds, else the same. */
export type Expected =
  | string
  | number
  | boolean
  | null
  | RegExp
  | readonly Expected[]
  | { readonly [field: string]: Expected }

export function matches(expected: Expected, value: unknown): boolean {
  if (expected instanceof RegExp) return typeof value === 'string' && found(expected, value)
  if (typeof expected !== 'object' || expected === null) return Object.is(expected, value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(expected))
    return (
      Array.isArray(value) &&
      value.length === expected.length &&
      expected.every((item: Expected, i) => matches(item, value[i]))
    )
  return Object.entries(expected).every(
    ([name, item]) => Object.hasOwn(value, name) && matches(item, (value as Record<string, unknown>)[name]),
  )
}

/** One with the flag `g` would go on where it stopped. */
export const found = (pattern: RegExp, text: string): boolean => text.search(pattern) >= 0
