import type { AnyNode, Expression } from 'acorn'
import { isOurs } from '../readings.js'
import type { ScriptFailure } from '../script.js'
import type { Tree } from './tree.js'

/** A script that prints where it begins to wait, and when a wait has ended. It does and sees the same otherwise. */
export interface Watched {
  readonly code: string
  /** Where a script waits that printed these. */
  readonly placeOf: (prints: readonly string[]) => Pick<ScriptFailure, 'line' | 'column' | 'frame' | 'hint'> | undefined
}

interface Wait {
  /** What is waited for. */
  readonly awaited: Expression
  /** Where the model wrote that it waits. */
  readonly at: number
  /** Functions around it. */
  readonly depth: number
  readonly isOurs: boolean
  /** A loop, whose end is not seen. */
  readonly isLoop: boolean
}

const mark = '\u0001wait'

/**
 * A promise is handed on as it is, and what looks like one as \`await\` would take it, so that all goes on in the same order.
 * Made before the script can touch the language.
 */
const watcher = `((show, Promise, resolve, then) => {
let count = 0
const watch = (n, value) => {
if (n < 0) show("${mark} loop " + (-1 - n))
if (n < 0 || value === null || (typeof value !== "object" && typeof value !== "function")) return value
if (!(value instanceof Promise) && typeof value.then !== "function") return value
const promise = resolve(value)
const id = count++
const end = () => show("${mark} - " + id)
show("${mark} + " + id + " " + n)
then(promise, end, end)
return promise
}
return watch
})(globalThis.print, globalThis.Promise, globalThis.Promise.resolve.bind(globalThis.Promise), Function.prototype.call.bind(globalThis.Promise.prototype.then));`

export function watchWaits(tree: Tree): Watched {
  const { head, reading, text } = tree.program
  const waits = tree.nodes.flatMap((node) => waitIn(tree, node) ?? [])
  let name = 'wait$'
  while (text.includes(name)) name += '$'
  const inserts = waits.flatMap(({ awaited, isLoop }, n) => [
    { at: awaited.start, text: `${name}(${isLoop ? -1 - n : n},(` },
    { at: awaited.end, text: '))' },
  ])
  let body = ''
  let from = head
  for (const insert of inserts.toSorted((a, b) => a.at - b.at)) {
    body += text.slice(from, insert.at) + insert.text
    from = insert.at
  }
  body += text.slice(from, head + reading.body.length)
  return {
    code: `const ${name} = ${watcher}\n${body}\nreturn undefined`,
    placeOf: (prints) => placeOf(tree, openIn(waits, prints)),
  }
}

function waitIn(tree: Tree, node: AnyNode): Wait | undefined {
  const { head, reading, text } = tree.program
  const end = head + reading.source.length + (reading.shift?.by ?? 0)
  const awaited = awaitedBy(tree, node)
  // What the reading puts around the script is the script's no more.
  if (!awaited || node.start >= end || (node.type === 'ReturnStatement' && isOurs(text, node.start))) return undefined
  const depth = functionsAround(tree, node)
  const returned = tree.parentOf(node)
  const isOursToo = node.type === 'AwaitExpression' && depth === 0 && hasOurs(tree, returned)
  const at = isOursToo || node.type === 'ArrowFunctionExpression' ? awaited.start : node.start
  return { awaited, at, depth, isOurs: isOursToo, isLoop: node.type === 'ForOfStatement' }
}

/** The await of the reading is the argument of the call that it returns. */
const hasOurs = (tree: Tree, call: AnyNode | undefined): boolean => {
  const statement = call && tree.parentOf(call)
  return statement?.type === 'ReturnStatement' && isOurs(tree.program.text, statement.start)
}

function awaitedBy(tree: Tree, node: AnyNode): Expression | undefined {
  switch (node.type) {
    case 'AwaitExpression':
      return node.argument
    case 'ForOfStatement':
      return node.await ? node.right : undefined
    case 'ArrowFunctionExpression':
      return node.async && node.body.type !== 'BlockStatement' && node.body.type !== 'AwaitExpression'
        ? node.body
        : undefined
    case 'ReturnStatement':
      return node.argument && node.argument.type !== 'AwaitExpression' && isAsync(tree, node)
        ? node.argument
        : undefined
    default:
      return undefined
  }
}

/** Whether the function around it gives a promise. */
function isAsync(tree: Tree, node: AnyNode): boolean {
  for (let at = tree.parentOf(node); at; at = tree.parentOf(at)) if (isFunction(at)) return at.async
  return true
}

function functionsAround(tree: Tree, node: AnyNode): number {
  let depth = 0
  for (let at: AnyNode | undefined = node; at; at = tree.parentOf(at)) if (isFunction(at)) depth++
  return depth
}

const isFunction = (node: AnyNode) =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'

/** Those that began and did not end, in the order in which they began. */
function openIn(waits: readonly Wait[], prints: readonly string[]): Wait[] {
  const open = new Map<string, Wait>()
  let loop: Wait | undefined
  for (const print of prints) {
    if (!print.startsWith(mark)) continue
    const [, what, id = '', n = id] = print.split(' ')
    if (what === 'loop') loop = waits[Number(n)]
    else if (what === '-') open.delete(id)
    else if (waits[Number(n)]) open.set(id, waits[Number(n)]!)
  }
  return open.size === 0 && loop ? [loop] : [...open.values()]
}

/** The outermost one is where the script stands; what it waits for may wait further in. */
function placeOf(tree: Tree, open: readonly Wait[]): ReturnType<Watched['placeOf']> {
  const written = open.some(({ isOurs: ours }) => !ours) ? open.filter(({ isOurs: ours }) => !ours) : open
  const [outer] = written.toSorted((a, b) => a.depth - b.depth)
  if (!outer) return undefined
  const place = tree.placeOf(outer.at)
  const inner = written.filter(({ depth }) => depth > outer.depth).map(({ at }) => tree.placeOf(at).line)
  const lines = [...new Set(inner)].filter((line) => line !== place.line).slice(0, 3)
  return { ...place, ...(lines.length > 0 && { hint: `Line ${lines.join(', ')} waits as well.` }) }
}
