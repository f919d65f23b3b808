import type { AnyNode, ObjectExpression, Property } from 'acorn'
import type { Tree } from './tree.js'

/** What the check knows of an expression without running it. */
export type Known =
  | { readonly type: 'scalar'; readonly value: string | number | boolean | null; readonly at: number }
  /** A text whose characters are not known. */
  | { readonly type: 'text'; readonly at: number }
  | { readonly type: 'array'; readonly items: readonly Known[]; readonly at: number }
  | { readonly type: 'object'; readonly fields: ReadonlyMap<string, Field>; readonly at: number }
  | { readonly type: 'function'; readonly at: number }
  /** It is left out of what JSON says. */
  | { readonly type: 'absent'; readonly at: number }
  | { readonly type: 'unknown'; readonly at: number }

interface Field {
  readonly value: Known
  /** Where its name is. */
  readonly at: number
}

/** Levels of literals that are looked into. */
const deepest = 32

export function knownOf(node: AnyNode, tree: Tree, depth = 0): Known {
  const at = node.start
  const unknown: Known = { type: 'unknown', at }
  if (depth > deepest) return unknown
  switch (node.type) {
    case 'Literal': {
      const { value } = node
      const isScalar = value === null ? node.raw === 'null' : ['string', 'number', 'boolean'].includes(typeof value)
      return isScalar ? { type: 'scalar', value: value as string | number | boolean | null, at } : unknown
    }
    case 'TemplateLiteral': {
      const text = node.quasis[0]?.value.cooked
      const isWhole = node.expressions.length === 0 && typeof text === 'string'
      return isWhole ? { type: 'scalar', value: text, at } : { type: 'text', at }
    }
    case 'UnaryExpression': {
      const operand = knownOf(node.argument, tree, depth + 1)
      const isNegative = node.operator === '-' && operand.type === 'scalar' && typeof operand.value === 'number'
      return isNegative ? { type: 'scalar', value: -(operand.value as number), at } : unknown
    }
    case 'Identifier':
      return node.name === 'undefined' && tree.timesBound('undefined') === 0 ? { type: 'absent', at } : unknown
    case 'CallExpression':
      return isStringify(node, tree) ? { type: 'text', at } : unknown
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return { type: 'function', at }
    case 'ArrayExpression':
      if (node.elements.some((element) => element === null || element.type === 'SpreadElement')) return unknown
      return { type: 'array', at, items: node.elements.map((element) => knownOf(element!, tree, depth + 1)) }
    case 'ObjectExpression':
      return objectOf(node, tree, depth) ?? unknown
    default:
      return unknown
  }
}

function isStringify(node: AnyNode, tree: Tree): boolean {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const { object, property, computed } = node.callee
  const isJson = object.type === 'Identifier' && object.name === 'JSON' && tree.timesBound('JSON') === 0
  const [given] = node.arguments
  // Of undefined or a function it makes no text.
  return isJson && !computed && property.type === 'Identifier' && property.name === 'stringify' && isObjectLike(given)
}

const isObjectLike = (node: AnyNode | undefined): boolean =>
  node?.type === 'ObjectExpression' || node?.type === 'ArrayExpression'

function objectOf(node: ObjectExpression, tree: Tree, depth: number): Known | undefined {
  const fields = new Map<string, Field>()
  for (const property of node.properties) {
    const name = property.type === 'Property' ? nameOf(property) : undefined
    if (name === undefined) return undefined
    fields.set(name, { value: knownOf((property as Property).value, tree, depth + 1), at: property.start })
  }
  return { type: 'object', at: node.start, fields }
}

/** None for what is computed, and for a getter or a method. */
function nameOf({ key, computed, kind, method }: Property): string | undefined {
  if (kind !== 'init' || method) return undefined
  const name = key.type === 'Identifier' && !computed ? key.name : key.type === 'Literal' ? key.value : undefined
  // In a literal, this one sets the prototype.
  if (name === '__proto__') return undefined
  return typeof name === 'string' ? name : typeof name === 'number' ? String(name) : undefined
}

/** In words. */
export function kindOf(known: Known): string {
  switch (known.type) {
    case 'scalar':
      return JSON.stringify(typeof known.value === 'string' ? known.value.slice(0, 40) : known.value)
    case 'text':
      return 'a text'
    case 'function':
      return 'a function'
    default:
      return `an ${known.type}`
  }
}
