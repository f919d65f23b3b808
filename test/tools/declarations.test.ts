import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/core/json.js'
import { defaultLimits } from '../../src/core/script-limits.js'
import type { Risk, ToolDefinition } from '../../src/core/tool-definition.js'
import { access, declareTools, typeOf } from '../../src/tools/declarations.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'

const corpus = process.env.HANDRAIL_CORPUS ?? '../shared/data'
const tsc = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc')

const define = (name: string, input: JsonSchema, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  input,
  risk: 'read' satisfies Risk,
  ...more,
})
const object = (properties: JsonSchema, ...required: string[]): JsonSchema => ({ type: 'object', properties, required })
const string = { type: 'string' }
const number = { type: 'number' }

/** What the TypeScript compiler finds in these modules. */
function errorsIn(modules: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-declarations-'))
  try {
    const files = modules.map((text, i) => {
      const file = join(folder, `m${i}.ts`)
      writeFileSync(file, `export {}\n${text}\n`)
      return file
    })
    execFileSync(process.execPath, [tsc, '--noEmit', '--strict', '--target', 'es2023', '--types', '', ...files], {
      cwd: folder,
    })
    return ''
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each description as a module's namespace of its own, since each declares `tools`. */
const modulesOf = (tools: readonly ToolDefinition[]): string =>
  tools
    .map(
      (tool, i) =>
        `namespace N${i} {\n${declareTools([tool], { docs: true, longest: 6_000 }).replaceAll('declare const', 'export declare const')}\n}`,
    )
    .join('\n')

describe('typeOf()', () => {
  it.each<[string, JsonSchema, string]>([
    ['a literal', { const: 'd' }, '"d"'],
    ['a literal that is an object', { const: { a: [1, null] } }, '{ a: [1, null] }'],
    ['an enum of mixed values', { enum: ['b', -1, null] }, '"b" | -1 | null'],
    ['several types', { type: ['integer', 'string'] }, 'number | string'],
    ['anyOf', { anyOf: [string, { type: 'null' }] }, 'string | null'],
    ['oneOf of one type', { oneOf: [string, { type: 'string', format: 'date' }] }, 'string'],
    ['nullable', { type: 'string', nullable: true }, 'string | null'],
    ['arrays of unions', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    ['nested arrays', { type: 'array', items: { type: 'array', items: number } }, 'number[][]'],
    ['arrays of anything', { type: 'array' }, 'unknown[]'],
    ['a tuple', { type: 'array', prefixItems: [string, number] }, '[string, number]'],
    ['a tuple with a rest', { type: 'array', prefixItems: [string], items: number }, '[string, ...number[]]'],
    ['a tuple of draft-07', { type: 'array', items: [string, number], minItems: 1 }, '[string, number?]'],
    ['fields', object({ a: string, b: number }, 'a'), '{ a: string; b?: number }'],
    ['a required field that is not described', { type: 'object', required: ['a'] }, '{ a: unknown }'],
    ['names that need quotes', object({ 'a-b': string, 'c"\n': string }), '{ "a-b"?: string; "c\\"\\n"?: string }'],
    ['a record', { type: 'object', additionalProperties: string }, '{ [name: string]: string }'],
    ['a record by patterns', { type: 'object', patternProperties: { '^x': number } }, '{ [name: string]: number }'],
    [
      'a record with known fields',
      { ...object({ a: string }), additionalProperties: number },
      '{ a?: string; [name: string]: unknown }',
    ],
    ['any object', { type: 'object' }, 'object'],
    ['no field at all', { type: 'object', additionalProperties: false }, '{}'],
    ['allOf', { allOf: [object({ a: string }), object({ b: number }, 'b')] }, '{ a?: string } & { b: number }'],
    [
      'allOf of unions',
      { allOf: [{ type: ['string', 'null'] }, { enum: ['a', null] }] },
      '(string | null) & ("a" | null)',
    ],
    [
      'fields beside alternatives',
      { ...object({ a: string }), anyOf: [object({ b: string }, 'b'), object({ c: string })] },
      '{ a?: string } & ({ b: string } | { c?: string })',
    ],
    [
      'alternatives that only require',
      { ...object({ a: string }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a?: string }',
    ],
    ['alternatives that narrow', { type: 'string', anyOf: [{ enum: ['a'] }, { const: 'b' }] }, '"a" | "b"'],
    [
      'alternatives of which one allows more',
      { type: 'string', anyOf: [{ enum: ['a'] }, { minLength: 3 }] },
      '"a" | string',
    ],
    ['what is not said', {}, 'unknown'],
    ['what is forbidden', { anyOf: [false, string] }, 'string'],
    ['fields without a type', { properties: { a: string } }, '{ a?: string }'],
    ['items without a type', { items: string }, 'string[]'],
  ])('writes %s', (_, schema, expected) => {
    expect(typeOf(schema, 4, schema)).toBe(expected)
  })

  it('follows references, also percent-encoded ones, and ends cycles', () => {
    const root = {
      ...object({ node: { $ref: '#/$defs/n' }, odd: { $ref: '#/$defs/a%20b~1c' }, no: { $ref: '#/constructor' } }),
      $defs: { n: object({ next: { $ref: '#/$defs/n' } }), 'a b/c': number },
    }
    expect(typeOf(root, 4, root)).toBe('{ node?: { next?: object }; odd?: number; no?: unknown }')
  })

  it('says of a long enum how many values it leaves out, and of which kinds they are', () => {
    const values = [...Array.from({ length: 300 }, (_, i) => `value-${i}`), null]
    const type = typeOf({ enum: values }, 1, {})
    expect(type).toMatch(/^"value-0" \| "value-1" \|.* \| string \| null \/\* \d+ more \*\/$/)
    expect(type.length).toBeLessThan(320)
  })
})

describe('declareTools()', () => {
  const declare = (...tools: ToolDefinition[]) => declareTools(tools, { longest: 600 })

  it('writes one line for a tool, and marks those that may ask a person', () => {
    const pay = define('pay', object({ amount: number }, 'amount'), {
      risk: 'sensitive',
      output: object({ id: string }, 'id'),
    })
    expect(declare(define('list', object({ query: string })), pay, define('ping', object({})))).toBe(
      `declare const tools: {
  list(input?: { query?: string }): Promise<unknown>
  pay(input: { amount: number }): Promise<{ id: string }> // asks
  ping(): Promise<unknown>
}`,
    )
  })

  it('puts NAMESPACE__NAME into its namespace, unless that is a tool', () => {
    const text = declare(
      ...['git__log', 'x', 'git__a__b', 'x__y', '__z', 'w__'].map((name) => define(name, object({}))),
    )
    expect(text).toBe(
      `declare const tools: {
  git: {
    log(): Promise<unknown>
    a__b(): Promise<unknown>
  }
  x(): Promise<unknown>
  x__y(): Promise<unknown>
  __z(): Promise<unknown>
  w__(): Promise<unknown>
}`,
    )
  })

  it('writes a schema that contains itself as a named type, once for all tools that have it', () => {
    const tree = {
      ...object({ root: { $ref: '#/$defs/node' } }),
      $defs: { node: object({ children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
    }
    expect(declare(define('a', tree), define('b', tree)).split('\n').slice(0, 3)).toEqual([
      'type Node = { children?: Node[] }',
      'declare const tools: {',
      '  a(input?: { root?: Node }): Promise<unknown>',
    ])
  })

  it('keeps two schemas of one name apart', () => {
    const tree = (field: string) => ({
      ...object({ root: { $ref: '#/$defs/node' } }),
      $defs: { node: object({ [field]: { $ref: '#/$defs/node' } }) },
    })
    const text = declare(define('a', tree('left')), define('b', tree('right')))
    expect(text).toContain('type Node = { left?: Node }\ntype Node2 = { right?: Node2 }\n')
    expect(text).toContain('  b(input?: { root?: Node2 })')
  })

  it('gives a name to a type that comes more than once, if that is shorter', () => {
    const order = {
      ...object(
        { order_id: string, customer_id: string, total: number, status: { enum: ['open', 'shipped', 'closed'] } },
        'order_id',
      ),
      title: 'Order',
    }
    const text = declare(
      define('get', object({}), { output: order }),
      define('list', object({}), { output: { type: 'array', items: order } }),
    )
    expect(text).toContain(
      'type Order = { order_id: string; customer_id?: string; total?: number; status?: "open" | "shipped" | "closed" }\n',
    )
    expect(text).toContain('  list(): Promise<Order[]>')
  })

  it('leaves deprecated fields out that need not be given', () => {
    const old = { ...string, deprecated: true }
    expect(declare(define('a', object({ x: old, y: old, z: string }, 'y')))).toContain(
      'a(input: { y: string; z?: string })',
    )
  })

  it('gives depth up before a declaration is too long, then optional fields, at last all types', () => {
    const wide = (depth: number): JsonSchema =>
      depth === 0 ? string : object(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`p${i}`, wide(depth - 1)])))
    expect(declare(define('x', wide(3)))).toContain('p8?: object')
    const fields = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`field_${i}\n`, string]))
    expect(declare(define('x', object({ ...fields(500), id: number }, 'id')))).toContain(
      '  x(input: { id: number; [name: string]: unknown }): Promise<unknown>',
    )
    expect(declare(define('x', object(fields(500), ...Object.keys(fields(500)))))).toContain(
      '  x(input: object): Promise<unknown>',
    )
  })

  it('gives the same bytes for the same tools', () => {
    const tools = [define('a', object({ b: { enum: ['c', 'd'] } })), define('n__a', object({}))]
    expect(declare(...structuredClone(tools))).toBe(declare(...tools))
  })
})

describe('declareTools() with docs', () => {
  it('tells what the schema says about each field', () => {
    const tool = define(
      'get',
      object(
        {
          id: { ...string, description: 'As in\n the list.', pattern: '^O-' },
          limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
          day: { ...string, format: 'date' },
          old: { ...string, deprecated: true },
        },
        'id',
      ),
    )
    expect(declareTools([tool], { docs: true, longest: 6_000 })).toBe(
      `declare const tools: {
  get(input: {
    /** As in the list. like ^O- */
    id: string
    /** 1 to 50, default 10 */
    limit?: number
    /** date */
    day?: string
    /** @deprecated */
    old?: string
  }): Promise<unknown>
}`,
    )
  })

  it('stays within what it may take, whatever the tool says', () => {
    const long = { ...string, description: 'word '.repeat(500) }
    const tool = {
      ...define('x', object(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, long])))),
      description: '😀'.repeat(9_000),
    }
    expect(declareTools([tool], { docs: true, longest: 4_000 }).length).toBeLessThan(4_100)
  })
})

