import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { createToolSearch } from '../../src/tools/search.js'

const corpus = process.env.HANDRAIL_CORPUS ?? '../shared/data'

const define = (name: string, description: string, properties: JsonSchema = {}): ToolDefinition => ({
  name,
  description,
  input: { type: 'object', properties },
  risk: 'read',
})
const string = { type: 'string' }
const tools = [
  define('github__create_issue', 'Opens an issue in a repository', {
    title: string,
    labels: { type: 'array', items: string },
  }),
  define('github__listPullRequests', 'Lists pull requests', { state: string }),
  define('send-mail', 'Sends a message to people', { to: { ...string, description: 'Addresses of the recipients' } }),
  define('get_HTTPStatus', 'Tells whether a site is up'),
  define('weather', 'The forecast for a city', { city: string, days: { type: 'integer' } }),
]
const names = (found: readonly { name: string }[]) => found.map(({ name }) => name)
const search = (query: string, limit?: number) => names(createToolSearch(tools).search(query, limit))

describe('search()', () => {
  it.each([
    ['list pull requests', 'github__listPullRequests'],
    ['pull-request', 'github__listPullRequests'],
    ['http status', 'get_HTTPStatus'],
    ['send a mail', 'send-mail'],
    ['creating issues', 'github__create_issue'],
    ['I need the forecasts for Paris please', 'weather'],
    ['tools.github.create_issue', 'github__create_issue'],
  ])('finds by words, however a name joins them: %s', (query, name) => {
    expect(search(query)[0]).toBe(name)
  })

  it('finds by fields and their descriptions', () => {
    expect(search('labels')).toEqual(['github__create_issue'])
    expect(search('recipients')).toEqual(['send-mail'])
  })

  it('finds what a namespace has', () => {
    expect(search('github')).toEqual(['github__create_issue', 'github__listPullRequests'])
  })

  it('ranks a name above a description, and a description above fields', () => {
    const three = [define('a', 'x', { alpha: string }), define('b', 'alpha and so on'), define('alpha', 'y')]
    expect(names(createToolSearch(three).search('alpha'))).toEqual(['alpha', 'b', 'a'])
  })

  it('puts the tool of exactly that name first', () => {
    const two = [define('orders__orders', 'orders orders'), define('orders', 'Gives some')]
    expect(names(createToolSearch(two).search('orders'))[0]).toBe('orders')
  })

  it('finds beginnings and misspelt words only if no word fits', () => {
    expect(search('forecsat')).toEqual(['weather'])
    expect(search('repo')).toEqual(['github__create_issue'])
    expect(search('qqqq')).toEqual([])
  })

  it('gives tools that fit alike in the order in which they were given', () => {
    const same = Array.from({ length: 12 }, (_, i) => define(`same_${11 - i}`, 'Same'))
    expect(names(createToolSearch(same).search('same'))).toEqual(names(same.slice(0, 8)))
  })

  it('gives the first tools when it is asked for nothing', () => {
    expect(search(' ', 2)).toEqual(['github__create_issue', 'github__listPullRequests'])
  })

  it('gives 8 tools, or as many as are asked for, but never more than 50', () => {
    const many = createToolSearch(Array.from({ length: 80 }, (_, i) => define(`tool_${i}`, 'Same')))
    expect(many.search('tool')).toHaveLength(8)
    expect(many.search('tool', 3)).toHaveLength(3)
    expect(many.search('tool', 1_000)).toHaveLength(50)
  })

  it('tells of each tool how it is called, what it is for, and its risk', () => {
    expect(createToolSearch(tools).search('issue', 1)).toEqual([
      {
        name: 'github__create_issue',
        declaration:
          'declare const tools: {\n  github: {\n    create_issue(input?: { title?: string; labels?: string[] }): Promise<unknown>\n  }\n}',
        description: 'Opens an issue in a repository',
        risk: 'read',
      },
    ])
  })

  it('stays small, whatever the tools are', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`field_${i}`, { ...string, description: 'long '.repeat(99) }]),
    )
    const [found] = createToolSearch([define('huge', 'huge '.repeat(2_000), properties)]).search('huge')
    expect(JSON.stringify(found).length).toBeLessThan(1_600)
  })

  it('does not take a namespace for granted that is a tool', () => {
    const [, found] = createToolSearch([define('a', 'x'), define('a__b', 'x')]).search('x')
    expect(found!.declaration).toContain('  a__b(): ')
  })
})

