import { isJsonObject, type Json, type JsonSchema } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { spacedName } from '../core/tool-space.js'
import { dotted, quoted } from './declarations-literal.js'
import {
  createNameTable,
  createTypeNames,
  keepNames,
  shareTypes,
  typeLines,
  type NameTable,
} from './declarations-names.js'
import { writeType, type TypeStyle } from './declarations-type.js'

export interface DeclareOptions {
  /** With descriptions, of the tools and of their fields. */
  readonly docs?: boolean
  /** Characters that one tool may take. A longer one is written less deep, at last without its types. */
  readonly longest: number
  /** The names of all tools that there are, if these are only some of them. */
  readonly among?: ReadonlySet<string>
}

/** Parts of a schema that may be looked at for each character of its declaration: some leave none. */
const partsPerCharacter = 2

/** Levels that are tried, until a declaration is short enough. */
const depths = [8, 6, 4, 3, 2, 1]

/** The type of what a schema accepts in one line, cut to `unknown` below `depth`. */
export const typeOf = (schema: Json | undefined, depth: number, root: JsonSchema): string =>
  writeType(schema, { root, depth })

/** The tools as a script sees them, as one `declare const tools` after the types that it names. */
export function declareTools(
  tools: readonly ToolDefinition[],
  { docs = false, longest, among }: DeclareOptions,
): string {
  const names = createNameTable()
  const members = new Map<string, string>()
  for (const tool of tools) members.set(tool.name, declare(tool, docs, longest, names))
  const groups = groupTools(tools, among)
  const nested = groups.flatMap(({ namespace, tools: inside }) => {
    const lines = inside.map(({ name, tool }) => `${quoted(name)}${members.get(tool.name)!}`)
    return namespace === undefined ? lines : [`${quoted(namespace)}: ${block(lines)}`]
  })
  const text = `declare const tools: ${block(nested)}`
  return docs ? [...typeLines(names), text].join('\n') : shareTypes(text, names)
}

const block = (lines: readonly string[]): string => `{\n${lines.join('\n')}`.replaceAll('\n', '\n  ') + '\n}'

interface Group {
  /** Absent: the tools themselves. */
  readonly namespace?: string
  readonly tools: readonly { readonly name: string; readonly tool: ToolDefinition }[]
}

/** Tools by what is before `__` in their names, each group where its first tool is. */
export function groupTools(tools: readonly ToolDefinition[], all = namesOf(tools)): readonly Group[] {
  const groups = new Map<string, { namespace?: string; tools: { name: string; tool: ToolDefinition }[] }>()
  for (const tool of tools) {
    const [namespace, name] = split(tool.name, all)
    const key = namespace === undefined ? '' : `.${namespace}`
    const group = groups.get(key) ?? { ...(namespace !== undefined && { namespace }), tools: [] }
    groups.set(key, group)
    group.tools.push({ name, tool })
  }
  return [...groups.values()]
}

const namesOf = (tools: readonly ToolDefinition[]): ReadonlySet<string> => new Set(tools.map(({ name }) => name))

/** `github__list` is `list` of `github`, unless `github` is a tool itself. */
function split(name: string, all: ReadonlySet<string>): readonly [namespace: string | undefined, name: string] {
  const spaced = spacedName(name)
  return !spaced || all.has(spaced.space) ? [undefined, name] : [spaced.space, spaced.name]
}

/** How a script reads a tool. */
export function access(name: string, tools: readonly ToolDefinition[]): string {
  const [namespace, inside] = split(name, namesOf(tools))
  return dotted(namespace === undefined ? 'tools' : dotted('tools', namespace), inside)
}

/** Whether a person may be asked before it runs. */
export const asks = ({ risk }: ToolDefinition): boolean => risk !== 'read'

function declare(tool: ToolDefinition, docs: boolean, longest: number, kept: NameTable): string {
  const mark = asks(tool) ? ' // asks' : ''
  const attempts = [
    ...(docs ? depths.map((depth) => ({ tool, depth, docs })) : []),
    ...depths.map((depth) => ({ tool, depth, docs: false })),
    { tool: withoutOptional(tool), depth: 1, docs: false },
  ]
  for (const { tool: part, depth, docs: said } of attempts) {
    const own = createNameTable()
    const names = createTypeNames(own, kept)
    const budget = { left: longest * partsPerCharacter }
    const style = { depth, docs: said, names, budget }
    const text = `${parameters(part, style)}: Promise<${returned(part, style)}>${mark}`
    if (budget.left < 0 || text.length + typeLines(own).join('').length > longest) continue
    keepNames(own, kept)
    return text
  }
  return `(input: object): Promise<unknown>${mark}`
}

/** Only the fields that a call must have, and that there may be others. */
function withoutOptional(tool: ToolDefinition): ToolDefinition {
  const { properties, required } = tool.input
  const needed = Array.isArray(required) ? required : []
  const kept = isJsonObject(properties) ? Object.entries(properties).filter(([name]) => needed.includes(name)) : []
  const input = { ...tool.input, properties: Object.fromEntries(kept), additionalProperties: {}, patternProperties: {} }
  return { ...tool, input, output: {} }
}

type Style = Omit<TypeStyle, 'root'>

function parameters({ name, input }: ToolDefinition, style: Style): string {
  const type = writeType(input, { ...style, root: input }, `${name}_input`)
  const { properties, required } = input
  const isOpen = input.additionalProperties === true || !isJsonObject(properties)
  if (type === '{}' || (type === 'object' && !isOpen && Object.keys(properties).length === 0)) return '()'
  const mayBeLeft = /^(\{[^]*\}|object)$/.test(type) && !(Array.isArray(required) && required.length > 0)
  return `(input${mayBeLeft ? '?' : ''}: ${type})`
}

const returned = ({ name, output }: ToolDefinition, style: Style): string =>
  output ? writeType(output, { ...style, root: output }, `${name}_output`) : 'unknown'
