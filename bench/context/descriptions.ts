import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { declareTools } from '../../src/tools/declarations.js'
import { scriptToolDefinition } from '../../src/tools/script-tool.js'
import { tokensOf } from './tokens.js'

/** What a set of tools costs in tokens, told in one way or another. */
export interface Cost {
  readonly what: string
  readonly tools: number
  /** What the description of `run_script` has of them. */
  readonly declares: string
  /** The whole definition of `run_script`. */
  readonly definition: number
  /** Their declarations in TypeScript, all of them. */
  readonly declarations: number
  /** The same schemas of what they take and give, as JSON without any description. */
  readonly schemas: number
  /** Names, descriptions and schemas of what they take, as they are listed for direct calls. */
  readonly list: number
}

export function costOf(what: string, tools: readonly ToolDefinition[]): Cost {
  const script = scriptToolDefinition(tools)
  const text = script.description
  const json = (value: unknown) => tokensOf(JSON.stringify(value))
  const plain = tools.map(({ name, input, output }) => ({
    name,
    input: withoutDocs(input),
    output: withoutDocs(output),
  }))
  return {
    what,
    tools: tools.length,
    declares: text.includes('declare const tools') ? 'types' : text.includes('The tools by name') ? 'names' : 'search',
    definition: json({ name: script.name, description: text, input_schema: script.input }),
    declarations: tokensOf(declareTools(tools, { longest: 4_000 })),
    schemas: json(plain),
    list: json(tools.map(({ name, description, input }) => ({ name, description, input_schema: input }))),
  }
}

/** A schema without what is only said about it. A property may have any of these names. */
function withoutDocs(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutDocs(each))
  if (typeof value !== 'object' || value === null) return value
  const docs = ['description', 'title', 'examples', 'default', '$schema']
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isProperties || !docs.includes(key))
      .map(([key, each]) => [key, withoutDocs(each, !isProperties && (key === 'properties' || key === '$defs'))]),
  )
}
