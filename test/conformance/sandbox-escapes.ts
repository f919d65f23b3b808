import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/script.js'
import { failureOf, ok, runScript, valueOf } from './run-script.js'

interface Escape {
  readonly name: string
  readonly code: string
  /** The code and message of its failure, or `ok` and its value as JSON. */
  readonly ends: string | RegExp
}

const honest = `await tools.echo({ a: 1, list: [1, 2] })`

/** What a script changes of its language, and what the host must still be told: the input {a: 1, list: [1, 2]}. */
const tamperings: readonly (readonly [string, string])[] = [
  ['Promise.prototype.then', `Promise.prototype.then = function () { return 'mine' }`],
  ['Promise', `globalThis.Promise = class { static resolve() { throw 1 } }`],
  ['Symbol.species of Promise', `Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })`],
  ['JSON.stringify and JSON.parse', `JSON.stringify = () => '{"a":99}'; JSON.parse = () => ({ a: 99 })`],
  ['toJSON of every object', `Object.prototype.toJSON = () => ({ a: 99 })`],
  ['toJSON of arrays and numbers', `Array.prototype.toJSON = Number.prototype.toJSON = () => 99`],
  [
    'a getter of Object.prototype',
    `Object.defineProperty(Object.prototype, 'extra', { get() { return 99 }, enumerable: true })`,
  ],
  [
    'setters of Object.prototype',
    `for (const k of ['a', 'list', 'n', 'value']) Object.defineProperty(Object.prototype, k, { set() { throw 1 } })`,
  ],
  [
    'setters of Array.prototype',
    `for (const k of [0, 1]) Object.defineProperty(Array.prototype, k, { set() { throw 1 } })`,
  ],
  [
    'Array.prototype',
    `for (const k of ['push', 'map', 'join', 'slice', 'forEach']) Array.prototype[k] = () => { throw 1 }`,
  ],
  ['iteration', `Array.prototype[Symbol.iterator] = () => { throw 1 }`],
  [
    'Function.prototype',
    `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }`,
  ],
  [
    'Object and Reflect',
    `const { getOwnPropertyNames } = Object; for (const o of [Object, Reflect]) for (const k of getOwnPropertyNames(o)) { try { o[k] = () => { throw 1 } } catch {} }`,
  ],
  ['Error', `globalThis.Error = globalThis.TypeError = function () { throw 1 }`],
  ['Error.prepareStackTrace', `Error.prepareStackTrace = () => { for (;;); }`],
  ['Symbol.toPrimitive', `Object.prototype[Symbol.toPrimitive] = () => { throw 1 }`],
  ['String.prototype', `String.prototype.slice = String.prototype.valueOf = () => { throw 1 }`],
]

const escapes: readonly Escape[] = [
  {
    name: 'the constructor of a function makes code without a host around it',
    code: `return tools.echo.constructor('return typeof window + typeof self + typeof process + typeof document')()`,
    ends: 'ok: "undefinedundefinedundefinedundefined"',
  },
  {
    name: 'the chain of constructors ends in the isolate',
    code: `return (async () => {}).constructor.constructor('return this')() === globalThis`,
    ends: 'ok: true',
  },
  {
    name: 'indirect eval stays inside',
    code: `return (0, eval)('typeof fetch + typeof require')`,
    ends: 'ok: "undefinedundefined"',
  },
  {
    name: 'import() loads nothing',
    code: `return await import('data:text/javascript,export default 1')`,
    ends: /^script_thrown: ReferenceError: could not load module/,
  },
  {
    name: 'import of a URL loads nothing',
    code: `return await import('https://example.com/x.js')`,
    ends: /^script_thrown: ReferenceError: could not load module/,
  },
  { name: 'an import statement is no script', code: `import x from 'x'`, ends: /^script_syntax/ },
  {
    name: 'a body cannot close its function early',
    code: `}); globalThis.x = 1; (async () => {`,
    ends: /^script_syntax/,
  },
  { name: 'nor with a comma', code: `}, globalThis.x = 1, async () => {`, ends: /^script_syntax/ },
  { name: 'nor with a second function', code: `} async function second() {`, ends: /^script_syntax/ },
  { name: 'nor with a comment that swallows the end', code: `return 1 /*`, ends: /^script_syntax/ },
  {
    name: 'tools cannot be replaced',
    code: `tools = { echo: () => 1 }`,
    ends: /^script_thrown: TypeError: 'tools' is read-only/,
  },
  { name: 'a tool cannot be replaced', code: `tools.echo = () => 1`, ends: /^script_thrown: TypeError/ },
  { name: 'a tool cannot be added', code: `tools.mine = () => 1`, ends: /^script_thrown: TypeError/ },
  { name: 'tools cannot be deleted', code: `delete globalThis.tools`, ends: /^script_thrown: TypeError/ },
  {
    name: 'tools has no prototype to go through',
    code: `return [Object.getPrototypeOf(tools), tools.__proto__]`,
    ends: 'ok: [null,null]',
  },
  {
    name: 'tools cannot get a prototype',
    code: `Object.setPrototypeOf(tools, {})`,
    ends: /^script_thrown: TypeError/,
  },
  {
    name: 'a tool called as a constructor is no object of the host',
    code: `return new tools.echo({})`,
    ends: /^script_thrown: TypeError/,
  },
  {
    name: 'a tool has no global scope as its this',
    code: `return await tools.echo.call(globalThis, { a: 1 })`,
    ends: 'ok: {"a":1}',
  },
  {
    name: 'no name of the bridge is left behind',
    code: `return Object.getOwnPropertyNames(globalThis).filter((n) => /host|call|bridge|prelude|isPromise/i.test(n))`,
    ends: 'ok: []',
  },
  {
    name: 'a stack shows no file of the host',
    code: `try { null.x } catch (e) { return /node|http|\\/src\\/|wasm/.test(e.stack) }`,
    ends: 'ok: false',
  },
  { name: 'Atomics is not there', code: `return typeof Atomics`, ends: 'ok: "undefined"' },
  {
    name: 'a SharedArrayBuffer cannot leave',
    code: `try { await tools.echo({ b: new SharedArrayBuffer(8) }) } catch (e) { return e.name } return 'plain'`,
    ends: 'ok: "plain"',
  },
  { name: 'WebAssembly is not there', code: `return typeof WebAssembly`, ends: 'ok: "undefined"' },
  {
    name: '__proto__ as a key changes no prototype',
    code: `const r = await tools.echo(JSON.parse('{"__proto__":{"polluted":1}}')); return [r.polluted ?? null, Object.keys(r)]`,
    ends: 'ok: [null,["__proto__"]]',
  },
  {
    name: "a class that overrides ToolError is the script's own problem",
    code: `Object.setPrototypeOf(ToolError, null); globalThis.ToolError = 1; ${honest}; return 1`,
    ends: 'ok: 1',
  },
]

