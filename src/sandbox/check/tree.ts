import { parse, type AnyNode, type Identifier, type Pattern, type Statement } from 'acorn'
import { positionOf, toCheck, type Position, type Program } from '../program.js'
import { readings } from '../readings.js'
import type { ScriptOptions } from '../script.js'
import { strippedSources, type StripTypes } from '../typescript.js'

/** A script as the engine will read it, with what its names mean. */
export interface Tree {
  readonly program: Program
  readonly body: readonly Statement[]
  /** Outer ones before inner ones. */
  readonly nodes: readonly AnyNode[]
  parentOf(node: AnyNode): AnyNode | undefined
  /** Whether it, or one in it, is of a kind. */
  holds(node: AnyNode, is: (inner: AnyNode) => boolean): boolean
  /** How often the script gives the name a value: by a declaration, a parameter, an assignment. */
  timesBound(name: string): number
  /** Where the name is read. */
  readsOf(name: string): readonly Identifier[]
  /** Where in the model's own text an offset of the program is. */
  placeOf(offset: number): Position
}

/** Characters that are parsed in search of the reading: no text keeps the check busy for long. */
const mostCharacters = 2 << 20

/** The first reading that parses, as the engine runs the first that compiles; of the text, or of the text without types. */
export function parseScript(options: ScriptOptions, strip?: StripTypes): Tree | undefined {
  const texts = strip ? strippedSources(options, strip) : [{ code: options.code, toOwn: (place: Position) => place }]
  let characters = 0
  for (const { code, toOwn } of texts) {
    for (const reading of readings(code, options.engine)) {
      characters += reading.body.length
      if (characters > mostCharacters) return undefined
      const program = toCheck(reading)
      const body = bodyOf(program.text)
      if (body) return toTree(program, body, toOwn)
    }
  }
  return undefined
}

function bodyOf(text: string): readonly Statement[] | undefined {
  try {
    const [wrapper, ...others] = parse(text, { ecmaVersion: 'latest', sourceType: 'module' }).body
    // A text that closes the function early is none that the engine runs.
    return wrapper?.type === 'FunctionDeclaration' && others.length === 0 ? wrapper.body.body : undefined
  } catch (error) {
    // What nests too deeply for the parser is the engine's to refuse.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

function toTree(program: Program, body: readonly Statement[], toOwn: (place: Position) => Position): Tree {
  const parents = new Map<AnyNode, AnyNode>()
  const nodes = nodesIn(body, parents)
  const bindings = nodes.flatMap(boundBy)
  const bound = new Set<AnyNode>(bindings)
  const times = new Map<string, number>()
  for (const { name } of bindings) times.set(name, (times.get(name) ?? 0) + 1)
  const reads = new Map<string, Identifier[]>()
  for (const node of nodes) {
    if (node.type !== 'Identifier' || bound.has(node) || isLabel(node, parents.get(node))) continue
    const found = reads.get(node.name)
    if (found) found.push(node)
    else reads.set(node.name, [node])
  }
  const places = new Map(nodes.map((node, i) => [node, i]))
  return {
    program,
    body,
    nodes,
    holds(node, is) {
      for (let i = places.get(node)!; i < nodes.length && nodes[i]!.start < node.end; i++)
        if (is(nodes[i]!)) return true
      return false
    },
    parentOf: (node) => parents.get(node),
    timesBound: (name) => times.get(name) ?? 0,
    readsOf: (name) => reads.get(name) ?? [],
    placeOf(offset) {
      const before = program.text.slice(0, offset).split('\n')
      return toOwn(positionOf(before.length, before.at(-1)!.length + 1, program))
    },
  }
}

/** Not by recursion: the parser's stack may be larger than what is left of ours. */
function nodesIn(body: readonly Statement[], parents: Map<AnyNode, AnyNode>): AnyNode[] {
  const nodes: AnyNode[] = []
  const waiting: AnyNode[] = body.toReversed()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    nodes.push(node)
    const inner = Object.values(node).flat().filter(isNode)
    for (const child of inner.toReversed()) {
      parents.set(child, node)
      waiting.push(child)
    }
  }
  return nodes
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The names to which a node gives values. */
function boundBy(node: AnyNode): Identifier[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return namesIn([node.id])
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return namesIn([...node.params, node.id])
    case 'ArrowFunctionExpression':
      return namesIn(node.params)
    case 'ClassDeclaration':
    case 'ClassExpression':
      return namesIn([node.id])
    case 'CatchClause':
      return namesIn([node.param])
    case 'AssignmentExpression':
      return namesIn([node.left])
    case 'ForInStatement':
    case 'ForOfStatement':
      return node.left.type === 'VariableDeclaration' ? [] : namesIn([node.left])
    case 'UpdateExpression':
      return node.argument.type === 'Identifier' ? [node.argument] : []
    default:
      return []
  }
}

function namesIn(patterns: readonly (Pattern | null | undefined)[]): Identifier[] {
  return patterns.flatMap((pattern) => {
    switch (pattern?.type) {
      case 'Identifier':
        return [pattern]
      case 'ObjectPattern':
        return namesIn(pattern.properties.map((each) => (each.type === 'Property' ? each.value : each.argument)))
      case 'ArrayPattern':
        return namesIn(pattern.elements)
      case 'AssignmentPattern':
        return namesIn([pattern.left])
      case 'RestElement':
        return namesIn([pattern.argument])
      default:
        return []
    }
  })
}

/** A name of a property or a label is none of a value. */
function isLabel(node: Identifier, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.property === node && !parent.computed
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.key === node && !parent.computed
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return true
    default:
      return false
  }
}