describe('access()', () => {
  it('writes a tool as a script reads it', () => {
    const tools = ['list', 'a-b', 'git__log', 'my-git__a-b'].map((name) => define(name, object({})))
    expect(tools.map(({ name }) => access(name, tools))).toEqual([
      'tools.list',
      'tools["a-b"]',
      'tools.git.log',
      'tools["my-git"]["a-b"]',
    ])
  })

  it('reads every tool in a script, whatever it is called', async () => {
    const names = [
      'list',
      'a-b',
      'x',
      'x__y',
      '__z',
      'w__',
      '__a__b',
      '___',
      '_____',
      'a____b',
      'n__new',
      'p__constructor',
      '0__1',
    ]
    const tools = names.map((name) => define(name, object({})))
    const calls = tools.map(({ name }) => `${access(name, tools)}()`)
    const script = createIsolateSandbox().start({
      code: `return Promise.all([${calls.join(', ')}])`,
      engine: createIsolateSandbox().engine,
      tools: names,
      seed: 1,
      locale: 'en',
      timeZone: 'UTC',
      state: {},
      limits: defaultLimits,
    })
    const { calls: made } = await script.start(0)
    expect(made.map(({ toolName }) => toolName)).toEqual(names)
  })
})

describe('the TypeScript compiler', () => {
  it('takes every declaration, whatever names and schemas are in it', () => {
    const loop = (ref: JsonSchema) => ({ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: ref } })
    const tools = [
      ...['new', 'get', 'constructor', 'default', 'a-b', '0', '_', 'x__new', 'x__a-b', '-__-'].map((name) =>
        define(name, object({})),
      ),
      define(
        'fields',
        object(
          { new: string, readonly: string, get: number, '': string, __proto__2: string, ü: string, '*/': string },
          'new',
          'readonly',
        ),
      ),
      define('doc', object({ a: { ...string, description: '*/ } ; declare const x: number /* `${1}` \u2028 \\' } }), {
        description: '*/ oops',
      }),
      define(
        'values',
        object({ a: { enum: ['"', '\\', '\u2028', '\ud800', '*/', {}, [], { a: [{}] }, -1e300, true] } }),
      ),
      define('self', loop({ $ref: '#/$defs/a' })),
      define('selves', loop({ anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }, string] })),
      define('list', loop({ type: 'array', items: { $ref: '#/$defs/a' } })),
      define('record', loop({ type: 'object', additionalProperties: { $ref: '#/$defs/a' } })),
      define('both', loop({ allOf: [{ $ref: '#/$defs/a' }, object({ b: { $ref: '#/$defs/a' } })] })),
      define('root', { ...object({ again: { $ref: '#' } }) }),
      define('two', {
        ...object({ a: { $ref: '#/$defs/promise' } }),
        $defs: {
          promise: object({ a: { $ref: '#/$defs/array' } }),
          array: { type: 'array', items: { $ref: '#/$defs/promise' } },
        },
      }),
      define('direct', {
        ...object({ a: { $ref: '#/$defs/a' } }),
        $defs: {
          a: { anyOf: [{ $ref: '#/$defs/b' }, string] },
          b: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'array', items: { $ref: '#/$defs/b' } }] },
        },
      }),
      define(
        'tuple',
        object({
          a: {
            type: 'array',
            prefixItems: [{ enum: [1, 2] }, string],
            minItems: 1,
            items: { type: ['string', 'null'] },
          },
        }),
      ),
      define('odd', {
        type: 'object',
        properties: {
          a: { type: 7, enum: 'no', anyOf: 3, allOf: 'x', items: 4 },
          b: false,
          c: true,
          d: null,
          e: { enum: [] },
        },
        required: 'a',
      } as unknown as JsonSchema),
    ]
    const alone = tools.map((tool) => declareTools([tool], { longest: 600 }))
    expect(errorsIn([declareTools(tools, { longest: 600 }), modulesOf(tools), ...alone])).toBe('')
  })

  it('tells a wrong call from a right one', () => {
    const address = { ...object({ street: string, zip: string }, 'street'), title: 'Address' }
    const tools = [
      define('find', object({ query: string, limit: { type: 'integer' } }, 'query'), {
        output: { type: 'array', items: object({ id: string, to: address }, 'id') },
      }),
      define('move', object({ id: string, to: address }, 'id', 'to'), {
        output: { anyOf: [object({ moved: { const: true } }, 'moved'), { type: 'null' }] },
      }),
      define('ping', object({})),
      define('page', object({ size: { enum: [10, 20] }, order: { type: ['string', 'null'] } })),
      define('git__log', object({ since: string }), {
        output: object({ commits: { type: 'array', items: string } }, 'commits'),
      }),
      define('put', { ...object({ id: string }, 'id'), additionalProperties: number }),
      define('tags', object({ tags: { type: 'object', additionalProperties: number } })),
      define('point', object({ at: { type: 'array', prefixItems: [number, number], items: false } }, 'at')),
      define('tree', {
        ...object({ node: { $ref: '#/$defs/node' } }),
        $defs: { node: object({ name: string, children: { type: 'array', items: { $ref: '#/$defs/node' } } }, 'name') },
      }),
      define('pick', { type: 'object', oneOf: [object({ id: string }, 'id'), object({ name: string }, 'name')] }),
      define('all', { type: 'object', allOf: [object({ a: string }, 'a'), object({ b: number }, 'b')] }),
      define('a-b', object({ 'c-d': { type: 'boolean' } })),
    ]
    const right = [
      `const [first] = await tools.find({ query: 'a', limit: 1 })`,
      `if (first) { const moved = await tools.move({ id: first.id, to: { street: first.to?.street ?? '' } }); if (moved) moved.moved satisfies true }`,
      `await tools.ping(), await tools.page(), await tools.page({ size: 10, order: null })`,
      `;(await tools.git.log({ since: '' })).commits.map((commit) => commit.length)`,
      `await tools.put({ id: '', other: 1 }), await tools.tags({ tags: { a: 1 } }), await tools.point({ at: [1, 2] })`,
      `await tools.tree({ node: { name: '', children: [{ name: '', children: [] }] } })`,
      `await tools.pick({ id: '' }), await tools.pick({ name: '' }), await tools.all({ a: '', b: 1 }), await tools['a-b']({ 'c-d': true })`,
    ]
    const wrong = [
      `await tools.find()`,
      `await tools.find({ limit: 1 })`,
      `await tools.find({ query: 'a', pages: 1 })`,
      `(await tools.find({ query: 'a' }))[0]!.name`,
      `await tools.move({ id: '', to: {} })`,
      `(await tools.move({ id: '', to: { street: '' } })).moved`,
      `await tools.ping({})`,
      `await tools.page({ size: 30 })`,
      `await tools.git.push({})`,
      `await tools.tags({ tags: { a: '' } })`,
      `await tools.point({ at: [1] })`,
      `await tools.tree({ node: { name: '', children: [{}] } })`,
      `await tools.pick({})`,
      `await tools.all({ a: '' })`,
      `await tools['a-b']({ 'c-d': 1 })`,
    ].map((line) => `// @ts-expect-error\n;${line}`)
    expect(errorsIn([[declareTools(tools, { longest: 600 }), ...right, ...wrong].join('\n')])).toBe('')
  })

  it.skipIf(!existsSync(`${corpus}/4-tools`))('takes the declarations of all tools that servers in use have', () => {
    const servers = new Map<string, ToolDefinition[]>()
    for (const line of readFileSync(`${corpus}/4-tools/mcp-tools.jsonl`, 'utf8').trim().split('\n')) {
      const { source, server, name, description, inputSchema, outputSchema } = JSON.parse(line)
      const tool = define(name, inputSchema ?? { type: 'object' }, {
        description: description ?? '',
        ...(outputSchema && { output: outputSchema }),
      })
      servers.set(`${source}/${server}`, [...(servers.get(`${source}/${server}`) ?? []), tool])
    }
    const sets = [...servers.values()]
    expect(sets.flat().length).toBeGreaterThan(1_000)
    expect(errorsIn(sets.flatMap((tools) => [declareTools(tools, { longest: 600 }), modulesOf(tools)]))).toBe('')
  })
})
