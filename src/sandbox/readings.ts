import { versionOf } from './engine-name.js'
import { sources } from './sources.js'

/** A way to read what a model wrote: the body of an async function. */
export interface Reading {
  readonly body: string
  /** What the model wrote of it, line by line. */
  readonly source: string
  /** Characters that were put into one of its lines, counted from 1, before what the model wrote there. */
  readonly shift?: { readonly line: number; readonly by: number }
}

/** Lines from the end that are tried as the beginning of a last expression. */
const mostLines = 40
const mostLinesOfVersion1 = 20

/**
 * The ways in which a script may be meant, the likeliest first; the first that compiles is run. Models write bare statements,
 * one expression, a function of theirs, `export default`, and any of them in a Markdown fence, with prose around it, or with
 * the line ends escaped once too often. Every reading keeps the numbers of the model's lines. An engine reads a script for
 * ever as it did: it is replayed.
 */
export function* readings(code: string, engine: string): Generator<Reading> {
  const isFirst = versionOf(engine) === 1
  for (const source of sources(code, engine)) {
    if (isFirst) {
      yield* asExpression(source, source)
      yield* asDefaultExport(source)
      yield* withLastExpressionOfVersion1(source)
    } else {
      for (const text of withoutLastComments(source)) yield* asExpression(source, text, inputOf(text))
      yield* asDefaultExport(source)
      yield* asDefaultFunction(source)
      yield* withLastExpression(source)
      yield* withLastFunction(source)
    }
    yield { body: source, source }
  }
}

const callingHead = 'return ((value) => typeof value === "function" ? value('
const callingWith = (input: string) => `${callingHead}${input}) : value)(await (`
/** Whether a reading put in what stands there. */
export const isOurs = (body: string, at: number): boolean => body.startsWith(callingHead, at)
const calling = callingWith('')
const returning = 'return ('

/** Not by an expression: one takes the square of the time for many blanks in the midst. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && /[\s;]/.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** One expression, and if it is a function, what that returns. */
function* asExpression(source: string, text: string, input = ''): Generator<Reading> {
  const expression = withoutEnd(text)
  const head = callingWith(input)
  if (expression !== '')
    yield {
      body: `${head}${expression}
))`,
      source,
      shift: { line: 1, by: head.length },
    }
}

