import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { scriptReader } from '../../src/sandbox/check/reader.js'
import { withCheck } from '../../src/sandbox/check.js'
import type { ScriptTurn } from '../../src/sandbox/script.js'
import { stripTypes } from '../../src/sandbox/strip-types.js'
import { withTypeScript } from '../../src/sandbox/typescript.js'
import { at, failure, ok, runScript, scriptOptions, startScript } from '../conformance/run-script.js'
import { programs } from './acceptance-programs.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

const define = (name: string, input: JsonSchema): ToolDefinition => ({ name, description: name, risk: 'read', input })

const definitions = [
  define('list_orders', {
    type: 'object',
    properties: {
      status: { enum: ['open', 'closed', 'sent'] },
      limit: { type: 'integer' },
      sort: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      page: { type: ['integer', 'null'] },
    },
  }),
  define('get_order', {
    type: 'object',
    properties: { order_id: { type: 'string' }, full: { type: 'boolean' } },
    required: ['order_id'],
    additionalProperties: false,
  }),
  define('create_order', {
    type: 'object',
    properties: {
      customer: { $ref: '#/$defs/customer' },
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { sku: { type: 'string' }, quantity: { type: 'number' } },
          required: ['sku', 'quantity'],
        },
      },
      note: { type: 'string', nullable: true },
      kind: { const: 'order' },
    },
    required: ['customer', 'items'],
    additionalProperties: false,
    $defs: {
      customer: {
        type: 'object',
        properties: { name: { type: 'string' }, parent: { $ref: '#/$defs/customer' } },
        required: ['name'],
        additionalProperties: false,
      },
    },
  }),
  define('notify', {
    type: 'object',
    properties: {
      to: { oneOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }] },
      text: { type: 'string' },
    },
    allOf: [{ required: ['text'] }, { properties: { to: {} } }],
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }),
  define('wait', { type: 'object' }),
  define('crm__find', { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }),
  define('crm__save_note', { type: 'object', properties: { note: { type: 'string' } } }),
  define('odd-name', { type: 'object', properties: {} }),
  define('say', { type: 'string' }),
]
const tools = definitions.map(({ name }) => name)
const strip = async () => stripTypes
const sandbox = withCheck(withTypeScript(createIsolateSandbox(), strip), async () => scriptReader, strip)

/** What the check says, without running. */
function check(code: string, known: readonly ToolDefinition[] = definitions) {
  const options = scriptOptions(code, { tools: known.map(({ name }) => name), definitions: known })
  const tree = scriptReader.parse(options) ?? scriptReader.parse(options, stripTypes)
  if (!tree) throw new Error(`It does not parse: ${code}`)
  return scriptReader.check(tree, options)
}

