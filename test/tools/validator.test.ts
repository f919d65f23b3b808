import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import type { Json, JsonSchema } from '../../src/core/json.js'
import { createAjvValidator } from '../../src/tools/ajv-validator.js'
import type { Fault, Validator } from '../../src/tools/fault.js'
import { createInterpretedValidator } from '../../src/tools/interpreted-validator.js'
import { loadValidator } from '../../src/tools/validator.js'
import { validatorCases } from './validator-cases.js'

const corpus = process.env.HANDRAIL_CORPUS ?? '../shared/data'
const hasCorpus = existsSync(corpus)
const ajv = createAjvValidator()
const interpreted = createInterpretedValidator()
const engines = [ajv, interpreted]

const outline = (faults: readonly Fault[]) => faults.map(({ path, keyword }) => `${path} ${keyword}`)

describe.each(engines)('$name', (engine) => {
  it.each(validatorCases)('$name', ({ schema, value, faults }) => {
    expect(outline(engine.compile(schema, 'input of tool "x"')(value))).toEqual(faults)
  })

  it.each([
    ['a type that there is not', { properties: { a: { type: 'strin' } } }, '/properties/a/type'],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, '/properties/a/pattern'],
    ['a property pattern that is none', { patternProperties: { '[': {} } }, '/patternProperties'],
    ['a reference into nowhere', { properties: { a: { $ref: '#/$defs/none' } } }, '#/$defs/none'],
    ['a reference to another host', { $ref: 'https://example.com/schema.json' }, 'https://example.com/schema.json'],
    ['a reference to a prototype', { $ref: '#/__proto__' }, '/$ref'],
    ['an escaped one', { $ref: '#/%5f%5fproto__' }, '/$ref'],
    ['a reference to a constructor', { allOf: [{ $ref: '#/constructor/prototype' }] }, '/allOf/0/$ref'],
    ['a note of the interpreter', { $ref: '#/$defs/a', __$refResolved: true, $defs: { a: false } }, '/__$refResolved'],
    ['a number where a schema must be', { properties: { a: 1 } }, 'tool "x"'],
    ['draft-04 in 2020-12', { exclusiveMinimum: true }, 'tool "x"'],
  ])('refuses %s, naming the tool and the place', (_, schema, place) => {
    const compile = () => engine.compile(schema as JsonSchema, 'input of tool "x"')
    expect(compile).toThrow(expect.objectContaining({ code: 'invalid_schema' }))
    expect(compile).toThrow('Cannot use the schema of the input of tool "x": ')
    expect(compile).toThrow(place)
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(Object.getOwnPropertyNames(Object.prototype).filter((name) => name.startsWith('__$'))).toEqual([])
  })

  it('leaves the schema and the value as they were', () => {
    const schema = { $id: 'urn:example:x', properties: { a: { pattern: 'a', format: 'date' } } }
    const before = JSON.stringify(schema)
    engine.compile(schema, 'input')({ a: 'b' })
    expect(JSON.stringify(schema)).toBe(before)
  })

  it('is not ended by the deepest value that the gate lets through', () => {
    const schema: JsonSchema = { properties: { a: { $ref: '#' } }, required: ['a'] }
    let value: Json = {}
    for (let i = 0; i < 127; i++) value = { a: value }
    expect(outline(engine.compile(schema, 'input')(value))).toEqual([`${'/a'.repeat(128)} required`])
  })

  it('tells the model what to mend', () => {
    const schema: JsonSchema = {
      properties: {
        order_id: { type: 'string' },
        size: { enum: ['s', 'm'] },
        at: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      },
      required: ['order_id'],
      additionalProperties: false,
    }
    expect(
      engine
        .compile(
          schema,
          'input',
        )({ orderId: 1, size: 'l', at: 'x' })
        .map(({ path, message }) => `${path} ${message}`),
    ).toEqual([
      '/at must be number | null; it is "x"',
      '/orderId is not a property that is known; did you mean "order_id"?',
      '/order_id is missing',
      '/size must be one of "s", "m"; it is "l"',
    ])
  })
})

describe('loadValidator()', () => {
  it('takes the compiling engine where code may be made of text', async () => {
    expect((await loadValidator()).name).toBe('ajv')
  })

  it('takes the interpreting one where it may not, and that one works', () => {
    const code = `
      import { loadValidator } from './src/tools/validator.ts'
      const validator = await loadValidator()
      const validate = validator.compile({ required: ['a'], properties: { b: { type: 'string' } } }, 'input')
      console.log(validator.name, validate({ b: 1 }).length, validate({ a: 1 }).length)`
    const flags = ['--disallow-code-generation-from-strings', '--import', 'tsx', '--input-type=module', '-e', code]
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('z-schema 2 0')
  })
})

type Answer = string[] | 'refused' | 'threw'

function answer(engine: Validator, schema: JsonSchema, values: readonly Json[]): Answer[] {
  try {
    const validate = engine.compile(schema, 'input')
    return values.map((value) => {
      try {
        return outline(validate(value))
      } catch (error) {
        if (error instanceof RangeError) return 'threw'
        throw error
      }
    })
  } catch (error) {
    if ((error as { code?: string }).code === 'invalid_schema') return values.map(() => 'refused')
    throw error
  }
}

