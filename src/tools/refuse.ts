import { nearest } from '../core/nearest.js'
import { HandrailError } from '../errors.js'

/** @throws {HandrailError} `invalid_tool` */
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

/** Never a whole value: it may hold a secret. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
