import type { Json, JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'

const dataFields = new Set(['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'])
const callName = /^[a-zA-Z_][\w.:-]{0,127}$/

/** Why `generateContent` would answer a request with 400; empty when it would not. */
export function geminiComplaints(body: JsonObject, model: string): string[] {
  const found: string[] = []
  const contents = listOf(body.contents)
  if (contents[0]?.role !== 'user') found.push('the first content is not of the user')
  if (contents.at(-1)?.role !== 'user') found.push('the last content is not of the user')
  for (const [i, { role, parts }] of contents.entries()) {
    const list = listOf(parts)
    if (role !== 'user' && role !== 'model') found.push(`content ${i} has the role ${JSON.stringify(role)}`)
    if (list.length === 0) found.push(`content ${i} has no parts`)
    if (role === 'model' && contents[i - 1]?.role === 'model') found.push(`contents ${i - 1} and ${i} are of the model`)
    if (role === 'model' && list.every(({ thought }) => thought === true)) found.push(`content ${i} is only thoughts`)
    for (const part of list) found.push(...partComplaints(part, textOf(role)).map((what) => `content ${i}: ${what}`))
    found.push(...callComplaints(contents, i, model))
  }
  for (const { functionDeclarations } of listOf(body.tools))
    for (const { name, parametersJsonSchema } of listOf(functionDeclarations)) {
      if (!callName.test(textOf(name))) found.push(`a function is named "${textOf(name)}"`)
      if (record(parametersJsonSchema).type !== 'object') found.push('parameters are not of an object')
      found.push(...schemaComplaints(parametersJsonSchema ?? null))
    }
  return found
}

function partComplaints(part: JsonObject, role: string): string[] {
  const found: string[] = []
  const data = Object.keys(part).filter((key) => key !== 'thought' && key !== 'thoughtSignature')
  if (data.length === 0) found.push('a part has no data')
  if (data.filter((key) => dataFields.has(key)).length > 1) found.push(`a part has ${data.join(' and ')}`)
  if (part.text === '' && !part.thoughtSignature) found.push('a text is empty')
  const { functionCall: call, functionResponse: response } = part
  if (call !== undefined) {
    if (role !== 'model') found.push('a call is not of the model')
    if (!callName.test(textOf(record(call).name))) found.push(`a call is of "${textOf(record(call).name)}"`)
    const { args = {} } = record(call)
    if (typeof args !== 'object' || args === null || Array.isArray(args)) found.push('args is not an object')
  }
  if (response !== undefined) {
    if (role !== 'user') found.push('a response is not of the user')
    const value = record(response).response
    if (typeof value !== 'object' || value === null || Array.isArray(value)) found.push('a response is not an object')
  }
  return found
}

function callComplaints(contents: readonly JsonObject[], i: number, model: string): string[] {
  const calls = listOf(contents[i]!.parts).filter(({ functionCall }) => functionCall !== undefined)
  const before = listOf(contents[i - 1]?.parts).filter(({ functionCall }) => functionCall !== undefined)
  const parts = listOf(contents[i]!.parts)
  const responses = parts.filter(({ functionResponse }) => functionResponse !== undefined)
  const found: string[] = []
  if (responses.length !== before.length)
    found.push(`content ${i} has ${responses.length} function responses to ${before.length} function calls`)
  if (responses.length > 0 && parts.length > responses.length)
    found.push(`content ${i} mixes responses with other parts`)
  for (const [n, { functionResponse }] of responses.entries())
    for (const key of ['name', 'id'])
      if (record(functionResponse)[key] !== record(before[n]?.functionCall)[key])
        found.push(`response ${n} of content ${i} has the ${key} of another call`)
  if (calls.length > 0 && i + 1 === contents.length) found.push('the last calls have no responses')
  // Not of older models, which have no signatures.
  const isStrict = /gemini-([3-9]|\d\d)|latest/.test(model)
  if (isStrict && calls.length > 0 && !calls[0]!.thoughtSignature)
    found.push(`the first function call of content ${i} is missing a thought_signature`)
  return found
}

const known = new Set(
  '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'.split(
    ' ',
  ),
)

function schemaComplaints(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return ['a schema is not an object']
  const found = Object.keys(schema).flatMap((key) => (known.has(key) ? [] : [`a schema has ${key}`]))
  const { $ref, properties = {}, $defs = {}, items, additionalProperties: more } = schema as JsonObject
  if ($ref !== undefined && Object.keys(schema).length > 1) found.push('a $ref has siblings')
  if (Array.isArray(items)) found.push('items is a list')
  const lists = ['anyOf', 'oneOf', 'prefixItems'].flatMap((key) => listOf((schema as JsonObject)[key]))
  const inside = [...Object.values(record(properties)), ...Object.values(record($defs)), ...lists]
  if (items !== undefined) inside.push(items)
  if (more !== undefined && typeof more !== 'boolean') inside.push(more)
  return [...found, ...inside.flatMap(schemaComplaints)]
}
