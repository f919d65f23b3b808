import { isJsonObject, type Json } from '../core/json.js'

const identifier = /^[a-zA-Z_$][\w$]*$/
/** Characters that one field's description may take. */
const longestDoc = 200

/** A name as TypeScript and JavaScript write a property. */
export const quoted = (name: string): string => (identifier.test(name) ? name : JSON.stringify(name))

/** How a property is read. */
export const dotted = (object: string, name: string): string =>
  identifier.test(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`

/** The type that has only this value. */
export function literalType(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literalType).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, inner]) => `${quoted(name)}: ${literalType(inner)}`)
  return fields.length > 0 ? `{ ${fields.join('; ')} }` : '{}'
}

/** A value as JavaScript writes it. */
export function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, inner]) => `${quoted(name)}: ${literal(inner)}`)
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

/** The types of an enum; of a long one only the first, then what kind the others are. */
export function unionOfLiterals(values: readonly Json[], longest: number): readonly string[] {
  const types = [...new Set(values.map(literalType))]
  if (types.join(' | ').length <= longest) return types.length > 0 ? types : ['never']
  const shown: string[] = []
  for (let length = 0; shown.length < types.length; length += shown.at(-1)!.length + 3) {
    if (length + types[shown.length]!.length > longest) break
    shown.push(types[shown.length]!)
  }
  const kinds = [...new Set(values.map(kindOf))]
  return [...shown, ...kinds.slice(0, -1), `${kinds.at(-1)} /* ${types.length - shown.length} more */`]
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return typeof value === 'object' ? 'object' : typeof value
}

/** What a schema says about a field, as the comment before it; empty if it says nothing. */
export function docOf(schema: Json): string {
  if (!isJsonObject(schema)) return ''
  const { description, format, minimum, maximum, maxLength, pattern, default: preset, deprecated } = schema
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${said(minimum)} to ${said(maximum)}`
      : minimum !== undefined
        ? `at least ${said(minimum)}`
        : maximum !== undefined && `at most ${said(maximum)}`
  const facts = [
    typeof format === 'string' && format,
    range,
    maxLength !== undefined && `at most ${said(maxLength)} characters`,
    typeof pattern === 'string' && pattern.length <= 60 && `like ${pattern}`,
    preset !== undefined && `default ${said(preset)}`,
    deprecated === true && '@deprecated',
  ].filter((fact) => typeof fact === 'string')
  const text = typeof description === 'string' ? cut(description.trim(), longestDoc) : ''
  const doc = [text, facts.join(', ')].filter(Boolean).join(text.endsWith('.') ? ' ' : '; ')
  return doc ? `/** ${doc.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n` : ''
}

const said = (value: Json): string => cut(JSON.stringify(value), 60)

/** At most so many characters, and no half of one. */
export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`
