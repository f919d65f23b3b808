import { anthropicModels, type AnthropicCapabilities } from '../../src/models/anthropic/capabilities.js'
import { chatCapabilities, chatServers, type ChatCapabilities } from '../../src/models/chat/capabilities.js'
import { geminiCapabilities, geminiModels, type GeminiCapabilities } from '../../src/models/gemini/capabilities.js'
import { openAICapabilities, openAIRows, type OpenAICapabilities } from '../../src/models/openai/capabilities.js'

const code = (text: string): string => `\`${text}\``
const codes = (list: readonly string[]): string => list.map(code).join(', ')
const joined = (list: readonly (string | false | undefined)[]): string => list.filter(Boolean).join(', ')

/** A capability in words; nothing, for what is said in a column of its own. A new capability must get some. */
type Words<T> = { readonly [Name in keyof T]-?: (value: T[Name]) => string | undefined }

/** What is not taken, which is shorter than what is. */
const unless = (what: string) => (has: boolean) => (has ? undefined : what)
const elsewhere = () => undefined

function told<T extends object>(row: Partial<T>, words: Words<T>): string {
  const names = Object.keys(words) as (keyof T & string)[]
  return joined(names.filter((name) => name in row).map((name) => words[name](row[name]!)))
}

/** Rows that say the same of several are one. */
function merged(rows: readonly (readonly string[])[]): string[][] {
  const found = new Map<string, string[]>()
  for (const [name = '', ...cells] of rows) {
    const key = cells.join('|')
    found.set(key, [...(found.get(key) ?? []), name])
  }
  return [...found].map(([key, names]) => [names.join(', '), ...key.split('|')])
}

function openAITable(): string[][] {
  const words: Words<OpenAICapabilities> = {
    efforts: elsewhere,
    sampling: elsewhere,
    thinksUnasked: elsewhere,
    longCache: elsewhere,
    reasoning: unless('thinking'),
    reasoningBack: unless('thinking of earlier turns'),
    schemas: unless('answers by a schema'),
    strict: unless('`strict`'),
    textTools: unless('text tools'),
    forcedChoice: unless('demand for a call'),
    allowedTools: unless('choice of some tools'),
    toolSearch: unless('tool search'),
    namespaces: unless('namespaces'),
    addedTools: unless('tools that a result tells of'),
    programs: unless('programs'),
    phases: elsewhere,
    callsLast: (is) => (is ? 'text after a call' : undefined),
    parallelCalls: unless('`parallelCalls`'),
    cacheKey: unless('a key of its cache'),
    images: unless('images'),
    documents: unless('documents'),
    stored: unless('`stored`'),
  }
  const sampling = { always: 'yes', unthinking: 'with `effort: none`', never: '-' } as const
  const cache = { options: '12 h', retention: '24 h', none: '-' } as const
  const sampled = (can: OpenAICapabilities) =>
    can.sampling === 'unthinking' && !can.thinksUnasked ? 'without `effort`, or with `none`' : sampling[can.sampling]
  const row = (name: string, can: OpenAICapabilities) => [
    name,
    codes(can.efforts),
    sampled(can),
    cache[can.longCache],
    told<OpenAICapabilities>(can, words),
  ]
  return [
    ['names that begin with', '`effort`', '`temperature`, `topP`', '`cache: long`', 'takes no'],
    ...merged(openAIRows.map(({ prefix, ...can }) => row(code(prefix), can))),
    row('any other', openAICapabilities('any-other')),
  ]
}

function anthropicTable(): string[][] {
  const words: Words<AnthropicCapabilities> = {
    efforts: elsewhere,
    thinkingOff: elsewhere,
    adaptive: elsewhere,
    forcedChoice: unless('demand for a call'),
    sampling: unless('`temperature`, `topP`, `topK`'),
    programs: unless('programs'),
    toolSearch: unless('tool search'),
    answer: unless('answers by a schema'),
    lateInstructions: unless('late instructions'),
    documents: unless('documents'),
  }
  const rows = anthropicModels.map(({ models, ...can }) => [
    codes(models),
    codes([...(can.thinkingOff ? ['none'] : []), ...can.efforts]),
    told<AnthropicCapabilities>(can, words),
  ])
  return [['models', '`effort`', 'takes no'], ...merged(rows)]
}