const faults: readonly (readonly [code: string, line: number, column: number, message: RegExp])[] = [
  // Tools that are not there.
  ['return tools.get_ordr({ order_id: "1" })', 1, 8, /no tool tools\.get_ordr.*mean tools\.get_order\?/],
  ['return await tools.getOrder({ order_id: "1" })', 1, 14, /mean tools\.get_order\?/],
  ['return tools["get_orders"]({})', 1, 8, /mean tools\.(get_order|list_orders)\?/],
  ['const x = 1\nreturn tools[`nothing_alike`]({})', 2, 8, /The tools are list_orders, get_order,/],
  ['return tools.crm.fnd({ query: "a" })', 1, 8, /no tool tools\.crm\.fnd.*mean tools\.crm__find\?/],
  ['return tools.crm__finds({ query: "a" })', 1, 8, /mean tools\.crm__find\?/],
  ['return tools.crn.find({ query: "a" })', 1, 8, /no tool tools\.crn\.find.*mean tools\.crm__find\?/],
  ['return tools.odd_name({})', 1, 8, /mean tools\["odd-name"\]\?/],
  ['const { get_ordr } = tools\nreturn get_ordr({ order_id: "1" })', 1, 9, /mean tools\.get_order\?/],
  ['const { get_ordr: get, list_orders } = tools\nawait list_orders({})\nreturn get({})', 1, 9, /get_ordr/],
  ['await tools.sleep(100)\nreturn 1', 1, 7, /sleep is no tool: write sleep\(/],
  ['tools.print("a")\nreturn 1', 1, 1, /print is no tool/],
  ['return tools.search({ query: "orders" })', 1, 8, /search is no tool/],
  ['try { return await tools.get_ordr({}) } catch { return null }', 1, 20, /get_ordr/],
  ['const go = async () => { const r = await tools.lst_orders({}); return r }\nreturn go()', 1, 42, /list_orders/],
  ['if (await tools.exists({})) return 1\nreturn 2', 1, 11, /no tool tools\.exists/],
  ['return (await Promise.all([tools.list_orders({}), tools.list_order({})])).length', 1, 51, /list_orders\?/],
  // Fields that are missing.
  ['return tools.get_order({})', 1, 24, /needs order_id: write order_id:/],
  ['return tools.get_order()', 1, 8, /needs order_id: write tools\.get_order\(\{ order_id: /],
  ['return tools.get_order(undefined)', 1, 24, /needs order_id/],
  ['return tools.get_order({ full: true })', 1, 24, /needs order_id/],
  ['return tools.get_order({ order_id: undefined })', 1, 24, /needs order_id/],
  ['const name = "a"\nreturn tools.create_order({ customer: { name } })', 2, 27, /needs items/],
  ['return tools.create_order({ items: [] })', 1, 27, /needs customer/],
  ['return tools.create_order({ customer: {}, items: [] })', 1, 39, /"customer" of tools\.create_order needs name/],
  [
    'return tools.create_order({ customer: { name: "a", parent: {} }, items: [] })',
    1,
    60,
    /"customer\.parent" of .* needs name/,
  ],
  [
    'return tools.create_order({ customer: { name: "a" }, items: [{ sku: "s" }] })',
    1,
    62,
    /"items\[0\]" of .* needs quantity/,
  ],
  ['return tools.notify({ to: "a" })', 1, 21, /needs text/],
  ['return tools.crm.find({})', 1, 23, /needs query/],
  ['return tools.crm__find({ q: "a" })', 1, 24, /needs query, and has "q"/],
  // Fields that may not be there.
  ['return tools.get_order({ id: "1" })', 1, 26, /no field "id"\. Did you mean "order_id"\?/],
  ['return tools.get_order({ orderId: "1" })', 1, 26, /no field "orderId"\. Did you mean "order_id"\?/],
  ['return tools.get_order({ order_id: "1", ful: true })', 1, 41, /no field "ful"\. Did you mean "full"\?/],
  ['return tools.get_order({ order_id: "1", "expand": [] })', 1, 41, /no field "expand"/],
  [
    'return tools.create_order({ customer: { name: "a", mail: "b" }, items: [] })',
    1,
    52,
    /"customer" of tools\.create_order has no field "mail"/,
  ],
  // Values that cannot be.
  ['return tools.get_order({ order_id: 1 })', 1, 36, /"order_id" of tools\.get_order must be string, and is 1\./],
  ['return tools.get_order({ order_id: null })', 1, 36, /must be string, and is null/],
  ['return tools.get_order({ order_id: ["1"] })', 1, 36, /must be string, and is an array/],
  ['return tools.get_order({ order_id: "1", full: "yes" })', 1, 47, /must be boolean/],
  ['return tools.get_order({ order_id: "1", full: `${1}` })', 1, 47, /must be boolean, and is a text/],
  ['return tools.list_orders({ status: "opn" })', 1, 36, /must be one of "open", "closed", "sent".*mean "open"\?/],
  ['return tools.list_orders({ status: true })', 1, 36, /must be one of "open"/],
  ['return tools.list_orders({ limit: "10" })', 1, 35, /must be integer/],
  ['return tools.list_orders({ limit: 1.5 })', 1, 35, /must be integer/],
  ['return tools.list_orders({ limit: -1.5 })', 1, 35, /must be integer, and is -1\.5/],
  ['return tools.list_orders({ sort: 3 })', 1, 34, /"sort"/],
  ['return tools.list_orders({ page: "2" })', 1, 34, /must be integer or null/],
  ['return tools.notify({ text: "a", to: 3 })', 1, 38, /fits none/],
  ['return tools.create_order({ customer: "Ann", items: [] })', 1, 39, /must be object, and is "Ann"/],
  ['return tools.create_order({ customer: { name: "a" }, items: {} })', 1, 61, /must be array/],
  ['return tools.create_order({ customer: { name: "a" }, items: [], kind: "x" })', 1, 71, /must be "order"/],
  // What is no input.
  ['return tools.get_order("O-1")', 1, 24, /takes an object, and not "O-1": write tools\.get_order\(\{ order_id/],
  ['return tools.get_order(17)', 1, 24, /takes an object/],
  ['return tools.get_order(["O-1"])', 1, 24, /takes an object, and not an array/],
  ['return tools.get_order(null)', 1, 24, /takes an object, and not null/],
  ['return tools.list_orders(`open`)', 1, 26, /takes an object/],
  ['return tools.list_orders(JSON.stringify({ status: "open" }))', 1, 26, /takes an object, and not a text/],
  ['return tools.wait(() => 1)', 1, 19, /takes an object, and not a function/],
  ['return tools.get_order("O-1", true)', 1, 31, /one argument.*not 2/],
  ['return tools.get_order({ order_id: "1" }, { full: true })', 1, 43, /one argument/],
  ['return Promise.all(["1"].map(tools.get_order))', 1, 30, /three arguments.*\(item\) => tools\.get_order/],
  // What is no text.
  ['return tools.say()', 1, 8, /needs its text: write tools\.say\("\.\.\."\)/],
  ['return tools.say({ text: "a" })', 1, 18, /must be string, and is an object/],
  ['return tools.say("a", "b")', 1, 23, /takes one argument, a text, and not 2: write tools\.say\("\.\.\."\)/],
  // Promises that nobody waits for.
  ['tools.list_orders({})\nreturn 1', 1, 1, /Nobody waits.*write await tools\.list_orders/],
  [
    'const a = await [1].map(async (id) => tools.get_order({ order_id: `${id}` }))\nreturn a',
    1,
    17,
    /await Promise\.all/,
  ],
  ['return [1].map(async () => { await sleep(1) })', 1, 8, /A result cannot hold promises: write await Promise\.all/],
  ['const a = [1].map(() => tools.list_orders())\nreturn { n: 1, a }', 2, 16, /write await Promise\.all\(a\)/],
  ['async () => {\n  const a = [1].map(() => tools.list_orders())\n  return a\n}', 3, 10, /Promise\.all\(a\)/],
  ['for (const id of ["1"]) {\n  tools.get_order({ order_id: id })\n}\nreturn 1', 2, 3, /Nobody waits/],
  ['if (1) tools.wait({})\nreturn 1', 1, 8, /Nobody waits/],
  ['const go = 1\ngo && tools.wait({})\nreturn 1', 2, 7, /Nobody waits/],
  ['const go = 1\ngo ? tools.wait({}) : tools.list_orders()\nreturn 1', 2, 6, /Nobody waits/],
  ['tools.crm.find({ query: "a" })\nreturn 1', 1, 1, /Nobody waits/],
  ['async () => {\n  tools.wait({})\n}', 2, 3, /Nobody waits/],
  ['["1"].map((id) => { tools.get_order({ order_id: id }) })\nreturn 1', 1, 21, /Nobody waits/],
  ['const list = tools.list_orders({})\nreturn 1', 1, 7, /promise in "list": write list = await/],
  ['sleep(100)\nreturn 1', 1, 1, /write await sleep/],
  [
    'while (true) {\n  const { done } = await tools.wait({})\n  if (done) break\n  sleep(5)\n}\nreturn 1',
    4,
    3,
    /sleep/,
  ],
  [
    '["1"].forEach(async (id) => {\n  await tools.get_order({ order_id: id })\n})\nreturn 1',
    1,
    15,
    /forEach.*for \(const item/,
  ],
  ['["1"].forEach((id) => tools.get_order({ order_id: id }))\nreturn 1', 1, 15, /forEach/],
  ['["1"].forEach(async function (id) { await sleep(3) })\nreturn 1', 1, 15, /forEach/],
  ['["1"].map((id) => tools.get_order({ order_id: id }))\nreturn 1', 1, 1, /promises of map.*Promise\.all/],
  ['["1"].map(async (id) => { await tools.get_order({ order_id: id }) })\nreturn 1', 1, 1, /promises of map/],
  ['Promise.all(["1"].map((id) => tools.get_order({ order_id: id })))\nreturn 1', 1, 1, /await Promise\.all/],
  [
    'return ["1"].filter(async (id) => (await tools.get_order({ order_id: id })).full)',
    1,
    21,
    /filter takes every promise/,
  ],
  ['return ["1"].some((id) => tools.get_order({ order_id: id }))', 1, 19, /some takes every promise/],
  // Promises that are taken for what they will give.
  ['const { length } = tools.list_orders({})\nreturn length', 1, 20, /is a promise.*write await/],
  [
    'return tools.list_orders({}).length',
    1,
    8,
    /has no "length": write \(await tools\.list_orders\(\.\.\.\)\)\.length/,
  ],
  ['const list = tools.list_orders({})\nreturn list.map((o) => o.id)', 2, 8, /"list" is a promise.*list = await/],
  ['for (const o of tools.list_orders({})) print(o)\nreturn 1', 1, 17, /is no list/],
  ['return [...tools.list_orders({})]', 1, 12, /nothing to spread/],
  ['return `there are ${tools.list_orders({})}`', 1, 21, /is no text/],
  ['if (tools.wait({})) return 1\nreturn 2', 1, 5, /always true/],
  ['print(tools.list_orders({}))\nreturn 1', 1, 7, /is a promise, and shows nothing: write await/],
  ['const p = tools.list_orders({})\nconsole.log("orders", p)\nreturn 1', 2, 23, /"p" is a promise, and shows nothing/],
  ['return { a: 1, b: [tools.list_orders({})] }', 1, 20, /a result cannot hold/],
  ['[tools.list_orders({}), tools.wait({})]', 1, 2, /a result cannot hold/],
  ['async () => ({ list: tools.list_orders({}) })', 1, 22, /a result cannot hold/],
  ['async function main() {\n  const list = tools.list_orders({})\n  return { list }\n}', 3, 12, /"list" is a promise/],
  ['return tools.list_orders({}) === null', 1, 8, /is a promise/],
]

/** Each of these is right, or may be. */
const sound: readonly string[] = [
  'return tools.say("a")',
  // Lists of promises.
  'const all = [1].map(() => tools.wait({}))\nfor (const i in all) all[i] = await all[i]\nreturn all',
  'const all = [1].map(() => tools.wait({}))\nreturn await Promise.all(all)',
  'const all = [1].map(async (n) => n)\nreturn all.length',
  'const page = { map: async (f) => f(1) }\nreturn await page.map(async (n) => tools.wait({}))',
  // Tools.
  'return tools.get_order({ order_id: "1" })',
  'return tools["get_order"]({ order_id: "1" })',
  'return tools["odd-name"]({})',
  'return tools.crm.find({ query: "a" })',
  'const { crm } = tools\nreturn crm.find({ query: "a" })',
  'const { find, save_note } = tools.crm\nreturn find({ query: "a" })',
  'return tools.nope?.({ a: 1 }) ?? null',
  'return tools?.nope?.()',
  'if (tools.nope) return tools.nope({})\nreturn 1',
  'if ("nope" in tools) return tools.nope({})\nreturn 1',
  'return typeof tools.nope === "function" ? tools.nope({}) : null',
  'return Object.keys(tools).includes("nope") ? tools.nope({}) : null',
  'const name = "get_" + "order"\nreturn tools[name]({ order_id: "1" })',
  'const run = (tools) => tools.anything(1, 2)\nreturn run({ anything: (a, b) => a + b })',
  'async ({ tools }) => tools.get_order({ order_id: "1" })',
  'const { nope = () => 1 } = tools\nreturn nope()',
  'const { nope } = tools\nreturn nope ? nope({}) : null',
  'const { get_order, ...others } = tools\nreturn get_order({ order_id: "1" })',
  'const my = { tools: { nope: () => 1 } }\nreturn my.tools.nope(1, 2)',
  'return Object.keys(tools).length',
  'const t = tools\nreturn t.get_order({ order_id: "1" })',
  // Inputs.
  'const id = "1"\nreturn tools.get_order({ order_id: id })',
  'const order_id = "1"\nreturn tools.get_order({ order_id })',
  'const input = {}\nreturn tools.get_order(input)',
  'const rest = { order_id: "1" }\nreturn tools.get_order({ ...rest })',
  'const rest = { order_id: "1" }\nreturn tools.get_order({ full: true, ...rest })',
  'const key = "order_id"\nreturn tools.get_order({ [key]: "1" })',
  'const args = [{ order_id: "1" }]\nreturn tools.get_order(...args)',
  'return tools.get_order({ order_id: String(1) })',
  'return tools.get_order({ order_id: `O-${1}`, full: !0 })',
  'return tools.get_order({ order_id: "1", full: undefined })',
  'return tools.get_order({ order_id: "1", id: undefined })',
  'return tools.get_order({ "order_id": "1" })',
  'return tools.list_orders()',
  'return tools.list_orders(undefined)',
  'return tools.list_orders({ extra: 1, status: "open" })',
  'return tools.list_orders({ sort: null, page: null })',
  'return tools.list_orders({ sort: "total", page: 2, limit: 10.0 })',
  'return tools.list_orders({ limit: -1 })',
  'const s = "open"\nreturn tools.list_orders({ status: s ? s : "any" })',
  'return tools.wait({ anything: [1, { a: null }] })',
  'return tools.notify({ text: "a", "x-tag": 1, to: { id: "1" } })',
  'return tools.notify({ text: "a", to: "b" })',
  'return tools.create_order({ customer: { name: "a", parent: { name: "b" } }, items: [], note: null, kind: "order" })',
  'const items = [{ sku: "a" }]\nreturn tools.create_order({ customer: { name: "a" }, items: items.map((i) => ({ ...i, quantity: 1 })) })',
  'const more = []\nreturn tools.create_order({ customer: { name: "a" }, items: [{ sku: "a", quantity: 1 }, ...more] })',
  'return tools.get_order({ get order_id() { return "1" } })',
  // Promises.
  'tools.list_orders({})',
  'const p = tools.list_orders({})\nreturn await p',
  'const p = tools.list_orders({})\nconst q = tools.wait({})\nreturn Promise.all([p, q])',
  'void tools.wait({})\nreturn 1',
  'tools.wait({}).catch(() => null)\nreturn 1',
  'let n = 0\ntools.wait({}).then(() => n++)\nwhile (n < 1) await sleep(1)\nreturn n',
  'const _ignored = tools.wait({})\nreturn 1',
  'const jobs = []\njobs.push(tools.wait({}))\nreturn Promise.all(jobs)',
  'return Promise.all(["1"].map((id) => tools.get_order({ order_id: id })))',
  'const jobs = ["1"].map(async (id) => await tools.get_order({ order_id: id }))\nreturn Promise.all(jobs)',
  'const get = (id) => tools.get_order({ order_id: id })\nreturn get("1")',
  'async function get(id) { return tools.get_order({ order_id: id }) }\nreturn get("1")',
  '["a"].forEach((id) => print(id))\nreturn 1',
  '["a"].forEach(async (id) => { print(id) })\nreturn 1',
  'class List { async forEach(f) { for (const x of [1]) await f(x) } }\nawait new List().forEach(async () => { await tools.wait({}) })\nreturn 1',
  'let r\nr = tools.wait({})\nreturn r',
  'const p = tools.wait({})\nreturn p.then((v) => v).catch(() => 0).finally(() => 1)',
  'const p = tools.wait({})\np.name = "a"\nreturn p.name',
  'const p = tools.wait({})\nif (p && p !== null) return await p\nreturn !p',
  'const waits = { a: tools.wait({}) }\nreturn await waits.a',
  'const sleep = (n) => n\nsleep(3)\nreturn 1',
  'setTimeout(() => 1, 5)\nreturn 1',
  'const cache = {}\nconst get = (id) => (cache[id] ??= tools.get_order({ order_id: id }))\nreturn get("1")',
  'const wait = async () => { await tools.wait({}) }\nawait wait()\nreturn 1',
  'return await tools.list_orders({}).then(({ length }) => length)',
  'return (await tools.list_orders({})).length',
  'const [a, b] = await Promise.all([tools.wait({}), tools.list_orders({})])\nreturn [a, b]',
  'for (const o of await tools.list_orders({})) print(o)\nreturn 1',
  'for await (const o of [tools.wait({}), tools.list_orders({})]) print(o)\nreturn 1',
  'const result = ["1"].reduce(async (before, id) => [...(await before), await tools.get_order({ order_id: id })], Promise.resolve([]))\nreturn result',
  'function* calls() { yield tools.wait({}) }\nreturn Promise.all(calls())',
  'const timeout = new Promise((done) => setTimeout(done, 5))\nreturn Promise.race([tools.wait({}), timeout])',
  'return { a: await tools.wait({}), b: 1 }',
  'const both = () => ({ a: tools.wait({}), b: 1 })\nreturn both().a',
  'async () => {\n  const all = () => [tools.wait({})]\n  return Promise.all(all())\n}',
  'const print = (promise) => promise\nreturn print(tools.wait({}))',
  'print(await tools.wait({}))\nreturn tools.wait({})',
  'return !!(await tools.wait({}))',
  'const list: string[] = (await tools.list_orders({ limit: 3 })) as string[]\nreturn list!.length',
  'enum Kind { Open = "open" }\nreturn tools.list_orders({ status: Kind.Open })',
  'interface Order { id: string }\nconst get = async <T,>(id: string): Promise<T> => (await tools.get_order({ order_id: id })) as T\nreturn get<Order>("1")',
]

describe('a script with a fault makes no call', () => {
  it.each(faults)('%s', async (code, line, column, message) => {
    const run = await runScript(sandbox, code, { tools, more: { definitions } })
    expect(run.calls).toEqual([])
    expect(run.prints).toEqual([])
    expect(run.outcome).toMatchObject({
      status: 'error',
      failure: { code: 'script_check', line, column, message: expect.stringMatching(message) },
    })
  })

  it('which is told with its place in the text of the model, fenced, escaped or typed', async () => {
    const body = 'const id = "1"\nreturn tools.get_order({ order_id: id, ful: true })'
    const fenced = `Here:\n\n\`\`\`js\n${body}\n\`\`\``
    const typed =
      'const id: string = "1"; const o: object = await tools.get_order({ order_id: id as string, ful: true })'
    for (const [code, line, column] of [
      [fenced, 5, 40],
      [JSON.stringify(body).slice(1, -1), 2, 40],
      [typed, 1, typed.indexOf('ful') + 1],
      [`async () => {\n  ${typed}\n}`, 2, typed.indexOf('ful') + 3],
    ] as const) {
      const { outcome } = await runScript(sandbox, code, { tools, more: { definitions } })
      expect(outcome).toMatchObject({ failure: { code: 'script_check', line, column } })
      expect((outcome as { failure: { frame: string } }).failure.frame).toContain('ful: true })')
    }
  })

  it('and is told of all of them, up to eight', () => {
    const found = check(Array.from({ length: 12 }, (_, i) => `await tools.nope${i}({})`).join('\n'))
    expect(found!.message.match(/^Line \d+, column 7: /gm)).toHaveLength(8)
    expect(found!.message).toMatch(/There are more/)
    expect(check('tools.wait({})\nreturn tools.get_order({})')!.message).toMatch(/Line 1, .*\nLine 2, /)
  })
})

describe('a script that may be right is run', () => {
  it.each(sound.map((code) => [code]))('%s', (code) => {
    expect(check(code)).toBeUndefined()
  })

  it('whatever it does: each of the programs of the acceptance test', () => {
    const names = ['list_orders', 'get_order', 'get_customer', 'update_order', 'read_note', 'children', 'poll', 'flaky']
    const free = names.map((name) => define(name, { type: 'object' }))
    const refused = Object.entries(programs).filter(([, code]) => check(code, free))
    expect(refused).toEqual([])
  })

  it('if it was started before: a replay is not checked', async () => {
    const code = 'tools.wait({})\nreturn tools.nope({})'
    const script = startScript(sandbox, code, { tools, more: { definitions } })
    const [turn] = await script.replay(at, [])
    expect(turn).toMatchObject({ calls: [{ toolName: 'wait' }] })
    script.end()
  })

  it('if the tool takes more than objects', () => {
    const any = [define('x', {})]
    for (const input of ['"a"', '1', 'null', '[]', '']) expect(check(`return tools.x(${input})`, any)).toBeUndefined()
  })

  it('if it is not told what the tools take', async () => {
    const { outcome } = await runScript(sandbox, 'return tools.get_order({})', { tools })
    expect(outcome).toEqual({ status: 'ok', value: {} })
  })

  it('if the reader cannot be loaded', async () => {
    const offline = withCheck(createIsolateSandbox(), () => Promise.reject(new Error('offline')), strip)
    const { outcome } = await runScript(offline, 'return tools.get_order({})', { tools, more: { definitions } })
    expect(outcome).toEqual({ status: 'ok', value: {} })
  })
})

describe('a hostile text does not hold the check up', () => {
  const long = 250_000
  it.each<readonly [name: string, code: string]>([
    ['brackets that open', '('.repeat(long)],
    ['brackets that nest', `return ${'['.repeat(long / 2)}${']'.repeat(long / 2)}`],
    ['braces that open', 'a={b:'.repeat(long / 5)],
    ['functions that nest', '()=>'.repeat(long / 4)],
    ['awaits', 'await '.repeat(long / 6)],
    ['templates that nest', '`${'.repeat(long / 3)],
    ['a large expression', `return ${'1+'.repeat(long / 2)}1`],
    ['a large pattern', `return /${'(a|b)*'.repeat(long / 6)}/`],
    ['a pattern that nests', `return /${'('.repeat(long / 2)}${')'.repeat(long / 2)}/`],
    ['blanks', `${' '.repeat(long)}x x`],
    ['line ends', `${'\n'.repeat(long)}x x`],
    ['fences', '```\n'.repeat(long / 4)],
    ['fences of tildes', '~~~js\n'.repeat(long / 6)],
    ['tags', '<code>'.repeat(long / 6)],
    ['entities', '&lt;'.repeat(long / 4)],
    ['escapes', '\\n'.repeat(long / 2)],
    ['quotes', `{"code":${'"'.repeat(long)}`],
    ['JSON that nests', `{"code":"${'{'.repeat(long)}"}`],
    ['default exports', 'export default \n'.repeat(long / 16)],
    ['exports', 'export const a\n'.repeat(long / 16)],
    ['unknown tools', 'await tools.nope({})\n'.repeat(long / 21)],
    ['wrong inputs', `await tools.get_order({ ${'a: 1, '.repeat(long / 6)} })`],
    ['a promise that is used', `const p = tools.wait({})\n${'p.a;\n'.repeat(long / 5)}`],
    ['functions in functions', `${'f(async () => {'.repeat(1_000)}await x${'})'.repeat(1_000)}`],
    ['functions in a row', 'a.map(async () => { await x });\n'.repeat(long / 32)],
    ['comments', '//\n'.repeat(long / 3)],
    ['stars', `/*${'*'.repeat(long)}`],
  ])('%s', (_, code) => {
    const options = scriptOptions(code, { tools, definitions })
    const start = performance.now()
    const tree = scriptReader.parse(options) ?? scriptReader.parse(options, stripTypes)
    if (tree) scriptReader.check(tree, options)
    // A loaded machine is slow; what grows with the square of the length takes minutes.
    expect(performance.now() - start).toBeLessThan(15_000)
  })
})

describe('a script that waits for ever is told where', () => {
  it.each<readonly [code: string, line: number, column: number]>([
    ['await new Promise(() => {})', 1, 1],
    ['new Promise(() => {})', 1, 1],
    ['return new Promise(() => {})', 1, 1],
    ['const never = new Promise(() => {})\nawait Promise.all([never, 1])\nreturn 1', 2, 1],
    ['async function stuck() {\n  await new Promise(() => {})\n}\nprint("a")\nawait stuck()\nreturn 1', 5, 1],
    ['for (const x of [1, 2, 3]) {\n  if (x === 2) await new Promise(() => {})\n}', 2, 16],
    ['await tools.wait({})\nconst a = await tools.wait({})\nconst b = await new Promise(() => {})', 3, 11],
    ['(async () => {\n  await tools.wait({})\n  await new Promise(() => {})\n})()', 3, 3],
    ['async function main() {\n  await tools.wait({})\n  return new Promise(() => {})\n}\nmain()', 3, 3],
    ['const f = async () => new Promise(() => {})\nconst v = 1; await f()', 2, 14],
    ['async function* g() {\n  yield 1\n  await new Promise(() => {})\n}\nfor await (const x of g()) print(x)', 3, 3],
    ['for await (const x of [new Promise(() => {})]) print(x)', 1, 1],
    ['const n: number = 1; await new Promise<void>(() => {})', 1, 22],
    ['```js\nconst a = 1\nawait new Promise(() => {})\n```', 3, 1],
    ['const print = 1, Promise2 = Promise\nPromise.prototype.then = null\nawait new Promise(() => {})', 3, 1],
    ['await { then() {} }\nreturn 1', 1, 1],
    ['try {\n  await tools.wait({ fail: true })\n} catch {\n  await new Promise(() => {})\n}', 4, 3],
    ['const first = new Promise(() => {})\nconst a = first.then(() => 1)\nawait 1\nawait a', 4, 1],
  ])('%s', async (code, line, column) => {
    const run = await runScript(sandbox, code, {
      tools,
      more: { definitions },
      answer: ({ input }) => ((input as { fail?: boolean }).fail ? failure('busy') : ok(1)),
    })
    expect(run.outcome).toMatchObject({ status: 'error', failure: { code: 'script_deadlock', line, column } })
    expect((run.outcome as { failure: { frame: string } }).failure.frame).toContain(`> ${line} | `)
  })

  it('also after it was resumed from a log', async () => {
    const code = 'const a = await tools.wait({})\nconst b = await tools.wait({})\nawait new Promise(() => {})'
    const script = startScript(sandbox, code, { tools })
    const fed = (n: number) => ({ n, at: at + n, result: ok(n) })
    const turns: ScriptTurn[] = [...(await script.replay(at, [fed(0)]))]
    expect(turns.at(-1)).toMatchObject({ calls: [{ n: 1 }] })
    expect(await script.resume(fed(1))).toMatchObject({ outcome: { failure: { code: 'script_deadlock', line: 3 } } })
    script.end()
  })

  it('and which waits are inside that one', async () => {
    const code = 'async function stuck() {\n  await new Promise(() => {})\n}\nawait stuck()\nreturn 1'
    const { outcome } = await runScript(sandbox, code, { tools })
    expect(outcome).toMatchObject({ failure: { line: 4, hint: expect.stringMatching(/Line 2 waits/) } })
  })
})
