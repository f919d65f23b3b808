import type { AnyNode, CallExpression, Expression, MemberExpression } from 'acorn'
import { nearest } from '../../core/nearest.js'
import { spacedName } from '../../core/tool-space.js'
import type { Tree } from './tree.js'

/** What is certain to go wrong, at an offset of the program. */
export interface Fault {
  readonly at: number
  /** What it is, and what to write instead. */
  readonly text: string
}

/** A call of a tool that is there. */
export interface ToolCall {
  readonly name: string
  readonly node: CallExpression
}

export interface ToolUse {
  readonly calls: readonly ToolCall[]
  /** Calls of whatever `tools` is asked for. */
  readonly calling: ReadonlySet<AnyNode>
  readonly faults: readonly Fault[]
}

/** Faults of one kind that are looked for, so that a long text costs little. */
export const mostFaults = 32
/** Names that a message lists. */
const mostNamed = 12
const identifier = /^[a-zA-Z_$][\w$]*$/

/** How a script writes a tool. */
export const written = (name: string): string =>
  identifier.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`

/** What stands in the script for the tools, wherever the name is not one of its own. */
export function findToolUse(tree: Tree, tools: readonly string[]): ToolUse {
  const calls: ToolCall[] = []
  const calling = new Set<AnyNode>()
  const faults: Fault[] = []
  if (tree.timesBound('tools') > 0) return { calls, calling, faults }
  const spaces = namespacesOf(tools)
  const members = tree.readsOf('tools').flatMap((read) => memberOf(tree, read, spaces, tools) ?? [])
  // A script that looks whether a tool is there knows that it may not be.
  const asked = new Set(members.filter(({ call }) => call === undefined).map(({ name }) => name))
  for (const node of tree.nodes) {
    if (node.type === 'Literal' && typeof node.value === 'string' && tree.parentOf(node)?.type !== 'MemberExpression')
      asked.add(node.value)
  }
  for (const { name, shown, call, at, isOptional } of members) {
    if (call) calling.add(call)
    if (tools.includes(name)) {
      if (call && !isOptional) calls.push({ name, node: call })
    } else if (faults.length < mostFaults && call && !isOptional && !asked.has(name) && !(name in Object.prototype))
      faults.push({ at, text: unknown(name, shown, tools) })
  }
  return {
    calls,
    calling,
    faults: [...faults, ...unknownInPatterns(tree, tools, spaces), ...passedAsItIs(tree, tools)],
  }
}

interface Member {
  /** As the tool is registered. */
  readonly name: string
  readonly shown: string
  readonly at: number
  readonly call?: CallExpression
  readonly isOptional: boolean
}

/** Names with `__` in them are also there as `tools.NAMESPACE.NAME`. */
function namespacesOf(tools: readonly string[]): ReadonlySet<string> {
  return new Set(tools.flatMap((name) => spacedName(name)?.space ?? []))
}

function memberOf(
  tree: Tree,
  read: AnyNode,
  spaces: ReadonlySet<string>,
  tools: readonly string[],
): Member | undefined {
  const member = tree.parentOf(read)
  if (member?.type !== 'MemberExpression' || member.object !== read) return undefined
  const key = keyOf(member)
  if (key === undefined) return undefined
  const inner = tree.parentOf(member)
  const isInner = inner?.type === 'MemberExpression' && inner.object === member
  const isSpace = spaces.has(key)
  // One that is a tool and a namespace too may be either.
  if (isSpace && isInner && tools.includes(key)) return undefined
  const innerName = isInner && (isSpace || (isCalled(tree, inner) && !tools.includes(key))) ? keyOf(inner) : undefined
  if (isInner && innerName !== undefined) return toMember(tree, inner, `${key}__${innerName}`, [member, inner])
  return isSpace && isInner ? undefined : toMember(tree, member, key, [member])
}

function isCalled(tree: Tree, node: AnyNode): boolean {
  const parent = tree.parentOf(node)
  return parent?.type === 'CallExpression' && parent.callee === node
}

function toMember(tree: Tree, node: MemberExpression, name: string, path: readonly MemberExpression[]): Member {
  const parent = tree.parentOf(node)
  const call = parent?.type === 'CallExpression' && parent.callee === node ? parent : undefined
  const isOptional = call?.optional === true || path.some(({ optional }) => optional)
  const shown = `tools.${path.map((each) => keyOf(each)).join('.')}`
  return { name, shown, at: node.start, isOptional, ...(call && { call }) }
}

/** The property, if it is written out. */
export function keyOf({ property, computed }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined
  if (property.type === 'Literal' && typeof property.value === 'string') return property.value
  return property.type === 'TemplateLiteral' && property.expressions.length === 0
    ? (property.quasis[0]?.value.cooked ?? undefined)
    : undefined
}

const builtIns = ['sleep', 'search', 'describe', 'results', 'print', 'text']

function unknown(name: string, shown: string, tools: readonly string[]): string {
  if (builtIns.includes(name)) return `${name} is no tool: write ${name}(...).`
  const near = nearest(name, tools) ?? nearest(name.replace('__', ''), tools)
  const guess = near === undefined ? '' : ` Did you mean ${written(near)}?`
  return `There is no tool ${shown}.${guess}${tools.length <= mostNamed || !near ? listed(tools) : ''}`
}

const listed = (tools: readonly string[]): string => {
  if (tools.length === 0) return ' There are no tools.'
  if (tools.length <= mostNamed) return ` The tools are ${tools.join(', ')}.`
  return ` search("...") finds the tools.`
}

/** `const { name } = tools` */
function unknownInPatterns(tree: Tree, tools: readonly string[], spaces: ReadonlySet<string>): Fault[] {
  return tree.nodes.flatMap((node) => {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'ObjectPattern') return []
    if (node.init?.type !== 'Identifier' || node.init.name !== 'tools') return []
    return node.id.properties.flatMap((property): Fault[] => {
      if (property.type !== 'Property' || property.computed || property.value.type !== 'Identifier') return []
      const name =
        property.key.type === 'Identifier' ? property.key.name : String((property.key as { value?: unknown }).value)
      if (tools.includes(name) || spaces.has(name) || !isCalledOnly(tree, property.value.name)) return []
      return [{ at: property.start, text: unknown(name, written(name), tools) }]
    })
  })
}

/** Whether the name is called and never looked at, so that it must be there. */
function isCalledOnly(tree: Tree, name: string): boolean {
  const reads = tree.readsOf(name)
  return (
    tree.timesBound(name) === 1 &&
    reads.length > 0 &&
    reads.every((read) => {
      const parent = tree.parentOf(read)
      return parent?.type === 'CallExpression' && parent.callee === read && !parent.optional
    })
  )
}

const callers = ['map', 'forEach', 'flatMap', 'filter']

/** `ids.map(tools.name)`: a tool takes one argument, and is given three. */
function passedAsItIs(tree: Tree, tools: readonly string[]): Fault[] {
  return tree.nodes.flatMap((node) => {
    const method = methodOf(node)
    if (method === undefined || !callers.includes(method.name) || method.call.arguments.length !== 1) return []
    const [given] = method.call.arguments
    if (given?.type !== 'MemberExpression' || given.object.type !== 'Identifier' || given.object.name !== 'tools')
      return []
    const name = keyOf(given)
    if (name === undefined || !tools.includes(name)) return []
    const text = `${method.name} calls it with three arguments, and a tool takes one object: write (item) => ${written(name)}({ ... }).`
    return [{ at: given.start, text }]
  })
}

/** The name of the method that a node calls. */
export function methodOf(
  node: AnyNode,
): { readonly name: string; readonly object: Expression; readonly call: CallExpression } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || node.callee.object.type === 'Super')
    return undefined
  const name = keyOf(node.callee)
  return name === undefined ? undefined : { name, object: node.callee.object, call: node }
}