describe.runIf(hasCorpus)('the schemas of real tools', () => {
  interface RealTool {
    readonly name: string
    readonly inputSchema?: JsonSchema
    readonly outputSchema?: JsonSchema
  }
  const tools = () =>
    readFileSync(join(corpus, '4-tools/mcp-tools.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RealTool)

  it('are taken or refused by both engines alike, with the same faults for wrong inputs', { timeout: 120_000 }, () => {
    const seen = new Set<string>()
    const counts = { schemas: 0, refused: 0, inputs: 0, faults: 0 }
    for (const { name, inputSchema, outputSchema } of tools()) {
      for (const schema of [inputSchema, outputSchema]) {
        if (!schema || seen.has(shapeOf(schema))) continue
        seen.add(shapeOf(schema))
        const inputs = wrongInputs(schema)
        const [a, b] = engines.map((engine) => answer(engine, schema, inputs))
        expect([name, b]).toEqual([name, a])
        counts.schemas++
        if (a!.includes('refused')) counts.refused++
        counts.inputs += inputs.length
        counts.faults += a!.flat().length
      }
    }
    expect(counts.schemas).toBeGreaterThan(1000)
    expect(counts.refused).toBeLessThan(5)
    expect(counts.faults).toBeGreaterThan(counts.inputs)
  })
})

/** Many tools differ only by their words: each shape is tried once. */
const shapeOf = (schema: JsonSchema) =>
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'description' || key === 'title' || key === 'default')
      return typeof value === 'object' ? value : undefined
    return key === 'properties' ? Object.values(value as object) : value
  })

/** Each property with a value of each kind; none of them; one that is not known. */
function wrongInputs(schema: JsonSchema): Json[] {
  const names = Object.keys((schema.properties as object | undefined) ?? {}).slice(0, 12)
  const kinds: Json[] = ['a', 1.5, null, [{}], { a: [1] }, true]
  const filled = kinds.map((kind) => Object.fromEntries(names.map((name) => [name, kind])))
  return [{}, [], JSON.parse('{"__proto__":1,"unknown":{}}') as Json, ...filled]
}

interface SuiteGroup {
  readonly description: string
  readonly schema: JsonSchema | boolean
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

/** Where Ajv is wrong, or refuses what is right: no real tool was found to use any of it. */
const disagreements: Readonly<Record<string, RegExp>> = {
  'dynamic references': /^dynamicRef\.json|\$dynamicRef/,
  'relative ids of schemas in schemas': /^ref\.json.*(relative (uris|refs)|URN ref with nested|sibling \$id)/,
  'what unevaluated items come to after contains, if and nested items': /^unevaluatedItems\.json/,
  'what unevaluated properties come to after if':
    /^unevaluatedProperties\.json.*(if\/then\/else, then not|if without then)/,
}
const isListed = (name: string) => Object.values(disagreements).some((pattern) => pattern.test(name))

describe.runIf(hasCorpus)('the JSON Schema test suite', () => {
  it.each([
    { draft: 'draft2020-12', $schema: 'https://json-schema.org/draft/2020-12/schema', ajvMisses: 0.05 },
    { draft: 'draft7', $schema: 'http://json-schema.org/draft-07/schema#', ajvMisses: 0.01 },
  ])(
    'is passed by both engines alike, but for the listed groups: $draft',
    { timeout: 60_000 },
    ({ draft, $schema, ajvMisses }) => {
      const folder = join(corpus, '3-json-schema-test-suite/tests', draft)
      const counts = { tests: 0, ajv: 0, interpreted: 0, disagree: 0 }
      const unlisted: string[] = []
      for (const file of readdirSync(folder).filter(
        (name) => name.endsWith('.json') && !/^(refRemote|vocabulary)/.test(name),
      )) {
        for (const { description, schema, tests } of JSON.parse(
          readFileSync(join(folder, file), 'utf8'),
        ) as SuiteGroup[]) {
          if (
            typeof schema === 'boolean' ||
            /"[^"]*(tree|extendible-dynamic-ref|detached-dynamicref)\.json/.test(JSON.stringify(schema))
          )
            continue
          const values = tests.map(({ data }) => data)
          const [a, b] = engines.map((engine) => answer(engine, { $schema, ...schema }, values).map(verdict))
          tests.forEach((test, i) => {
            counts.tests++
            if (a![i] === test.valid) counts.ajv++
            if (b![i] === test.valid) counts.interpreted++
            if (a![i] === b![i]) return
            counts.disagree++
            const name = `${file} ${description}`
            if (!isListed(name)) unlisted.push(`${name}: ${test.description}`)
          })
        }
      }
      expect(unlisted).toEqual([])
      // An empty enum, which the interpreter refuses.
      expect(counts.tests - counts.interpreted).toBeLessThanOrEqual(6)
      expect(counts.tests - counts.ajv).toBeLessThan(counts.tests * ajvMisses)
    },
  )
})

const verdict = (found: Answer) => (Array.isArray(found) ? found.length === 0 : found)
