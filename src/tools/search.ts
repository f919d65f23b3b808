import MiniSearch from 'minisearch'
import { isJsonObject, type JsonSchema } from '../core/json.js'
import { nearest } from '../core/nearest.js'
import { grammarInWords, isTextTool, type Risk, type ToolDefinition } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { declareTools } from './declarations.js'
import { cut } from './declarations-literal.js'
import { wordsOf } from './search-words.js'

/** How scripts find tools that the model was not told of. Pure: the same tools and words give the same answer. */
export interface ToolSearch {
  /** The tools that fit the words best, at most `limit` of 8 or, at most, 50. An empty query gives the first tools. */
  search(query: string, limit?: number): readonly FoundTool[]
  /**
   * One tool with all that its schemas say, by its name or as a script reads it: `github__list`, `tools.github.list`.
   * @throws {HandrailError} `unknown_tool`, with the names that are nearest.
   */
  describe(name: string): FoundTool
}

/** A type and not an interface, so that it is JSON. */
export type FoundTool = {
  readonly name: string
  /** TypeScript. */
  readonly declaration: string
  readonly description: string
  readonly risk: Risk
}

const mostFound = 50
/** Characters of a declaration and of a description: found, and described. */
const foundSizes = { declaration: 1_000, description: 300 }
const describedSizes = { declaration: 6_000, description: 2_000 }

export function createToolSearch(tools: readonly ToolDefinition[]): ToolSearch {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const among = new Set(byName.keys())
  const index = createIndex(tools)
  const find = (query: string, limit: number): readonly ToolDefinition[] => {
    const named = byName.get(toName(query))
    const found = index(query).filter((tool) => tool !== named)
    return [...(named ? [named] : []), ...found].slice(0, limit)
  }
  const shown = (tool: ToolDefinition, sizes: typeof foundSizes, docs: boolean): FoundTool => ({
    name: tool.name,
    declaration: declareTools([tool], { docs, longest: sizes.declaration, among }),
    description: cut(docs ? described(tool) : tool.description, sizes.description),
    risk: tool.risk,
  })
  return {
    search: (query, limit = 8) => find(query, Math.min(limit, mostFound)).map((tool) => shown(tool, foundSizes, false)),
    describe(given) {
      const name = toName(given)
      const tool = byName.get(name)
      if (tool) return shown(tool, describedSizes, true)
      const near = nearest(name, byName.keys())
      const names = new Set([...(near === undefined ? [] : [near]), ...find(name, 4).map((each) => each.name)])
      const list = [...names].map((each) => JSON.stringify(each)).join(', ')
      const advice = list ? `The nearest are ${list}` : 'search(query) finds tools'
      throw new HandrailError('unknown_tool', `There is no tool ${JSON.stringify(cut(given, 100))}. ${advice}.`)
    },
  }
}

/** Of a text, no type says what may stand in it. */
function described({ description, input, grammar }: ToolDefinition): string {
  const about = aboutText(input)
  return [description, about && `Its text: ${about}`, grammar && grammarInWords(grammar)].filter(Boolean).join('\n\n')
}

const aboutText = (input: JsonSchema): string =>
  isTextTool({ input }) && typeof input.description === 'string' ? input.description : ''

/** `tools.github.list` is the tool `github__list`, and `tools["a-b"]` is `a-b`. No name has a dot or a bracket in it. */
function toName(text: string): string {
  const steps = text
    .trim()
    .split(/\["|"\]|\./)
    .filter(Boolean)
  return (steps[0] === 'tools' && steps.length > 1 ? steps.slice(1) : steps).join('__')
}

/** The tools that have words of a query in them, best first, then as they were given. */
function createIndex(tools: readonly ToolDefinition[]): (query: string) => readonly ToolDefinition[] {
  const index = new MiniSearch({
    fields: ['name', 'description', 'fields'],
    tokenize: wordsOf,
    // The words are made equal where they are split.
    processTerm: (word) => word,
    searchOptions: { boost: { name: 2, description: 1, fields: 0.3 } },
  })
  index.addAll(
    tools.map(({ name, description, input }, id) => {
      const fields = [aboutText(input), ...fieldsOf(input)].join(' ')
      return { id, name, description, fields }
    }),
  )
  return (query) => {
    if (query.trim() === '') return tools
    const exact = index.search(query)
    const hits = exact.length > 0 ? exact : index.search(query, { prefix: true, fuzzy: 0.2 })
    return hits.toSorted((a, b) => b.score - a.score || a.id - b.id).map(({ id }) => tools[id as number]!)
  }
}

/** Names and descriptions of the fields, also of those inside. */
function fieldsOf(schema: JsonSchema, depth = 3): readonly string[] {
  const { properties, items } = schema
  const inner = isJsonObject(properties) ? Object.entries(properties) : []
  const own = inner.flatMap(([name, field]) => {
    if (!isJsonObject(field)) return [name]
    const { description } = field
    return [
      name,
      ...(typeof description === 'string' ? [description] : []),
      ...(depth > 0 ? fieldsOf(field, depth - 1) : []),
    ]
  })
  return isJsonObject(items) && depth > 0 ? [...own, ...fieldsOf(items, depth - 1)] : own
}
