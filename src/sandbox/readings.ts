/** A way to read what a model wrote: the body of an async function. */
export interface Reading {
  readonly body: string
  /** What the model wrote of it, line by line. */
  readonly source: string
  /** Characters that were put into one of its lines, counted from 1, before what the model wrote there. */
  readonly shift?: { readonly line: number; readonly by: number }
}

/** Lines from the end that are tried as the beginning of a last expression. */
const mostLines = 20

/**
 * The ways in which a script may be meant, the likeliest first; the first that compiles is run. Models write bare statements,
 * one expression, a function of theirs, `export default`, and any of them in a Markdown fence, with prose around it, or with
 * the line ends escaped once too often. Every reading keeps the numbers of the model's lines.
 */
export function* readings(code: string): Generator<Reading> {
  for (const source of sources(code)) {
    yield* asExpression(source)
    yield* asDefaultExport(source)
    yield* withLastExpression(source)
    yield { body: source, source }
  }
}

/** The texts that may be the script: what stands in a fence, or all, and the same with its line ends put right. */
export function sources(code: string): readonly string[] {
  const text = fenced(code) ?? code
  const unescaped = unescape(text)
  return unescaped === undefined ? [text] : [text, unescaped]
}

const fence = /^([^]*?)^([ \t]*(?:```|~~~)[\w-]*[ \t]*\r?\n)([^]*?)^[ \t]*(?:```|~~~)[ \t]*\r?$/m

/** What stands in the first Markdown fence. What stands around it is for a person. */
function fenced(code: string): string | undefined {
  const [, prose, opening, body] = fence.exec(code) ?? []
  return opening === undefined ? undefined : (prose! + opening).replace(/[^\n]/g, '') + body!.replace(/\r?\n$/, '')
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** A whole program in one line, whose line ends are two characters: it was put into JSON twice. */
function unescape(text: string): string | undefined {
  if (text.trim().includes('\n') || !text.includes('\\n')) return undefined
  return text.replace(/\\([nrt"'`\\])/g, (_, char: string) => escapes[char] ?? char)
}

const calling = 'return ((value) => typeof value === "function" ? value() : value)(await ('
const returning = 'return ('
const withoutEnd = (text: string): string => text.replace(/[\s;]+$/, '')

/** One expression, and if it is a function, what that returns. */
function* asExpression(source: string): Generator<Reading> {
  const expression = withoutEnd(source)
  if (expression !== '') yield { body: `${calling}${expression}\n))`, source, shift: { line: 1, by: calling.length } }
}

/** Statements, then a default export: the script is what is exported. */
function* asDefaultExport(source: string): Generator<Reading> {
  const [all, before, words, after] = /^([^]*?^[ \t]*)(export\s+default\s+)([^]*)$/m.exec(source) ?? []
  if (all === undefined) return
  const shift = { line: before!.split('\n').length, by: calling.length - words!.length }
  yield { body: `${before}${calling}${withoutEnd(after!)}\n))`, source, shift }
}

/** A line that begins so goes on with the one before, or begins no expression. */
const noBeginning =
  /^\s*(?:[-+([`/*.,?:&|=<>%^\]}]|(?:const|let|var|if|for|while|do|switch|try|throw|return|break|continue|import|export|class|case|default|catch|finally|else|(?:async\s+)?function)\b|$)/

/** Statements, and an expression at their end, as a notebook would show it. */
function* withLastExpression(source: string): Generator<Reading> {
  const lines = withoutEnd(source).split('\n')
  const last = lines.at(-1)!
  if (/^\s*return\b/.test(last)) return
  for (let i = lines.length - 1; i >= Math.max(0, lines.length - mostLines); i--) {
    const line = lines[i]!
    const column = i === lines.length - 1 ? line.lastIndexOf(';') + 1 : 0
    for (const at of new Set([column, 0])) {
      const rest = line.slice(at)
      if (noBeginning.test(rest) || (i === 0 && at === 0)) continue
      const head = [...lines.slice(0, i), line.slice(0, at)].join('\n')
      const tail = [rest, ...lines.slice(i + 1)].join('\n')
      yield { body: `${head}${returning}${tail}\n)`, source, shift: { line: i + 1, by: returning.length } }
    }
  }
}
