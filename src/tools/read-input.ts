import { deepestInput, hasInfinity, isDeeperThan, type Json } from '../core/json.js'
import { isTextTool } from '../core/tool-definition.js'
import { sentHostField } from './gate/host-input.js'
import { findJsonFault } from './json-fault.js'
import { describeFaults } from './parse-value.js'
import type { ToolEntry } from './tool-set.js'

/** Of a grammar, what a text may have at one place. */
const mostExpected = 12

export type ReadInput = { readonly input: Json } | { readonly problem: string; readonly rule: 'input' | 'host' }
type Parsed = { readonly input: Json } | { readonly problem: string }

/** The input of a call, parsed if need be and valid; or what is wrong with it, so that the model can repair all of it at once. */
export function readInput(call: { readonly input?: Json; readonly inputText?: string }, tool: ToolEntry): ReadInput {
  const read = call.input === undefined ? parse(call.inputText) : { input: call.input }
  const refused = (problem: string, rule: 'input' | 'host' = 'input') => ({ problem, rule })
  if ('problem' in read) return refused(read.problem)
  if (isDeeperThan(read.input, deepestInput)) return refused(`is nested deeper than ${deepestInput} levels`)
  if (hasInfinity(read.input)) return refused('holds a number that is too large')
  if (isTextTool(tool.definition) && typeof read.input !== 'string') return refused(noText(read.input, call))
  const sent = sentHostField(tool.definition, read.input)
  if (sent !== undefined)
    return refused(`must be without ${JSON.stringify(sent.slice(0, 100))}: the app fills such a field`, 'host')
  const faults = tool.validateInput(read.input)
  const problems = [
    ...(faults.length > 0 ? [`is not valid: ${describeFaults(faults)}`] : []),
    ...(typeof read.input === 'string' ? grammarFaults(read.input, tool) : []),
  ]
  return problems.length === 0 ? read : refused(problems.join('; it '))
}

/** A model that can send only objects was given one with the text as its field `input`. */
function noText(input: Json, { inputText }: { readonly inputText?: string }): string {
  const kind = Array.isArray(input) ? 'an array' : input === null ? 'null' : typeof input
  const found = kind === 'object' ? 'an object' : kind === 'null' || kind === 'an array' ? kind : `a ${kind}`
  return `must be one text${inputText === undefined ? '' : ', or {"input": TEXT}'}; it is ${found}`
}

function grammarFaults(text: string, { checkText }: ToolEntry): readonly string[] {
  const fault = checkText?.(text)
  if (!fault) return []
  const { position, line, column, expected, found } = fault
  const shown = expected.slice(0, mostExpected)
  const more = expected.length - shown.length
  const wanted = more > 0 ? `${shown.join(', ')} or one of ${more} others` : shown.join(' or ')
  return [
    `does not match its grammar: at line ${line}, column ${column}, after ${before(text, position)}, there is ${found} where ${wanted || 'something else'} must be`,
  ]
}

/** Some models send no text at all for a tool without arguments. */
function parse(text: string | undefined): Parsed {
  if (text === undefined) return { problem: 'is missing' }
  if (text.trim() === '') return { input: {} }
  try {
    return { input: JSON.parse(text) as Json }
  } catch (error) {
    const fault = findJsonFault(text)
    if (!fault) return { problem: `is not JSON: ${(error as Error).message}` }
    const { position, found, expected } = fault
    return {
      problem: `is not JSON: at position ${position}, after ${before(text, position)}, there is ${found} where ${expected} must be`,
    }
  }
}

const before = (text: string, position: number): string =>
  JSON.stringify(text.slice(Math.max(0, position - 40), position))
