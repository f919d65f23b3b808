import { versionOf } from './engine-name.js'

/** Wrappings that are taken off, one after the other. */
const deepest = 4
const mostSources = 12

/**
 * The texts that may be the script, the likeliest first: what models put around a script is for a person or a parser.
 * @param engine as the log names it
 */
export function sources(code: string, engine: string): readonly string[] {
  if (versionOf(engine) === 1) {
    const text = fenceOfVersion1(code) ?? code
    const unescaped = unescape(text)
    return unescaped === undefined ? [text] : [text, unescaped]
  }
  const found = [...unwrapped(withoutFirstMarks(code), 0)]
  const mended = found.flatMap((text) => [withoutExports(text), withoutEntities(text)])
  return [...new Set([...found, ...mended.filter((text) => text !== undefined)])].slice(0, mostSources)
}

function* unwrapped(text: string, depth: number): Generator<string> {
  const inner = depth < deepest ? (inJson(text) ?? inTags(text) ?? inFences(text, '`') ?? inlineFence(text)) : undefined
  if (inner) {
    for (const each of inner) yield* unwrapped(each, depth + 1)
    return
  }
  const unescaped = depth < deepest ? unescape(text) : undefined
  // As it stands, all that follows such a comment would be one, and a fence would be a template.
  const isHidden = unescaped !== undefined && /(?:^|\s)\/\/|^\s*```/.test(text)
  if (isHidden) yield* unwrapped(unescaped, depth + 1)
  if (!isHidden || !text.trimStart().startsWith('```')) yield text
  if (unescaped !== undefined && !isHidden) yield* unwrapped(unescaped, depth + 1)
  // Tildes may stand in a template of a script that is whole without them.
  for (const each of inFences(text, '~') ?? []) yield each
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** A byte order mark, the line that names an interpreter, and one that names the language, as a fence has it. */
const withoutFirstMarks = (code: string): string =>
  code
    .replace(/^\uFEFF/, ' ')
    .replace(/^\s*#!.*/, blank)
    .replace(/^\s*(?:javascript|typescript|js|ts)[ \t]*\r?\n/i, blank)

const codeKeys = ['code', 'script', 'source', 'javascript', 'js', 'program']
const inputKeys = ['arguments', 'input', 'parameters']

/** The arguments of the call once more, or the text as a JSON string. */
function inJson(text: string): readonly string[] | undefined {
  const trimmed = text.trim()
  if (!/^(?:\{[^]*\}|"[^]*")$/.test(trimmed)) return undefined
  try {
    const code = codeIn(JSON.parse(trimmed), 0)
    return code === undefined ? undefined : [code]
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const looksLikeCode = /\b(?:tools|return|await|print)\b|=>/

function codeIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return looksLikeCode.test(value) ? value : undefined
  if (typeof value !== 'object' || value === null || depth > 2) return undefined
  const own = (key: string): unknown =>
    Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
  const code = codeKeys.map(own).find((each) => typeof each === 'string')
  if (code !== undefined) return codeIn(code, depth + 1)
  const input = inputKeys.map(own).find((each) => typeof each === 'object' && each !== null)
  return input === undefined ? undefined : codeIn(input, depth + 1)
}

const opening =
  /^\s*<(script|code|pre|execute\w*|run\w*|tool\w*|java_?script|js|type_?script|ts|program|snippet|source|answer|parameter|invoke|function\w*)(?:\s[^<>]*)?>|^\s*<!\[CDATA\[/i

/** Tags around all of it. */
function inTags(text: string): readonly string[] | undefined {
  const [head, tag] = opening.exec(text) ?? []
  if (head === undefined) return undefined
  const end = tag === undefined ? ']]>' : `</${tag}>`
  const body = text.trimEnd()
  if (!body.toLowerCase().endsWith(end.toLowerCase())) return undefined
  return [blank(head) + body.slice(head.length, -end.length)]
}

interface Fence {
  readonly language: string
  readonly body: string
}

const ours = /^(?:js|javascript|ecmascript|mjs|cjs|node|jsx|ts|typescript|mts|tsx)$/i

/** What stands in Markdown fences: those that name the language, else those that name none, else all. */
function inFences(text: string, mark: '`' | '~'): readonly string[] | undefined {
  if (!text.includes(mark.repeat(3))) return undefined
  const found = fencesOf(text.split('\n'), mark)
  const named = found.filter(({ language }) => ours.test(language))
  const unnamed = found.filter(({ language }) => language === '')
  const chosen = [named, unnamed, found].find(({ length }) => length > 0)
  return chosen?.map(({ body }) => body)
}

function fencesOf(lines: readonly string[], mark: '`' | '~'): Fence[] {
  const fences: Fence[] = []
  for (let i = 0; i < lines.length && fences.length < mostSources; i++) {
    const [, marks, language] = /^\s*(`{3,}|~{3,})[ \t]*([\w+#-]*)[^`]*$/.exec(lines[i]!) ?? []
    if (marks?.[0] !== mark) continue
    let to = i + 1
    while (to < lines.length && !isEnd(lines[to]!.trim(), marks)) to++
    const body = '\n'.repeat(i + 1) + lines.slice(i + 1, to).join('\n')
    // A reply that was cut leaves it open, and some close it in the last line of the code.
    fences.push({ language: language!, body: to < lines.length ? body : body.replace(/(?:```|~~~)\s*$/, '') })
    i = to
  }
  return fences
}

const isEnd = (line: string, marks: string): boolean =>
  line.length >= marks.length && line === marks[0]!.repeat(line.length)

/** A fence in one line. */
function inlineFence(text: string): readonly string[] | undefined {
  const [, language, body] = /^\s*```(?:([\w+#-]+)[ \t]+)?([^`\n]+)```\s*$/.exec(text) ?? []
  if (body === undefined || body.includes('\\n')) return undefined
  return [language === undefined || ours.test(language) ? body : `${language} ${body}`]
}

const openingOfVersion1 = /^[ \t]*(?:```|~~~)[\w-]*[ \t]*\r?\n/m
const endOfVersion1 = /^[ \t]*(?:```|~~~)[ \t]*\r?$/gm

/** What stands in the first fence, as scripts of version 1 were read. */
function fenceOfVersion1(code: string): string | undefined {
  const start = openingOfVersion1.exec(code)
  if (!start) return undefined
  endOfVersion1.lastIndex = start.index + start[0].length
  const end = endOfVersion1.exec(code)
  if (!end) return undefined
  const body = code.slice(start.index + start[0].length, end.index)
  return (code.slice(0, start.index) + start[0]).replaceAll(/[^\n]/g, '') + body.replace(/\r?\n$/, '')
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** A whole program in one line, whose line ends are two characters: it was put into JSON twice. */
function unescape(text: string): string | undefined {
  if (text.trim().includes('\n') || !text.includes('\\n')) return undefined
  return text.replaceAll(/\\([nrt"'`\\])/g, (_, char: string) => escapes[char] ?? char)
}

/** A script exports nothing but its default. What is exported keeps its column. */
function withoutExports(text: string): string | undefined {
  const plain = text.replaceAll(/^([ \t]*)export([ \t]+)(async|function|const|let|var|class)\b/gm, '$1$3      $2')
  return plain === text ? undefined : plain
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
}
const entity = /&(?:lt|gt|quot|#34|apos|#39|#x27|amp);/g

const withoutEntities = (text: string): string | undefined => {
  const plain = text.replaceAll(entity, (name) => entities[name]!)
  return plain === text ? undefined : plain
}
