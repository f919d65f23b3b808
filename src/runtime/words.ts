import type { Leaf } from '../core/leaves.js'

/** What somebody said, in which values are looked for. */
export interface Words {
  add(text: string): void
  /** A text by whole words, in any case; a number by its value, however it is written. */
  has(value: Leaf): boolean
}

export function createWords(...texts: readonly string[]): Words {
  const said: string[] = []
  const numbers = new Set<number>()
  const words: Words = {
    add(text) {
      const folded = fold(text)
      if (folded === '' || said.includes(folded)) return
      said.push(folded)
      for (const number of numbersIn(folded)) numbers.add(number)
    },
    has(value) {
      if (typeof value === 'number') return numbers.has(value)
      const wanted = fold(value)
      return wanted !== '' && said.some((text) => holds(text, wanted))
    },
  }
  for (const text of texts) words.add(text)
  return words
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase().trim()

function holds(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1;) {
    const isStart = isEdge(text, at, 'start')
    if (isStart && isEdge(text, at + wanted.length, 'end')) return true
    at = text.indexOf(wanted, isStart ? at + 1 : endOfWord(text, at))
  }
  return false
}

/** Nothing begins before it: so a long word is walked over once. */
function endOfWord(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && isLetter(characterAt(text, at))) at += characterAt(text, at)!.length
  return at
}

/**
 * Whether no word goes on over this edge of a value: "1" is not in "314", nor "314" in "O-314-B", nor "1" in "1,5". A value
 * that itself begins or ends with what is no letter has nothing there to go on.
 */
function isEdge(text: string, at: number, edge: 'start' | 'end'): boolean {
  const [before, after] = [characterBefore(text, at), characterAt(text, at)]
  const [inside, outside] = edge === 'start' ? [after, before] : [before, after]
  if (!isLetter(inside) || outside === undefined) return true
  if (isLetter(outside)) return false
  const beyond = edge === 'start' ? characterBefore(text, at - outside.length) : characterAt(text, at + outside.length)
  if (/[-.@\u2010\u2011]/.test(outside)) return !isLetter(beyond)
  return !(/[,:'’]/.test(outside) && isDigit(inside) && isDigit(beyond))
}

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character)
const isDigit = (character: string | undefined): boolean => character !== undefined && /\p{Nd}/u.test(character)

const characterAt = (text: string, at: number): string | undefined => {
  const point = text.codePointAt(at)
  return point === undefined ? undefined : String.fromCodePoint(point)
}

function characterBefore(text: string, at: number): string | undefined {
  if (at <= 0) return undefined
  const isPair = at > 1 && /[\udc00-\udfff]/.test(text[at - 1]!) && /[\ud800-\udbff]/.test(text[at - 2]!)
  return isPair ? text.slice(at - 2, at) : text[at - 1]
}

/** Digits that begin no word's end, with what stands between them in numbers. */
const numberPattern = /(?<![\p{L}\p{N}_]|\p{L}[-.@])([-+\u2212]?)(\d+(?:[.,'’\u00a0\u202f ]\d+)*)/gu

function* numbersIn(text: string): Generator<number> {
  for (const [, sign = '', digits = ''] of text.matchAll(numberPattern))
    for (const value of readingsOf(digits)) {
      yield value
      if (sign === '-' || sign === '\u2212') yield -value
    }
}

/** "1,500" is fifteen hundred here and one and a half there: both are taken. */
function readingsOf(digits: string): readonly number[] {
  const parts = digits.split(' ')
  const spaced = parts.length > 1 ? parts.flatMap(readingsOf) : []
  const bare = digits.replaceAll(/['’\u00a0\u202f ]/g, '')
  const isGrouped = bare === digits || /^\d{1,3}(['’\u00a0\u202f ]\d{3})+([.,]\d+)?$/.test(digits)
  if (!isGrouped) return spaced
  const readings = [
    /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare) && bare.replaceAll(',', ''),
    /^\d{1,3}(\.\d{3})+(,\d+)?$/.test(bare) && bare.replaceAll('.', '').replace(',', '.'),
    /^\d+(\.\d+)?$/.test(bare) && bare,
    /^\d+,\d+$/.test(bare) && bare.replace(',', '.'),
  ]
  const values = readings.flatMap((reading) => (reading === false ? [] : [Number(reading)]))
  // A list of numbers, such as "3,4,5", is no number.
  return [...spaced, ...(values.length > 0 ? values : bare.split(/[.,]/).map(Number))]
}
