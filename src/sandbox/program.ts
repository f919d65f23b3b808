/** The name that the script has in stacks. */
export const fileName = 'script.js'

/** A text to compile, and where in its first line the script begins: every line keeps its number. */
export interface Program {
  readonly text: string
  readonly head: number
}

/** The script as the body of an async function that is called. */
export const toProgram = (code: string): Program => wrap('(async()=>{', code, '\n})()')

/** Compiles only if the script is a whole body: one that closes its function early can be either text, never both. */
export const toCheck = (code: string): Program => wrap('async function _(){', code, '\n}')

const wrap = (head: string, code: string, tail: string): Program => ({
  text: head + withoutFence(code) + tail,
  head: head.length,
})

const fenced = /^(\s*```[\w-]*[ \t]*\r?\n)([^]*?)\r?\n?[ \t]*```\s*$/

/** Code in a Markdown fence, as models like to write it. The lines keep their numbers. */
function withoutFence(code: string): string {
  const [, opening, body] = fenced.exec(code) ?? []
  return opening === undefined ? code : opening.replace(/[^\n]/g, '') + body
}

/** Characters of a line that an error shows. */
const shownCharacters = 80

/** Where in the script a stack begins, with that line; nothing when no frame of it is the script's. */
export function positionIn(stack: string, { text, head }: Program): string | undefined {
  const [, line, column] = /\bscript\.js:(\d+):(\d+)/.exec(stack) ?? []
  if (line === undefined) return undefined
  const before = line === '1' ? head : 0
  const source = (text.split('\n')[Number(line) - 1] ?? '').slice(before).trim()
  return `line ${line}, column ${Math.max(1, Number(column) - before)}: ${source.slice(0, shownCharacters)}`
}
