import { deepestInput, isDeeperThan, type Json } from '../core/json.js'
import { findJsonFault } from './json-fault.js'
import { describeFaults } from './schema.js'
import type { ToolEntry } from './tool-set.js'

export type ReadInput = { readonly input: Json } | { readonly problem: string }

/** The input of a call, parsed if need be and valid; or what is wrong with it, so that the model can repair all of it at once. */
export function readInput(call: { readonly input?: Json; readonly inputText?: string }, tool: ToolEntry): ReadInput {
  const read = call.input === undefined ? parse(call.inputText) : { input: call.input }
  if ('problem' in read) return read
  if (isDeeperThan(read.input, deepestInput)) return { problem: `is nested deeper than ${deepestInput} levels` }
  const faults = tool.validateInput(read.input)
  return faults.length === 0 ? read : { problem: `is not valid: ${describeFaults(faults)}` }
}

/** Some models send no text at all for a tool without arguments. */
function parse(text: string | undefined): ReadInput {
  if (text === undefined) return { problem: 'is missing' }
  if (text.trim() === '') return { input: {} }
  try {
    return { input: JSON.parse(text) as Json }
  } catch (error) {
    const fault = findJsonFault(text)
    if (!fault) return { problem: `is not JSON: ${(error as Error).message}` }
    const { position, found, expected } = fault
    const before = JSON.stringify(text.slice(Math.max(0, position - 40), position))
    return {
      problem: `is not JSON: at position ${position}, after ${before}, there is ${found} where ${expected} must be`,
    }
  }
}
