import type { Reading } from './readings.js'

/** The name that the script has in stacks. */
export const fileName = 'script.js'

/** A text to compile, and where in it the model's lines are. */
export interface Program {
  readonly text: string
  /** Characters in front of the first line. */
  readonly head: number
  readonly reading: Reading
}

/** The script as the body of an async function that is called. */
export const toProgram = (reading: Reading): Program => wrap('(async()=>{', reading, '\n})()')

/** Compiles only if the script is a whole body: one that closes its function early can be either text, never both. */
export const toCheck = (reading: Reading): Program => wrap('async function _(){', reading, '\n}')

const wrap = (head: string, reading: Reading, tail: string): Program => ({
  text: head + reading.body + tail,
  head: head.length,
  reading,
})

/** Characters of a line that a frame shows. */
const shownCharacters = 100

export interface Position {
  readonly line: number
  readonly column: number
  readonly frame: string
}

const frame = /\bscript\.js:(\d+):(\d+)/

/** Where in the script a stack begins; nothing when no frame of it is the script's. */
export function positionIn(stack: string, program: Program): Position | undefined {
  const [, line, column] = frame.exec(stack) ?? []
  return line === undefined ? undefined : positionOf(Number(line), Number(column), program)
}

/** The line alone, of a stack that the engine made itself: what is put around a script adds no line before it. */
export function lineIn(stack: string): number | undefined {
  const [, line] = frame.exec(stack) ?? []
  return line === undefined ? undefined : Number(line)
}

/** A place of the text that was compiled, in the model's own. */
export function positionOf(line: number, column: number, { head, reading: { shift, source } }: Program): Position {
  const lines = source.split('\n')
  // What is missing at the end is missed behind it.
  const before = (line === 1 ? head : 0) + (line === shift?.line ? shift.by : 0)
  // A script can give an error a stack of its own making.
  const within = (n: number, most: number) => Math.min(Math.max(1, n), most)
  const own =
    line > lines.length
      ? { line: lines.length, column: lines.at(-1)!.length + 1 }
      : { line: within(line, lines.length), column: within(column - before, (lines[line - 1] ?? '').length + 1) }
  return { ...own, frame: frameOf(source, own.line, own.column) }
}

/** The line with one before and one after it, as far as there are; of a long one, what stands around the column. */
export function frameOf(source: string, line: number, column: number): string {
  const lines = source.replace(/\n$/, '').split('\n')
  const width = String(Math.min(lines.length, line + 1)).length
  const shown: string[] = []
  for (let n = Math.max(1, line - 1); n <= Math.min(lines.length, line + 1); n++) {
    const text = cut(lines[n - 1]!.trimEnd(), n === line ? column : 1)
    shown.push(`${n === line ? '>' : ' '} ${String(n).padStart(width)} | ${text}`.trimEnd())
  }
  return shown.join('\n')
}

function cut(text: string, column: number): string {
  const from = column > shownCharacters * 0.75 ? column - shownCharacters / 2 : 0
  const end = from + shownCharacters
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${text.length > end ? '…' : ''}`
}
