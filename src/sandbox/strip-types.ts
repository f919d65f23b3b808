import { transform } from 'sucrase'
import type { StripTypes } from './typescript.js'

const fileName = 'script.ts'

/** Load this file lazily: sucrase is large, and few scripts need it. */
export const stripTypes: StripTypes = (source) => {
  const { code, sourceMap } = transform(source, {
    transforms: ['typescript'],
    disableESTransforms: true,
    keepUnusedImports: true,
    filePath: fileName,
    sourceMapOptions: { compiledFilename: fileName },
  })
  return { code, columnOf: columnsOf(sourceMap!.mappings) }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Where tokens of a line stand, and where they stood: the lines are the same. */
function columnsOf(mappings: string): (line: number, column: number) => number {
  const lines = mappings.split(';')
  return (line, column) => {
    let [at, was] = [0, 0]
    for (const [now, before] of segmentsOf(lines, line)) {
      if (now > column - 1) break
      ;[at, was] = [now, before]
    }
    return column - at + was
  }
}

/** Source columns are counted on from line to line, those of the result begin anew. */
function segmentsOf(lines: readonly string[], line: number): (readonly [now: number, was: number])[] {
  let was = 0
  let segments: (readonly [number, number])[] = []
  for (const text of lines.slice(0, line)) {
    let now = 0
    segments = (text === '' ? [] : text.split(',')).map((segment) => {
      const [column = 0, , , before = 0] = numbersOf(segment)
      now += column
      was += before
      return [now, was]
    })
  }
  return segments
}

/** Base 64 digits of five bits and a sixth that says whether the number goes on; the lowest bit is the sign. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = []
  let [value, factor] = [0, 1]
  for (const char of segment) {
    const digit = digits.indexOf(char)
    value += (digit & 31) * factor
    factor *= 32
    if (digit & 32) continue
    numbers.push(value % 2 ? -(value - 1) / 2 : value / 2)
    ;[value, factor] = [0, 1]
  }
  return numbers
}