const bombs: readonly Escape[] = [
  { name: 'an endless loop', code: `for (;;);`, ends: /^script_cpu/ },
  { name: 'an endless loop in finally', code: `try { for (;;); } finally { for (;;); }`, ends: /^script_cpu/ },
  { name: 'an endless loop that catches', code: `for (;;) { try { for (;;); } catch {} }`, ends: /^script_cpu/ },
  {
    name: 'an endless chain of promises',
    code: `const f = () => Promise.resolve().then(f); await f()`,
    ends: /^script_cpu/,
  },
  { name: 'an endless loop of awaits', code: `for (;;) await 1`, ends: /^script_cpu/ },
  {
    name: 'an endless generator',
    code: `function* g() { for (;;) yield 1 } for (const x of g());`,
    ends: /^script_cpu/,
  },
  {
    name: 'an endless getter in the return value',
    code: `return { list: [{ get a() { for (;;); } }] }`,
    ends: /^script_thrown: .*result.list\[0\].a is a getter/,
  },
  {
    name: 'a hole over an endless getter',
    code: `Object.defineProperty(Array.prototype, 0, { get() { for (;;); } }); return [, 1]`,
    ends: 'ok: [null,1]',
  },
  {
    name: 'an endless proxy as return value',
    code: `return new Proxy({}, { ownKeys() { for (;;); } })`,
    ends: /^script_cpu/,
  },
  {
    name: 'an endless proxy as input',
    code: `await tools.echo(new Proxy({}, { ownKeys() { for (;;); } }))`,
    ends: /^script_cpu/,
  },
  {
    name: 'an endless proxy as exception',
    code: `throw new Proxy({}, { getOwnPropertyDescriptor() { for (;;); } })`,
    ends: /^script_cpu/,
  },
  { name: 'an endless then', code: `return { get then() { for (;;); } }`, ends: /^script_cpu/ },
  { name: 'an endless valueOf', code: `return 1 + { valueOf() { for (;;); } }`, ends: /^script_cpu/ },
  { name: 'an endless sort', code: `[1, 2].sort(() => { for (;;); })`, ends: /^script_cpu/ },
  {
    name: 'a print that catches',
    code: `for (;;) { try { print(new Map([[1, 2]])) } catch {} }`,
    ends: /^script_cpu/,
  },
  {
    name: 'a refused call that is caught for ever',
    code: `for (;;) { try { tools.echo(1n) } catch {} }`,
    ends: /^script_cpu/,
  },
  { name: 'a regular expression that backtracks', code: `return /(a+)+b/.test('a'.repeat(40))`, ends: /^script_cpu/ },
  { name: 'endless recursion', code: `const f = () => f(); f()`, ends: /^script_stack/ },
  {
    name: 'endless recursion that catches',
    code: `const f = () => { try { f() } catch { f() } }; f()`,
    ends: /^script_(stack|cpu)/,
  },
  {
    name: 'endless recursion through a getter',
    code: `const o = { get x() { return this.x } }; o.x`,
    ends: /^script_stack/,
  },
  { name: 'endless recursion through the engine', code: `const f = () => [1].map(f); f()`, ends: /^script_stack/ },
  {
    name: 'endless recursion through toString',
    code: `const o = { toString() { return '' + this } }; '' + o`,
    ends: /^script_stack/,
  },
  { name: 'deeply nested code', code: `eval('('.repeat(100_000))`, ends: /^script_(stack|thrown)/ },
  { name: 'deeply nested JSON', code: `JSON.parse('['.repeat(100_000))`, ends: /^script_(stack|thrown)/ },
  {
    name: 'a deeply nested value',
    code: `let a = []; for (let i = 0; i < 100_000; i++) a = [a]; JSON.stringify(a)`,
    ends: /^script_stack/,
  },
  {
    name: 'a deeply nested return value',
    code: `let a = []; for (let i = 0; i < 100_000; i++) a = [a]; return a`,
    ends: /^script_(stack|thrown)/,
  },
  {
    name: 'a deeply nested pattern',
    code: `new RegExp('('.repeat(5000) + ')'.repeat(5000))`,
    ends: /^script_(stack|thrown)/,
  },
  { name: 'objects without end', code: `const a = []; for (;;) a.push({})`, ends: /^script_memory/ },
  { name: 'texts without end', code: `let s = 'x'; for (;;) s += s + '!'`, ends: /^script_(memory|thrown)/ },
  { name: 'one text too long', code: `'x'.repeat(2 ** 29)`, ends: /^script_memory/ },
  {
    name: 'typed arrays without end',
    code: `const a = []; for (;;) a.push(new Uint8Array(1e6))`,
    ends: /^script_memory/,
  },
  { name: 'one buffer too long', code: `new ArrayBuffer(2 ** 31 - 1)`, ends: /^script_(memory|thrown)/ },
  {
    name: 'closures without end',
    code: `let f = () => 1; for (;;) { const g = f; f = () => g }`,
    ends: /^script_memory/,
  },
  {
    name: 'maps without end',
    code: `const m = new Map(); for (let i = 0; ; i++) m.set(i, i)`,
    ends: /^script_memory/,
  },
  {
    name: 'memory that is asked for again and again',
    code: `for (;;) { try { new Uint8Array(1e9) } catch {} }`,
    ends: /^script_memory/,
  },
  { name: 'a number without end', code: `let n = 2n; for (;;) n *= n`, ends: /^script_(memory|thrown|cpu)/ },
  {
    name: 'a value that is small and unfolds to billions',
    code: `let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a`,
    ends: /^script_output/,
  },
  {
    name: 'the same as an input',
    code: `let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; await tools.echo(a)`,
    ends: /^script_output/,
  },
  {
    name: 'the same in a print',
    code: `let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; print(a); return 1`,
    ends: 'ok: 1',
  },
  {
    name: 'an array of four billion holes',
    code: `const a = []; a.length = 2 ** 32 - 1; return a`,
    ends: /^script_(memory|output|cpu)/,
  },
  {
    name: 'a message without end',
    code: `throw new Error('x'.repeat(2e7))`,
    ends: /^script_thrown: Error: x{2000} \(line 1/,
  },
  {
    name: 'a name without end',
    code: `class A extends Error { name = 'x'.repeat(2e7) } throw new A('m')`,
    ends: /^script_thrown: x{2000}: m/,
  },
  {
    name: 'an exception with getters',
    code: `throw { get name() { for (;;); }, get message() { for (;;); }, get stack() { for (;;); } }`,
    ends: /^script_thrown/,
  },
  { name: 'prints without end', code: `for (;;) print('x'.repeat(1000))`, ends: /^script_cpu/ },
  { name: 'a print of very many texts', code: `print(...Array(2000).fill('x'.repeat(1e6))); return 1`, ends: 'ok: 1' },
]

/** What no script can do to a sandbox, one test for each. After each the next script works. */
export function describeEscapes(name: string, create: () => Sandbox | Promise<Sandbox>): void {
  describe(`${name} holds`, () => {
    let sandbox: Sandbox
    beforeAll(async () => {
      sandbox = await create()
    })
    afterEach(async () => {
      expect(await valueOf(sandbox, `return [1, await tools.echo({ a: 1 })]`)).toEqual([1, { a: 1 }])
    })

    it.each(tamperings)(
      'a script that tampers with %s changes nothing of what the host is told',
      async (_, tampering) => {
        const { calls } = await runScript(sandbox, `${tampering}\n;${honest}`, { answer: () => ok({ n: 1 }) })
        expect(calls.map(({ input }) => input)).toEqual([{ a: 1, list: [1, 2] }])
      },
    )

    it.each(tamperings)('a failure after tampering with %s is told in words', async (_, tampering) => {
      expect(await failureOf(sandbox, `${tampering}\n;await tools.echo({ a: 1n })`)).toMatch(
        /^script_thrown: (TypeError: tools.echo: input.a is a BigInt|1$)/,
      )
    })

    it.each(escapes)('$name', check)
    it.each(bombs)('$name is bounded', check, 40_000)

    async function check({ code, ends }: Escape) {
      const limits = { cpuMs: String(ends).includes('cpu') ? 300 : 20_000, totalCpuMs: 20_000 }
      expect(await failureOf(sandbox, code, { limits })).toMatch(ends)
    }
  })
}