function geminiTable(): string[][] {
  const words: Words<GeminiCapabilities> = {
    thinking: (how) => (how === 'nothing' ? 'no thinking' : `effort as a ${how}`),
    least: (least) => (typeof least === 'number' ? `from ${least} tokens on` : `from ${code(least)} on`),
    most: (most) => (most > 0 ? `up to ${most} tokens` : undefined),
    validated: (is) => (is ? '`VALIDATED`' : 'no `VALIDATED`'),
    answerWithTools: (is) => (is ? 'answers by a schema' : 'answers by a schema only without tools'),
    mixed: (is) => (is ? 'hosted tools beside tools' : 'no hosted tools beside tools'),
    invocations: (is) => (is ? "hosted tools' calls" : "no hosted tools' calls"),
    resultFiles: (is) => (is ? 'files in results' : 'files after results'),
    signatures: (is) => (is ? 'signatures demanded' : 'no signatures demanded'),
  }
  const other = geminiCapabilities({ provider: 'gemini', model: 'gemini-x' })
  return [
    ['models', 'what is different'],
    ['any other', told<GeminiCapabilities>(other, words)],
    ...geminiModels.map(({ name, ...can }) => [name, told<GeminiCapabilities>(can, words)]),
  ]
}

function chatTable(): string[][] {
  const field = (name: string) => (is: boolean) => (is ? code(name) : `no ${code(name)}`)
  const words: Words<ChatCapabilities> = {
    returned: elsewhere,
    demanded: elsewhere,
    limit: (name) => (name === 'max_tokens' ? undefined : code(name)),
    streamOptions: field('stream_options'),
    cacheKey: field('prompt_cache_key'),
    cacheMarks: (is) => (is ? 'marks for the cache' : undefined),
    effort: (name) => (name ? `\`effort\` as ${code(name)}` : 'no `effort`'),
    sampling: (when) =>
      ({
        always: '`temperature`, `topP`',
        never: 'no `temperature`, `topP`',
        'without effort': '`temperature`, `topP` with `effort: none`',
      })[when],
    topK: field('topK'),
    seed: (name) => (name ? '`seed`' : 'no `seed`'),
    stop: field('stop'),
    serviceTier: field('serviceTier'),
    parallel: field('parallelCalls'),
    strict: field('strict'),
    required: (word) => (word ? `a demand for a call (${code(word)})` : 'no demand for a call'),
    chosen: (what) => ({ nothing: 'not for one tool', one: 'also for one tool', some: 'also for some tools' })[what],
    textTools: (is) => (is ? 'text tools' : undefined),
    answer: (when) =>
      ({
        always: 'answers by a schema',
        'without tools': 'answers by a schema where there are no tools',
        never: 'no answers by a schema',
      })[when],
    lateInstructions: (is) => (is ? 'late instructions' : undefined),
    images: (how) => ({ any: 'images', bytes: 'images by their bytes', none: 'no images' })[how],
    files: (how) => (how ? 'PDF' : 'no PDF'),
    audio: (is) => (is ? 'audio' : 'no audio'),
    video: (is) => (is ? 'video' : 'no video'),
    shortIds: (is) => (is ? 'ids of nine characters' : undefined),
    userAfterResult: (is) => (is ? undefined : 'no user after a result'),
  }
  const line = (name: string, can: Partial<ChatCapabilities>) => {
    const { returned = [], demanded } = can
    const back = returned.map(code).join(', else ') + (demanded ? ', demanded' : '')
    return [name, back, told<ChatCapabilities>(can, words)]
  }
  const { files, ...other } = { files: undefined, ...chatCapabilities({ provider: 'openai-compatible', model: 'm' }) }
  return [
    ['server', 'reasoning that goes back', 'what it takes, or not'],
    line('any other', { ...other, files, effort: undefined, seed: undefined }),
    ...chatServers.map((server) => line(server.name, server)),
  ]
}

const tables: Readonly<Record<string, () => string[][]>> = {
  openai: openAITable,
  anthropic: anthropicTable,
  gemini: geminiTable,
  chat: chatTable,
}

function toMarkdown(rows: readonly string[][]): string {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cell || '-'))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}

/** The page with each table, which stands between its two comments, made of the capabilities again. */
export function withTables(page: string): string {
  let text = page
  for (const [name, rows] of Object.entries(tables)) {
    const [begin, end] = [`<!-- table ${name}: npm run tables -->\n`, '\n<!-- end -->']
    const from = text.indexOf(begin)
    const to = text.indexOf(end, from)
    if (from < 0 || to < 0) throw new RangeError(`Cannot write table "${name}": the page has no ${begin}${end}`)
    text = text.slice(0, from) + begin + toMarkdown(rows()) + text.slice(to)
  }
  return text
}
