import { isJsonObject } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { segmentsOf } from '../core/path-segments.js'
import { refuse, refuseUnknownFields, shown } from './refuse.js'
import { otherMentionOf } from './offered-definition.js'
import { schemaChangedAt } from './schema-path.js'

/** Of the bytes of one output. */
const largest = 16 << 20
const mostRetries = 10

type Is = (value: unknown) => boolean

const isTexts: Is = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
const isFlag: Is = (value) => typeof value === 'boolean'
const isWhole =
  (from: number, to: number): Is =>
  (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to

/** @throws {HandrailError} `invalid_tool`, naming the field that is wrong and what it must be. */
export function checkDeclarations(definition: ToolDefinition): void {
  const { name, risk, input, output, idempotent, retries, approval, onFailure, secret, hostInput, from } = definition
  const expect = (field: string, value: unknown, is: Is, must: string) => {
    if (value !== undefined && !is(value)) refuse(name, `"${field}" must be ${must}; it is ${shown(value)}`)
  }
  const record = (field: string, value: unknown, known: readonly string[]) => {
    if (value !== undefined) refuseUnknownFields(name, value, known, field)
  }
  record('approval', approval, ['needed', 'previews', 'expires'])
  record('onFailure', onFailure, ['mayTryAnother', 'tellPerson'])
  record('secret', secret, ['input', 'output'])
  expect('approval.needed', approval?.needed, isFlag, 'true or false')
  expect('approval.previews', approval?.previews, isFlag, 'true or false')
  expect('approval.expires', approval?.expires, isWhole(1, Number.MAX_SAFE_INTEGER), 'a whole number of milliseconds')
  expect('onFailure.mayTryAnother', onFailure?.mayTryAnother, isFlag, 'true or false')
  expect('onFailure.tellPerson', onFailure?.tellPerson, isFlag, 'true or false')
  expect(
    'once.repeat',
    definition.repeat,
    (value) => ['ask', 'allow', 'deny'].includes(value as string),
    'ask, allow or deny',
  )
  expect('limits.retries', retries, isWhole(0, mostRetries), `a whole number from 0 to ${mostRetries}`)
  expect('limits.output', definition.largestOutput, isWhole(1, largest), `a number of bytes from 1 to ${largest}`)
  if (risk !== 'read' && retries && !idempotent) refuse(name, '"limits.retries" of a write needs "once.idempotent"')
  expect('hostInput', hostInput, isTexts, 'an array of field names')
  for (const field of hostInput ?? []) checkHostField(definition, field)
  if (from !== undefined && !isJsonObject(from)) refuse(name, '"from" must be an object')
  for (const [path, origins] of Object.entries(from ?? {})) {
    checkPath(name, 'from', input, path, false)
    expect(`from["${path}"]`, origins, isTexts, 'an array of "user", "app" or TOOL:PATH')
    for (const origin of origins) checkOrigin(name, path, origin)
  }
  for (const side of ['input', 'output'] as const) {
    const paths = secret?.[side]
    expect(`secret.${side}`, paths, isTexts, 'an array of paths')
    const schema = side === 'input' ? input : output
    for (const path of paths ?? []) checkPath(name, `secret.${side}`, schema ?? {}, path, schema !== undefined)
  }
}

function checkHostField({ name, input }: ToolDefinition, field: string): void {
  if (!isJsonObject(input.properties) || !Object.hasOwn(input.properties, field))
    refuse(name, `"hostInput" names "${field}", which is no field of "input"`)
  const where = otherMentionOf(input, field)
  if (where !== undefined)
    refuse(name, `"hostInput" names "${field}", which cannot be taken out of "input": ${where} depends on it`)
}

function checkPath(
  name: string,
  place: string,
  schema: ToolDefinition['input'],
  path: string,
  mustName: boolean,
): void {
  try {
    segmentsOf(path)
  } catch (error) {
    refuse(name, `"${place}" has ${JSON.stringify(path)}, which is no path: it ${(error as Error).message}`)
  }
  let isNamed = false
  const found = schemaChangedAt(schema, path, (there) => {
    isNamed = true
    return { ...there }
  })
  // What an open schema does not name may be misspelt: a secret would leave by its real name.
  if (found && (isNamed || !mustName)) return
  refuse(name, `"${place}" has ${JSON.stringify(path)}, and the schema has nothing there ("$ref" is not followed)`)
}

function checkOrigin(name: string, path: string, origin: string): void {
  const [tool = '', ...rest] = origin.split(':')
  const at = rest.join(':')
  if (origin === 'user' || origin === 'app') return
  const isTool = rest.length > 0 && /^[a-zA-Z0-9_-]{1,64}$/.test(tool)
  if (!isTool)
    refuse(
      name,
      `"from" of "${path}" has ${JSON.stringify(origin)}: expected "user", "app", or TOOL:PATH as in "search_orders:/*/id"`,
    )
  try {
    segmentsOf(at)
  } catch (error) {
    refuse(name, `"from" of "${path}" has ${JSON.stringify(origin)}, whose path ${(error as Error).message}`)
  }
}