/** Some frameworks hand the tools to the function. */
function inputOf(expression: string): string {
  const [, parameters] = /^\s*(?:async\b\s*)?(?:function\b\s*\w*\s*)?\(\s*(tools\b|\{[^(){}]*\})/.exec(expression) ?? []
  if (parameters === 'tools') return 'tools'
  return parameters !== undefined && /[{,]\s*tools\s*[,}]/.test(parameters) ? '{ tools }' : ''
}

/** Statements, then a default export: the script is what is exported. */
function* asDefaultExport(source: string): Generator<Reading> {
  const { before, words, after } = defaultExport(source) ?? {}
  if (before === undefined) return
  const shift = { line: before.split('\n').length, by: calling.length - words!.length }
  yield { body: `${before}${calling}${withoutEnd(after!)}\n))`, source, shift }
}

/** A default export of a function with a name, and statements after it. */
function* asDefaultFunction(source: string): Generator<Reading> {
  const { before, words, after = '' } = defaultExport(source) ?? {}
  const [, name] = /^(?:async\s+)?function\s+([\w$]+)/.exec(after) ?? []
  if (name === undefined) return
  const blanks = words!.replaceAll(/[^\n]/g, ' ')
  yield { body: `${before}${blanks}${after}\nreturn ${name}(${inputOf(after)})`, source }
}

function defaultExport(source: string) {
  const found = /^[ \t]*(export\s+default\s+)/m.exec(source)
  if (!found) return undefined
  const [all, words = ''] = found
  const at = found.index + all.length
  return { before: source.slice(0, at - words.length), words, after: source.slice(at) }
}

const keywords =
  'const|let|var|if|for|while|do|switch|try|throw|return|break|continue|import|export|class|case|default|catch|finally|else'
/** A line that begins so goes on with the one before, or begins no expression. */
const noBeginning = new RegExp(`^\\s*(?:[-+([\`/*.,?:&|=<>%^\\]}]|(?:${keywords}|(?:async\\s+)?function)\\b|$)`)

/** Statements, and an expression at their end, as a notebook would show it. */
function* withLastExpressionOfVersion1(source: string): Generator<Reading> {
  const lines = withoutEnd(source).split('\n')
  const last = lines.at(-1)!
  if (/^\s*return\b/.test(last)) return
  for (let i = lines.length - 1; i >= Math.max(0, lines.length - mostLinesOfVersion1); i--) {
    const line = lines[i]!
    const column = i === lines.length - 1 ? line.lastIndexOf(';') + 1 : 0
    for (const at of new Set([column, 0])) {
      if (noBeginning.test(line.slice(at)) || (i === 0 && at === 0)) continue
      yield readFrom(source, lines, i, at, returning, ')')
    }
  }
}

function readFrom(source: string, lines: readonly string[], i: number, at: number, head: string, end: string): Reading {
  const line = lines[i]!
  const before = [...lines.slice(0, i), line.slice(0, at)].join('\n')
  const after = [line.slice(at), ...lines.slice(i + 1)].join('\n')
  return { body: `${before}${head}${after}\n${end}`, source, shift: { line: i + 1, by: head.length } }
}

/**
 * The same, and what is a function is called. The text may end with comments, and the expression begin with a bracket: only
 * one that was left without its semicolon would go on with the line before, and no one means that.
 */
function* withLastExpression(source: string): Generator<Reading> {
  for (const text of withoutLastComments(source)) {
    const lines = withoutEnd(text).split('\n')
    const last = lines.at(-1)!
    if (/^\s*return\b/.test(last)) return
    const most = indentation(last)
    for (let i = lines.length - 1; i >= Math.max(0, lines.length - mostLines); i--) {
      const line = lines[i]!
      const column = i === lines.length - 1 ? line.lastIndexOf(';') + 1 : 0
      for (const at of new Set([column, 0])) {
        if (i === 0 && at === 0) continue
        if (at === 0 && indentation(line) > most) continue
        if (isBeginning(line.slice(at), at > 0 || lines[i - 1]!)) yield readFrom(source, lines, i, at, calling, '))')
      }
    }
  }
}

const indentation = (line: string): number => line.length - line.trimStart().length

function isBeginning(line: string, before: string | true): boolean {
  if (!noBeginning.test(line)) return true
  if (!/^\s*[([`]/.test(line)) return false
  return before === true || /^\S/.test(line) || /[;}]\s*$/.test(before)
}

/** Without the comments that end it, if there are some, and as it is. What stands in a text is not mistaken for one for long. */
function withoutLastComments(source: string): readonly string[] {
  const lines = withoutEnd(source).split('\n')
  while (lines.length > 1 && /^\s*(?:\/\/.*|\/\*[^*]*\*\/\s*)?$/.test(lines.at(-1)!)) lines.pop()
  const last = lines.pop()!
  const comment = /\/\/[^'"`]*$|\/\*[^*'"`]*\*\/\s*$/.exec(last)
  const text = [...lines, comment ? last.slice(0, comment.index) : last].join('\n')
  return withoutEnd(text) === withoutEnd(source) ? [source] : [text, source]
}

/** A line at the margin that only goes on, or is a comment. */
const isInside = /^(?:[\s})\]*]|\/[/*]|$)/
const declaration =
  /^(?:['"]use strict|class\b|(?:async\s+)?function\b|(?:const|let|var)\s+[\w$]+\s*=(?!\s*\(*await\b))/
/** Of a function that can be called with no more than the tools: they, what is taken of an object, or what has a default. */
const parameters = '\\(\\s*(tools|\\{[^(){}]*\\}|[\\w$]+\\s*=[^=>(),]*|)\\s*\\)'
const lastFunctions = [
  new RegExp(`^(?:async\\s+)?function\\s*([\\w$]+)\\s*${parameters}`),
  new RegExp(`^(?:const|let|var)\\s+([\\w$]+)\\s*=\\s*(?:async\\s*)?(?:function\\s*)?${parameters}\\s*(?:=>|\\{)`),
]

/** Only declarations, the last of them a function that nothing calls: it is called. */
function* withLastFunction(source: string): Generator<Reading> {
  const margin = source.split('\n').filter((line) => !isInside.test(line))
  if (margin.length === 0 || !margin.every((line) => declaration.test(line))) return
  const [, name, parameter = ''] = lastFunctions.map((each) => each.exec(margin.at(-1)!)).find(Boolean) ?? []
  if (name === undefined || source.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length > 2)
    return
  const input = parameter.startsWith('{') ? inputOf(`(${parameter})`) || '{}' : inputOf(`(${parameter})`)
  yield { body: `${source}\nreturn ${name}(${input})`, source }
}
