import type { AnyNode } from 'acorn'
import { isOurs } from '../readings.js'
import type { Tree } from './tree.js'

/** What the script returns, wherever that is written: by itself, or by the function that it is. */
export function resultsOf(tree: Tree): AnyNode[] {
  let main: AnyNode | undefined
  return tree.nodes.flatMap((node): AnyNode[] => {
    if (node.type !== 'ReturnStatement' || !node.argument) return []
    if (!isOurs(tree.program.text, node.start)) return functionAround(tree, node) === main ? [node.argument] : []
    const result = whatIsCalled(node.argument)
    if (result?.type !== 'ArrowFunctionExpression' && result?.type !== 'FunctionExpression')
      return result ? [result] : []
    if (result.generator) return []
    main = result
    return result.body.type === 'BlockStatement' ? [] : [result.body]
  })
}

/** A reading returns a call, whose argument is the awaited script. */
function whatIsCalled(node: AnyNode): AnyNode | undefined {
  const [awaited] = node.type === 'CallExpression' ? node.arguments : []
  return awaited?.type === 'AwaitExpression' ? awaited.argument : undefined
}

function functionAround(tree: Tree, node: AnyNode): AnyNode | undefined {
  for (let at = tree.parentOf(node); at; at = tree.parentOf(at)) {
    if (/^(?:Arrow)?Function/.test(at.type)) return at
  }
  return undefined
}

/** What stands inside of a literal, at any depth. */
export function partsOf(node: AnyNode): AnyNode[] {
  const parts: AnyNode[] = []
  const waiting: AnyNode[] = [node]
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const inner: (AnyNode | null)[] =
      at.type === 'ArrayExpression'
        ? at.elements
        : at.type === 'ObjectExpression'
          ? at.properties.map((each) => (each.type === 'Property' ? each.value : null))
          : []
    const found = inner.filter((each) => each !== null)
    parts.push(...found)
    waiting.push(...found)
  }
  return parts
}
