import { scriptFailure, type ScriptFailure, type ScriptOptions } from '../script.js'
import { inputFaults } from './inputs.js'
import { promiseFaults } from './promises.js'
import { findToolUse, type Fault } from './tool-use.js'
import type { Tree } from './tree.js'

/** Faults that a message lists. */
const mostListed = 8

/** What is certain to go wrong with a script, in words for the model that wrote it. A doubt is no fault. */
export function checkScript(tree: Tree, { tools, definitions = [] }: ScriptOptions): ScriptFailure | undefined {
  const use = findToolUse(tree, tools)
  const found = [...use.faults, ...inputFaults(tree, use.calls, definitions), ...promiseFaults(tree, use)]
  const faults = [...new Map(found.toReversed().map((fault) => [fault.at, fault])).values()].toSorted(byPlace)
  const [first] = faults
  if (!first) return undefined
  const lines = faults.slice(0, mostListed).map(({ at, text }) => {
    const { line, column } = tree.placeOf(at)
    return `Line ${line}, column ${column}: ${text}`
  })
  const rest = faults.length > mostListed ? ['There are more.'] : []
  const how = faults.length === 1 ? 'a fault' : 'faults'
  const message = [`The script was not run, and called no tool: it has ${how}.`, ...lines, ...rest].join('\n')
  return scriptFailure('script_check', message, tree.placeOf(first.at))
}

const byPlace = (a: Fault, b: Fault): number => a.at - b.at
