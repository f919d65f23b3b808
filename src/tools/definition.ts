import { isJsonObject } from '../core/json.js'
import type { Risk, ToolDefinition } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { nearest } from '../core/nearest.js'
import { scriptToolName } from './script-tool.js'

const risks: readonly Risk[] = ['read', 'reversible', 'irreversible', 'sensitive']
/** `__proto__` cannot be a property that a script reads as `tools.NAME`. */
const reserved = [scriptToolName, '__proto__']
/** The most that a timer takes. */
const longest = 2 ** 31 - 1
const fields = ['name', 'description', 'input', 'output', 'risk', 'checked', 'idempotent', 'reconciles', 'timeout']

export function refuse(name: unknown, what: string): never {
  throw new HandrailError('invalid_tool', `Cannot define tool ${shown(name)}: ${what}`)
}

export function refuseUnknownFields(name: unknown, value: unknown, known: readonly string[], inside?: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(name, inside ? `"${inside}" must be an object` : 'it must be an object')
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const near = nearest(key, known)
    const place = inside ? ` in "${inside}"` : ''
    refuse(
      name,
      `"${key}" is not a field${place}; ${near ? `did you mean "${near}"?` : `there are ${known.join(', ')}`}`,
    )
  }
}

/**
 * What comes from another thread is checked as what an author writes.
 * @throws {HandrailError} `invalid_tool`, naming the field that is wrong and what it must be.
 */
export function checkDefinition(definition: ToolDefinition): void {
  const name = definition?.name
  refuseUnknownFields(name, definition, fields)
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    refuse(name, `"name" must be 1 to 64 letters, digits, "_" or "-"; it is ${shown(name)}`)
  if (reserved.includes(name)) refuse(name, 'that name is reserved')
  const { description, input, output, risk, timeout } = definition
  if (typeof description !== 'string' || description.trim() === '')
    refuse(name, `"description" must be a text that tells the model what the tool is for; it is ${shown(description)}`)
  if (!risks.includes(risk)) refuse(name, `"risk" must be one of ${risks.join(', ')}; it is ${shown(risk)}`)
  if (!isJsonObject(input) || input.type !== 'object')
    refuse(name, `"input" must be a schema of an object, with type "object"; its type is ${shown(input?.type)}`)
  if (output !== undefined && !isJsonObject(output)) refuse(name, '"output" must be a JSON Schema object')
  for (const field of ['checked', 'idempotent', 'reconciles'] as const) {
    const value: unknown = definition[field]
    if (value !== undefined && typeof value !== 'boolean')
      refuse(name, `"${field}" must be true or false; it is ${shown(value)}`)
  }
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= longest))
    refuse(name, `"timeout" must be a number of milliseconds from 1 to ${longest}; it is ${shown(timeout)}`)
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
