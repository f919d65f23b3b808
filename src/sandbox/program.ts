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

/** Characters of a line that an error shows. */
const shownCharacters = 80

/** Where in the script a stack begins, with that line; nothing when no frame of it is the script's. */
export function positionIn(stack: string, { head, reading }: Program): string | undefined {
  const [, line, column] = /\bscript\.js:(\d+):(\d+)/.exec(stack) ?? []
  if (line === undefined) return undefined
  const { shift, source } = reading
  const before = (line === '1' ? head : 0) + (Number(line) === shift?.line ? shift.by : 0)
  const text = (source.split('\n')[Number(line) - 1] ?? '').trim()
  return `line ${line}, column ${Math.max(1, Number(column) - before)}: ${text.slice(0, shownCharacters)}`
}
