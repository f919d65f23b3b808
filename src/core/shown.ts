import type { Json } from './json.js'

/** Characters of one tool result that the model is shown. */
export const shownCharacters = 16_000
/** Characters of what a script prints that it is shown. */
export const shownPrints = 8_000

/** @param rest how to get at what is cut */
export function shown(output: Json, rest?: string): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return cut(text, shownCharacters, rest)
}

/** The beginning of a text that is too long, with a note of what is missing. */
export function cut(text: string, most: number, rest?: string): string {
  if (text.length <= most) return wellFormed(text)
  const start = wellFormed(text.slice(0, most).replace(/[\ud800-\udbff]$/, ''))
  return `${start}\n[cut: ${start.length} of ${text.length} characters are shown${rest ? `; ${rest}` : ''}]`
}

/** Half of a surrogate pair, as of a text cut in an emoji, is no text: providers refuse a history with it for ever. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
