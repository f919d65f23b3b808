import { attacks, type Family } from './attack.js'

const nothing = 'undefined'
/** What a page, a worker or Node has, and no script. */
const hostNames =
  'window self document process require module global Buffer fetch XMLHttpRequest WebSocket Worker SharedWorker importScripts indexedDB caches navigator location localStorage sessionStorage WebAssembly Atomics postMessage onmessage close performance BroadcastChannel MessageChannel EventSource Deno Bun __dirname setImmediate scriptArgs std os'

const count = (names: string) => names.split(' ').length

/** Ways to the host, and what is there instead. */
export const reach: Family = {
  name: 'ways to the host',
  allowed: ['ok', 'thrown'],
  attacks: attacks([
    [
      'finds a global of the host',
      `return ${JSON.stringify(hostNames.split(' '))}.filter((name) => name in globalThis && globalThis[name] !== undefined && name !== 'performance')`,
      { ends: 'ok', value: [] },
    ],
    [
      'finds a global of the host from new Function',
      `return new Function('return ${JSON.stringify(hostNames.split(' ')).replaceAll('"', '\\"')}.map((name) => typeof globalThis[name]).filter((type) => type === "undefined").length')() >= ${count(hostNames) - 1}`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by the constructor of a tool',
      `return tools.echo.constructor('return typeof window + typeof process + typeof document')()`,
      { ends: 'ok', value: nothing.repeat(3) },
    ],
    [
      'finds the host by the constructor of print',
      `return print.constructor.constructor('return this')() === globalThis`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by the constructor of a result',
      `return (await tools.echo({})).constructor.constructor('return typeof process')()`,
      { ends: 'ok', value: nothing },
    ],
    [
      'finds the host by the constructor of a promise',
      `return tools.echo({}).constructor === Promise`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by the constructor of an async function',
      `return (async () => {}).constructor.constructor('return this')() === globalThis`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by the constructor of a generator',
      `return function* () {}.constructor('return typeof process')().next().value`,
      { ends: 'ok', value: nothing },
    ],
    [
      'finds the host by the constructor of a ToolError',
      `return ToolError.constructor('return typeof process')()`,
      { ends: 'ok', value: nothing },
    ],
    [
      'finds the host by an error of a tool',
      `try { await tools.echo() } catch (e) { return [typeof e.constructor.constructor('return process'), Object.getPrototypeOf(Object.getPrototypeOf(e)) === Error.prototype] }`,
      {
        ends: 'ok',
        value: ['function', true],
        answer: () => ({ status: 'error', failure: { code: 'c', message: 'm', retryable: false } }),
      },
    ],
    [
      'finds the host by an error of the bridge',
      `try { tools.echo(1n) } catch (e) { return e.constructor === TypeError && e.constructor.constructor === Function }`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by indirect eval',
      `return (0, eval)('typeof process + typeof require')`,
      { ends: 'ok', value: nothing.repeat(2) },
    ],
    ['finds the host by this', `return (function () { return this === undefined })()`, { ends: 'ok', value: true }],
    [
      'finds the host by a sloppy this',
      `return new Function('return this')() === globalThis`,
      { ends: 'ok', value: true },
    ],
    ['finds the host by callee', `return (function () { return arguments.callee })()`, 'thrown'],
    [
      'finds the host by caller',
      `const f = new Function('return f.caller'); globalThis.f = f; return String(f() ?? null)`,
      ['ok', 'thrown'],
    ],
    [
      'finds the host by a stack',
      `try { null.x } catch (e) { return /node|http|file:|\\/src\\/|wasm|prelude/.test(e.stack) }`,
      { ends: 'ok', value: false },
    ],
    [
      'finds the host by a stack of a tool',
      `try { tools.echo(1n) } catch (e) { return /node|http|file:|\\/src\\/|wasm/.test(e.stack) }`,
      { ends: 'ok', value: false },
    ],
    [
      'finds the host by the text of a tool',
      `return /native code/.test(Function.prototype.toString.call(tools.echo))`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by import()',
      `return await import('data:text/javascript,export default 1')`,
      { ends: 'thrown', message: /^ReferenceError: could not load module/ },
    ],
    [
      'finds the host by import() of a URL',
      `return await import('https://example.com/x.js')`,
      { ends: 'thrown', message: /^ReferenceError: could not load module/ },
    ],
    ['finds the host by import() of a builtin', `return Object.keys(await import('node:fs'))`, 'thrown'],
    ['finds the host by import() of std', `return Object.keys(await import('std'))`, 'thrown'],
    ['finds the host by import() in eval', `return await (0, eval)("import('os')")`, 'thrown'],
    ['finds the host by import.meta', `return (0, eval)('import.meta.url')`, ['thrown']],
    [
      'finds a name of the bridge',
      `return Object.getOwnPropertyNames(globalThis).filter((n) => /host|bridge|prelude|isPromise|native|qts|emscripten/i.test(n))`,
      { ends: 'ok', value: [] },
    ],
    [
      'finds a symbol of the bridge',
      `return Object.getOwnPropertySymbols(globalThis).map(String).filter((n) => !/toStringTag/.test(n))`,
      { ends: 'ok', value: [] },
    ],
    [
      'finds a property of the bridge on a tool',
      `return Reflect.ownKeys(tools.echo).map(String).filter((n) => !['length', 'name'].includes(n))`,
      { ends: 'ok', value: [] },
    ],
    [
      'finds a property of the bridge on a promise',
      `return Reflect.ownKeys(tools.echo()).map(String)`,
      { ends: 'ok', value: [] },
    ],
    ['replaces tools', `tools = { echo: () => 1 }`, { ends: 'thrown', message: /^TypeError: 'tools' is read-only/ }],
    ['replaces a tool', `tools.echo = () => 1`, 'thrown'],
    ['adds a tool', `tools.mine = () => 1`, 'thrown'],
    ['removes a tool', `delete tools.echo`, 'thrown'],
    ['removes tools', `delete globalThis.tools`, 'thrown'],
    [
      'makes up a tool for the host',
      `Object.defineProperty(globalThis, 'tools', { value: { echo: () => 1 } }); return await tools.echo({ a: 1 })`,
      // This engine lets a global be redefined that can't be written: the script then calls itself, and the host nobody.
      { ends: ['ok', 'thrown'], told: [] },
    ],
    ['redefines a tool', `Object.defineProperty(tools, 'echo', { get: () => 1 })`, 'thrown'],
    ['gives tools a prototype', `Object.setPrototypeOf(tools, {})`, 'thrown'],
    [
      'goes through the prototype of tools',
      `return [Object.getPrototypeOf(tools), tools.__proto__ ?? null]`,
      { ends: 'ok', value: [null, null] },
    ],
    ['calls a tool that it does not have', `await tools['constructor']({})`, { ends: 'thrown', told: [] }],
    [
      'calls a tool that it does not have by a prototype',
      `Object.prototype.delete_all = tools.echo; await tools.delete_all({})`,
      { ends: 'thrown', told: [] },
    ],
    ['calls a tool as a constructor', `return new tools.echo({})`, { ends: 'thrown', told: [] }],
    [
      'calls a tool with a this of the host',
      `return await tools.echo.call(globalThis, { a: 1 })`,
      { ends: 'ok', value: { a: 1 }, told: [{ a: 1 }] },
    ],
    [
      'calls a tool under another name',
      `Object.defineProperty(tools.echo, 'name', { value: 'other' }); await tools.echo({ a: 1 })`,
      { ends: 'ok' },
    ],
    [
      'calls a tool with more than it takes',
      `await tools.echo({ a: 1 }, { b: 2 })`,
      { ends: 'thrown', told: [], message: /takes one/ },
    ],
    [
      'lets a subclass of a tool lie',
      `class A extends Function {} Object.setPrototypeOf(tools.echo, A.prototype); return await tools.echo({ a: 1 })`,
      { ends: 'ok' },
    ],
    ['prints what it prints to itself', `print = () => 1; print('x')`, { ends: ['ok', 'thrown'], prints: [] }],
    ['prints under the name of another', `print.call(null, 'x'); return 1`, { ends: 'ok', value: 1, prints: ['x'] }],
    [
      'replaces ToolError for the host',
      `Object.setPrototypeOf(ToolError, null); globalThis.ToolError = 1; await tools.echo({ a: 1, list: [1, 2] }); return 1`,
      { ends: 'ok', value: 1 },
    ],
    [
      'takes the constructor of ToolError',
      `ToolError.prototype.constructor = null; delete ToolError.prototype.name; try { await tools.echo() } catch (e) { return e.code }`,
      {
        ends: 'ok',
        value: 'c',
        answer: () => ({ status: 'error', failure: { code: 'c', message: 'm', retryable: false } }),
      },
    ],
    [
      'moves the clock of the host',
      `Date.now = () => 99; const a = new Date().getTime(); await tools.echo(); return new Date().getTime() - a`,
      { ends: 'ok', value: 1 },
    ],
    [
      'measures time',
      `const a = Date.now(); for (let i = 0; i < 1e5; i++); return Date.now() - a`,
      { ends: 'ok', value: 0 },
    ],
    [
      'measures the host by a timer',
      `const a = typeof performance === 'object' ? performance.now() : 0; for (let i = 0; i < 1e5; i++); return (typeof performance === 'object' ? performance.now() : 0) - a`,
      { ends: 'ok', value: 0 },
    ],
    [
      'learns the time zone of the machine',
      `return [new Date(0).getTimezoneOffset(), new Date(2024, 6, 1).toISOString()]`,
      { ends: 'ok', value: [0, '2024-07-01T00:00:00.000Z'] },
    ],
    [
      'keeps a weak reference into the next script',
      `globalThis.left = new WeakRef({}); new FinalizationRegistry(() => {}).register({}, 1); return 1`,
      { ends: 'ok' },
    ],
  ]),
}