describe('describe()', () => {
  it('tells all that the schemas say', () => {
    const { declaration, description } = createToolSearch(tools).describe('send-mail')
    expect(declaration).toContain('/** Addresses of the recipients */\n    to?: string')
    expect(description).toBe('Sends a message to people')
  })

  it.each(['github__create_issue', 'github.create_issue', 'tools.github.create_issue', 'tools["github"].create_issue'])(
    'takes %s for the same tool',
    (name) => {
      expect(createToolSearch(tools).describe(name).name).toBe('github__create_issue')
    },
  )

  it('names the nearest when there is no such tool', () => {
    expect(() => createToolSearch(tools).describe('githb.create_isue')).toThrow(
      'There is no tool "githb.create_isue". The nearest are "github__create_issue"',
    )
    expect(() => createToolSearch(tools).describe('mail')).toThrow('The nearest are "send-mail".')
    expect(() => createToolSearch(tools).describe('constructor')).toThrow(
      'There is no tool "constructor". search(query) finds tools.',
    )
    expect(() => createToolSearch([]).describe('x'.repeat(500))).toThrow(/^There is no tool "x{99}…"\. search/)
  })
})

interface Request {
  readonly query: string
  readonly needs: readonly string[]
}

const linesOf = (file: string) =>
  readFileSync(`${corpus}/${file}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const unique = (all: readonly ToolDefinition[]) => [...new Map(all.map((tool) => [tool.name, tool])).values()]

function sealTools() {
  const all = linesOf('4-tools/raw/seal-tools/tool.jsonl').map((tool) =>
    define(tool.api_name, tool.api_description, tool.parameters),
  )
  const requests: Request[] = linesOf('4-tools/raw/seal-tools/test_in_domain.jsonl').map(({ query, calling }) => ({
    query,
    needs: calling.map(({ api }: { api: string }) => api),
  }))
  return { tools: unique(all), requests }
}

function functionCalls() {
  const all: ToolDefinition[] = []
  const requests: Request[] = []
  for (const set of ['multiple', 'parallel_multiple', 'simple_python', 'parallel']) {
    const answers = new Map(
      linesOf(`2-bfcl/possible_answer/BFCL_v4_${set}.json`).map((each) => [each.id, each.ground_truth]),
    )
    for (const { id, question, function: functions } of linesOf(`2-bfcl/BFCL_v4_${set}.json`)) {
      for (const { name, description, parameters } of functions)
        all.push(define(name, description, parameters.properties))
      requests.push({ query: question[0].at(-1).content, needs: answers.get(id).flatMap(Object.keys) })
    }
  }
  return { tools: unique(all), requests }
}

function plugins() {
  const read = (file: string): Record<string, string> =>
    JSON.parse(readFileSync(`${corpus}/4-tools/raw/metatool/${file}.json`, 'utf8'))
  const pairs = read('multi_tool_query_golden') as unknown as { query: string; tool: string[] }[]
  return {
    tools: Object.entries(read('big_tool_des')).map(([name, description]) => define(name, description)),
    requests: pairs.map(({ query, tool }): Request => ({ query, needs: tool })),
  }
}

/** Counts the words of a request that are anywhere in a tool. */
function bySubstring(all: readonly ToolDefinition[]) {
  const texts = all.map((tool) => JSON.stringify([tool.name, tool.description, tool.input]).toLowerCase())
  return (query: string): readonly string[] => {
    const words = [...new Set(query.toLowerCase().match(/[a-z0-9]{3,}/g))]
    const scores = texts.map((text, i) => ({ i, score: words.filter((word) => text.includes(word)).length }))
    return scores
      .toSorted((a, b) => b.score - a.score || a.i - b.i)
      .slice(0, 8)
      .map(({ i }) => all[i]!.name)
  }
}

/** The share of what a request needs that is among the first 5 and 8, in the mean. */
function recall(requests: readonly Request[], find: (query: string) => readonly string[]) {
  const shares = { of5: 0, of8: 0 }
  for (const { query, needs } of requests) {
    const found = find(query)
    const share = (limit: number) => needs.filter((name) => found.slice(0, limit).includes(name)).length / needs.length
    shares.of5 += share(5) / requests.length
    shares.of8 += share(8) / requests.length
  }
  return shares
}

describe.skipIf(!existsSync(`${corpus}/4-tools`))('search() over requests of people', () => {
  it.each([
    ['Seal-Tools', sealTools, 0.85, 0.9],
    ['BFCL', functionCalls, 0.89, 0.92],
    ['MetaTool', plugins, 0.73, 0.76],
  ] as const)('finds what most requests of %s need, and more than substrings do', (name, load, of5, of8) => {
    const { tools: all, requests } = load()
    const every = Math.ceil(requests.length / 150)
    const some = requests.filter((_, i) => i % every === 0)
    const index = createToolSearch(all)
    const ranked = recall(some, (query) => names(index.search(query, 8)))
    const plain = recall(some, bySubstring(all))
    if (process.env.HANDRAIL_REPORT) console.log(name, all.length, some.length, { ranked, plain })
    expect(ranked.of5).toBeGreaterThan(Math.max(of5, plain.of5))
    expect(ranked.of8).toBeGreaterThan(Math.max(of8, plain.of8))
  })
})
