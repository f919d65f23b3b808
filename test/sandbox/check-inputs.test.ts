import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../src/core/json.js'
import { scriptReader } from '../../src/sandbox/check/reader.js'
import { createInterpretedValidator } from '../../src/tools/interpreted-validator.js'
import { scriptOptions } from '../conformance/run-script.js'
import { validatorCases } from '../tools/validator-cases.js'

const corpus = process.env.HANDRAIL_CORPUS ?? '../shared/data'
const gate = createInterpretedValidator()

/** Random, and the same each time. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const random = createRandom(7)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
const anything: readonly Json[] = [
  '',
  'a',
  1,
  1.5,
  -1,
  0,
  true,
  null,
  [],
  ['a'],
  [1],
  {},
  { a: 1 },
  { id: 'a', x: [null] },
]

/** A value that a schema may take, and often does not. */
function valueFor(schema: Json | undefined, root: JsonSchema, depth = 0): Json {
  if (!isJsonObject(schema) || depth > 6 || random() < 0.1) return pick(anything)
  const { enum: values, $ref, properties, items } = schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    const defs = [root.$defs, root.definitions].find((each) => isJsonObject(each) && Object.hasOwn(each, name))
    return valueFor((defs as JsonObject | undefined)?.[name], root, depth + 1)
  }
  if (Array.isArray(values)) return pick(values)
  if (schema.const !== undefined) return schema.const
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].find((each) => Array.isArray(each))
  if (branches) return valueFor(pick(branches as Json[]), root, depth + 1)
  const type = Array.isArray(schema.type) ? pick(schema.type as Json[]) : schema.type
  if (type === 'string') return pick(['', 'a', 'abc'])
  if (type === 'integer') return pick([0, 1, 7, -3])
  if (type === 'number') return pick([0, 1.5, 7])
  if (type === 'boolean') return random() < 0.5
  if (type === 'null') return null
  if (type === 'array') return Array.from({ length: Math.floor(random() * 3) }, () => valueFor(items, root, depth + 1))
  if (!isJsonObject(properties)) return pick(anything)
  const names = Object.keys(properties).filter(() => random() < 0.7)
  const fields = names.map((name) => [name, valueFor(properties[name], root, depth + 1)])
  if (random() < 0.1) fields.push(['surplus', 1])
  return Object.fromEntries(fields) as Json
}

/** How often the check refused; that the gate does not is an error. */
function refusedOf(schema: JsonSchema, values: readonly Json[]): number {
  const validate = gate.compile(schema, 'input')
  const tool = { name: 'x', description: 'x', risk: 'read' as const, input: schema }
  let refused = 0
  for (const value of values) {
    const options = scriptOptions(`return tools.x(${JSON.stringify(value)})`, { tools: ['x'], definitions: [tool] })
    const failure = scriptReader.check(scriptReader.parse(options)!, options)
    if (!failure) continue
    refused++
    const faults = validate(value)
    if (faults.length === 0)
      throw new Error(`${failure.message}\nThe gate takes ${JSON.stringify(value)} for ${JSON.stringify(schema)}`)
  }
  return refused
}

const takesObjects = (schema: JsonSchema): boolean => schema.type === 'object'
const many = (schema: JsonSchema, count: number) =>
  Array.from({ length: count }, () => valueFor(schema, schema)).filter(isJsonObject)

it('the check refuses only what the gate refuses', () => {
  const schemas = validatorCases.map(({ schema }) => schema).filter(isJsonObject)
  const inner = schemas.map((schema) => ({
    type: 'object',
    properties: { a: schema },
    ...(schema.$defs && { $defs: schema.$defs }),
    ...(schema.definitions && { definitions: schema.definitions }),
    ...(schema.$schema && { $schema: schema.$schema }),
  }))
  let refused = 0
  for (const schema of [...schemas.filter(takesObjects), ...inner]) {
    try {
      gate.compile(schema, 'input')
    } catch {
      continue
    }
    refused += refusedOf(schema, [...many(schema, 10), ...anything.map((a) => ({ a }))])
  }
  expect(refused).toBeGreaterThan(200)
})

it.skipIf(!existsSync(`${corpus}/4-tools`))('also of tools that servers in use have', () => {
  let [tools, refused] = [0, 0]
  const lines = readFileSync(`${corpus}/4-tools/mcp-tools.jsonl`, 'utf8').trim().split('\n')
  for (const line of lines.filter((_, i) => i % 4 === 0)) {
    const { inputSchema } = JSON.parse(line) as { inputSchema?: JsonSchema }
    if (!inputSchema || !takesObjects(inputSchema)) continue
    try {
      gate.compile(inputSchema, 'input')
    } catch {
      continue
    }
    tools++
    refused += refusedOf(inputSchema, many(inputSchema, 4))
  }
  expect(tools).toBeGreaterThan(500)
  expect(refused).toBeGreaterThan(500)
})
