import type { AnyNode, Expression, VariableDeclarator } from 'acorn'
import { partsOf, resultsOf } from './results.js'
import { keyOf, methodOf, mostFaults, written, type Fault, type ToolUse } from './tool-use.js'
import type { Tree } from './tree.js'

/** Promises that nobody waits for, and those that are taken for what they will give. */
export function promiseFaults(tree: Tree, use: ToolUse): Fault[] {
  return new Promises(tree, use).faults()
}

/** Methods of lists that take what their function returns for a truth. */
const deciding = ['filter', 'some', 'every', 'find', 'findIndex', 'findLast']
const joining = ['all', 'allSettled', 'race', 'any']

class Promises {
  /** Methods that the script itself defines may do anything. */
  readonly #ownMethods: ReadonlySet<string>
  /** Names that stand for one call's promise. */
  readonly #held = new Map<string, VariableDeclarator>()
  /** Names that stand for a list of promises. */
  readonly #lists = new Set<string>()
  readonly #results: readonly AnyNode[]
  /** Some give their promises properties. */
  readonly #marked: ReadonlySet<string>

  constructor(
    private readonly tree: Tree,
    private readonly use: ToolUse,
  ) {
    this.#ownMethods = new Set(tree.nodes.flatMap(methodNames))
    this.#results = resultsOf(tree)
    for (const node of tree.nodes) {
      if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') continue
      if (!node.init || tree.timesBound(node.id.name) !== 1) continue
      if (this.#isCall(node.init)) this.#held.set(node.id.name, node)
      if (this.#isListOfPromises(node.init) && !this.#isMarked(node.id.name)) this.#lists.add(node.id.name)
    }
    this.#marked = new Set([...this.#held.keys()].filter((name) => this.#isMarked(name)))
  }

  faults(): Fault[] {
    const faults: Fault[] = []
    for (const node of this.tree.nodes) {
      if (faults.length >= mostFaults) return faults
      faults.push(...this.#of(node))
    }
    const parts = this.#results.flatMap(partsOf)
    return [
      ...faults,
      ...[...this.#held].flatMap(([name, node]) => this.#unused(name, node)),
      ...parts.flatMap((part) => this.#wanted(part, 'which a result cannot hold')),
      ...[...this.#results, ...parts].flatMap((part) => this.#listed(part, 'A result cannot hold promises')),
    ]
  }

  #of(node: AnyNode): Fault[] {
    if (node.type !== 'ExpressionStatement') return [...this.#inList(node), ...this.#misused(node)]
    // The end of the script is waited for.
    return node === this.tree.body.at(-1) ? [] : this.#floating(node.expression)
  }

  /** A tool's promise as it comes. */
  #isCall(node: AnyNode | null | undefined): boolean {
    return node?.type === 'CallExpression' && this.use.calling.has(node)
  }

  /** What a statement makes and lets go. */
  #floating(node: Expression): Fault[] {
    switch (node.type) {
      case 'LogicalExpression':
        return this.#floating(node.right)
      case 'ConditionalExpression':
        return [node.consequent, node.alternate].flatMap((each) => this.#floating(each))
      case 'SequenceExpression':
        return node.expressions.flatMap((each) => this.#floating(each))
      case 'CallExpression':
        return this.#floatingCall(node)
      default:
        return []
    }
  }

  #floatingCall(node: Expression & { type: 'CallExpression' }): Fault[] {
    const at = node.start
    const { callee } = node
    if (this.#isCall(node))
      return [{ at, text: `Nobody waits for ${this.#shown(node)}: write await ${this.#shown(node)}.` }]
    if (callee.type === 'Identifier' && callee.name === 'sleep' && this.tree.timesBound('sleep') === 0)
      return [{ at, text: 'Nobody waits for sleep(...): write await sleep(...).' }]
    const method = methodOf(node)
    if (!method) return []
    const { name, object } = method
    const isPromise = object.type === 'Identifier' && object.name === 'Promise'
    if (isPromise && joining.includes(name) && this.#hasCall(node))
      return [{ at, text: `Nobody waits for Promise.${name}(...): write await Promise.${name}(...).` }]
    if (this.#isListOfPromises(node))
      return [{ at, text: `Nobody waits for the promises of ${name}: write await Promise.all(list.map(...)).` }]
    return []
  }

  /** A list's method that does not know of promises. */
  #inList(node: AnyNode): Fault[] {
    const method = methodOf(node)
    const [given] = method?.call.arguments ?? []
    if (!method || !given || this.#ownMethods.has(method.name) || !this.#givesPromise(given)) return []
    const { name } = method
    if (name === 'forEach')
      return [
        {
          at: given.start,
          text: 'forEach does not wait for its function: write for (const item of list) { await ... }, or await Promise.all(list.map(...)).',
        },
      ]
    if (!deciding.includes(name)) return []
    const text = `${name} takes every promise for true: await Promise.all(list.map(...)) first, then ${name} what it gives.`
    return [{ at: given.start, text }]
  }

  #isListOfPromises(node: AnyNode): boolean {
    const method = methodOf(node)
    if (!method || this.#ownMethods.has(method.name)) return false
    const [given, ...others] = method.call.arguments
    return /^(?:map|flatMap)$/.test(method.name) && others.length === 0 && !!given && this.#givesPromise(given)
  }

  /** A list of promises, or the name of one, where it is taken for what they give. */
  #listed(node: AnyNode, why: string): Fault[] {
    const name = node.type === 'Identifier' && this.#lists.has(node.name) ? node.name : undefined
    if (name === undefined && !this.#isListOfPromises(node)) return []
    const list = name ?? 'list.map(...)'
    return [{ at: node.start, text: `${why}: write await Promise.all(${list}).` }]
  }

  /** A function whose promise matters: it waits for something, or is of one call. */
  #givesPromise(node: AnyNode): boolean {
    if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionExpression') return false
    if (node.generator) return false
    if (node.type === 'ArrowFunctionExpression' && this.#isCall(node.body)) return true
    return node.async && (this.#hasCall(node) || this.tree.holds(node, ({ type }) => type === 'AwaitExpression'))
  }

  #hasCall(node: AnyNode): boolean {
    return this.tree.holds(node, (each) => this.#isCall(each))
  }

  /** A promise where its value is wanted. */
  #misused(node: AnyNode): Fault[] {
    switch (node.type) {
      case 'MemberExpression':
        return this.#property(node)
      case 'AwaitExpression':
        // A reading awaits the result.
        if (this.#results.includes(node.argument)) return []
        return this.#listed(node.argument, 'await does not wait for the promises in a list')
      case 'ForOfStatement':
        return this.#wanted(node.right, 'it is no list')
      case 'SpreadElement':
        return this.#wanted(node.argument, 'there is nothing to spread')
      case 'IfStatement':
      case 'ConditionalExpression':
      case 'WhileStatement':
        return this.#tested(node.test)
      case 'UnaryExpression':
        return node.operator === '!' ? this.#tested(node.argument) : []
      case 'BinaryExpression':
        return [node.left, node.right].flatMap((each) =>
          this.#isCall(each) ? this.#wanted(each, 'it is not what it will give') : [],
        )
      case 'CallExpression':
        return this.#prints(node.callee)
          ? node.arguments.flatMap((each) => this.#wanted(each, 'and shows nothing'))
          : []
      case 'TemplateLiteral':
        if (this.tree.parentOf(node)?.type === 'TaggedTemplateExpression') return []
        return node.expressions.flatMap((each) => this.#wanted(each, 'it is no text'))
      case 'VariableDeclarator':
        return node.id.type === 'ObjectPattern' || node.id.type === 'ArrayPattern'
          ? this.#wanted(node.init, 'it has none of these')
          : []
      default:
        return []
    }
  }

  #prints(callee: AnyNode): boolean {
    const name = callee.type === 'MemberExpression' ? callee.object : callee
    if (name.type !== 'Identifier' || this.tree.timesBound(name.name) > 0) return false
    return callee.type === 'MemberExpression' ? name.name === 'console' : name.name === 'print' || name.name === 'text'
  }

  #wanted(node: AnyNode | null | undefined, why: string, member = ''): Fault[] {
    if (!node) return []
    const call = this.#callOf(node)
    if (!call) return []
    const isHeld = node.type === 'Identifier'
    const what = isHeld ? `"${node.name}" is a promise` : `${this.#shown(call)} is a promise`
    const awaited = `await ${this.#shown(call)}`
    const way = isHeld ? `${node.name} = ${awaited}` : member === '' ? awaited : `(${awaited})${member}`
    return [{ at: node.start, text: `${what}, ${why}: write ${way}.` }]
  }

  /** One that is held may be looked at. */
  #tested(node: AnyNode): Fault[] {
    return this.#isCall(node) ? this.#wanted(node, 'it is always true') : []
  }

  #property(node: AnyNode & { type: 'MemberExpression' }): Fault[] {
    const key = keyOf(node)
    if (key === undefined || key in Promise.prototype || node.optional) return []
    const member = this.tree.program.text.slice(node.object.end, node.end).replace(/^\)/, '')
    return this.#wanted(node.object, `which has no "${key.slice(0, 40)}"`, member.length <= 40 ? member : '.…')
  }

  /** The call whose promise a node is. */
  #callOf(node: AnyNode): AnyNode | undefined {
    if (this.#isCall(node)) return node
    if (node.type !== 'Identifier' || this.#marked.has(node.name)) return undefined
    return this.#held.get(node.name)?.init ?? undefined
  }

  #isMarked(name: string): boolean {
    return this.tree.readsOf(name).some((read) => {
      const parent = this.tree.parentOf(read)
      if (parent?.type === 'MemberExpression') {
        const outer = this.tree.parentOf(parent)
        return outer?.type === 'AssignmentExpression' && outer.left === parent
      }
      const name = parent && methodOf(parent)?.name
      return name === 'assign' || name === 'defineProperty'
    })
  }

  #unused(name: string, node: VariableDeclarator): Fault[] {
    if (name.startsWith('_') || this.tree.readsOf(name).length > 0) return []
    const call = this.#shown(node.init!)
    return [{ at: node.start, text: `Nobody waits for the promise in "${name}": write ${name} = await ${call}.` }]
  }

  #shown(call: AnyNode): string {
    const { callee } = call as AnyNode & { type: 'CallExpression' }
    const source = this.tree.program.text.slice(callee.start, callee.end)
    return `${source.length <= 80 ? source : written('...')}(...)`
  }
}

function methodNames(node: AnyNode): string[] {
  if (node.type !== 'Property' && node.type !== 'MethodDefinition' && node.type !== 'PropertyDefinition') return []
  const isFunction = node.value?.type === 'FunctionExpression' || node.value?.type === 'ArrowFunctionExpression'
  return isFunction && node.key.type === 'Identifier' ? [node.key.name] : []
}
