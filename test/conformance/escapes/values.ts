import type { Json } from '../../../src/core/json.js'
import { attacks, type Family } from './attack.js'

/** Small, and as JSON endless. */
const unfolding = `let a = [1]; for (let i = 0; i < 40; i++) a = [a, a];`
const hung = `{ for (;;); }`
const rejected = (message: string) => ({ ends: 'thrown', message: new RegExp(message), told: [] }) as const

/** Values that are more than they look, on their way out. */
export const values: Family = {
  name: 'hostile values',
  allowed: ['ok', 'thrown', 'output', 'cpu', 'memory', 'stack'],
  attacks: attacks([
    [
      'runs a getter while its value is read',
      `let ran = 0; try { await tools.echo({ get a() { ran++; return 1 } }) } catch (e) { return [ran, e.message] }`,
      { ends: 'ok', value: [0, 'tools.echo: input.a is a getter: copy its value'], told: [] },
    ],
    [
      'runs toJSON while its value is read',
      `return { toJSON() ${hung}, a: 1 }`,
      rejected('result.toJSON is a function'),
    ],
    [
      'runs an inherited toJSON',
      `return Object.create({ toJSON() ${hung} }, { a: { value: 1, enumerable: true } })`,
      { ends: 'ok', value: { a: 1 } },
    ],
    [
      'runs an endless getter in the return value',
      `return { list: [{ get a() ${hung} }] }`,
      rejected('result.list\\[0\\].a is a getter'),
    ],
    [
      'runs a getter below a hole',
      `Object.defineProperty(Array.prototype, 0, { get() ${hung} }); return [, 1]`,
      { ends: 'ok', value: [null, 1] },
    ],
    ['hangs the host by a proxy as return value', `return new Proxy({}, { ownKeys() ${hung} })`, 'cpu'],
    [
      'hangs the host by a proxy as input',
      `await tools.echo(new Proxy({}, { ownKeys() ${hung} }))`,
      { ends: 'cpu', told: [] },
    ],
    [
      'hangs the host by a proxy of a descriptor',
      `return new Proxy({ a: 1 }, { getOwnPropertyDescriptor() ${hung} })`,
      'cpu',
    ],
    ['hangs the host by a proxy in a print', `print(new Proxy({}, { ownKeys() ${hung} }))`, 'cpu'],
    [
      'hangs the host by a proxy without end',
      `return new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 32 - 1 : 1, getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true, writable: true }) })`,
      ['cpu', 'memory', 'thrown'],
    ],
    [
      'hangs the host by a proxy of itself',
      `const p = new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: p, configurable: true, enumerable: true }) }); return p`,
      rejected('cycle|nested deeper'),
    ],
    [
      'hangs the host by proxies without a cycle',
      `const p = () => new Proxy({}, { ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ value: p(), configurable: true, enumerable: true }) }); return p()`,
      ['thrown', 'cpu', 'memory'],
    ],
    [
      'gets out by a revoked proxy',
      `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy`,
      'thrown',
    ],
    [
      'gets out by a revoked proxy as input',
      `const { proxy, revoke } = Proxy.revocable([], {}); revoke(); await tools.echo(proxy)`,
      { ends: 'thrown', told: [] },
    ],
    ['returns what unfolds to billions', `${unfolding} return a`, 'output'],
    ['sends what unfolds to billions', `${unfolding} await tools.echo(a)`, { ends: 'output', told: [] }],
    ['prints what unfolds to billions', `${unfolding} print(a); return 1`, { ends: 'ok', value: 1 }],
    ['throws what unfolds to billions', `${unfolding} throw a`, ['thrown', 'cpu', 'memory']],
    ['leaves what unfolds to billions in state', `${unfolding} state.a = a; return 1`, 'output'],
    ['returns a cycle', `const a = {}; a.a = a; return a`, rejected('result.a is a cycle')],
    [
      'returns a cycle through arrays',
      `const a = []; a.push([a]); return a`,
      rejected('result\\[0\\]\\[0\\] is a cycle'),
    ],
    ['returns a function', `return { f() {} }`, rejected('result.f is a function')],
    ['returns the global object', `return globalThis`, 'ok'],
    ['returns tools', `return tools`, rejected('result.echo is a function')],
    ['returns a tool', `return tools.echo`, rejected('result is a function')],
    ['returns a symbol that is registered', `return { a: Symbol.for('x') }`, rejected('result.a is a symbol')],
    ['names a property by a symbol', `return { [Symbol('x')]: 1, a: 2 }`, { ends: 'ok', value: { a: 2 } }],
    ['smuggles a private name', `class A { #secret = 1; a = 2 } return new A()`, { ends: 'ok', value: { a: 2 } }],
    [
      'returns a class of its own',
      `return new (class extends Array { constructor() { super(); this.push(1) } })()`,
      { ends: 'ok', value: [1] },
    ],
    [
      'returns a boxed text with a lie',
      `const s = new String('a'); s.toString = s.valueOf = () => 'b'; return s`,
      { ends: 'ok' },
    ],
    [
      'returns a date with a lie',
      `const d = new Date(0); d.toISOString = d.toJSON = d.getTime = () => 'x'; return { d }`,
      { ends: 'ok' },
    ],
    ['returns a date that is none', `return new Date(NaN)`, { ends: 'ok', value: null }],
    [
      'returns an array with a length that lies',
      `const a = [1]; Object.defineProperty(a, 'length', { value: 3, writable: false }); return a`,
      { ends: 'ok', value: [1, null, null] },
    ],
    [
      'returns an object that looks as an array',
      `return { length: 2 ** 32, 0: 1, __proto__: Array.prototype }`,
      { ends: 'ok', value: { 0: 1, length: 2 ** 32 } },
    ],
    [
      'returns a detached buffer',
      `const b = new ArrayBuffer(8); if (b.transfer) b.transfer(); return { b: new Uint8Array(b.detached ? 0 : 1) }`,
      'ok',
    ],
    [
      'returns a view on memory of the engine',
      `return [...new Uint8Array(16)].some((byte) => byte !== 0)`,
      { ends: 'ok', value: false },
    ],
    [
      'reads memory behind a buffer',
      `const a = new Uint8Array(8); return [a[8], a[-1], a[1e9], new DataView(a.buffer).byteLength].map((x) => x ?? null)`,
      { ends: 'ok', value: [null, null, null, 8] },
    ],
    ['writes memory behind a buffer', `const v = new DataView(new ArrayBuffer(8)); v.setInt32(6, 1)`, 'thrown'],
    [
      'shares memory with the host',
      `try { await tools.echo({ b: new SharedArrayBuffer(8) }) } catch (e) { return e.name } return 'plain'`,
      { ends: 'ok', value: 'plain' },
    ],
    [
      'returns as many names as there is room for',
      `const o = {}; for (let i = 0; i < 3e5; i++) o['n' + i] = 1; return o`,
      { ends: ['output', 'cpu', 'memory'] },
    ],
    ['returns one name without end', `return { ['n'.repeat(2e6)]: 1 }`, 'output'],
    ['returns a text without end', `return 'x'.repeat(2e6)`, 'output'],
    ['returns a text that doubles as JSON', `return '\\u0001'.repeat(3e5)`, 'output'],
    ['returns a text of lone surrogates', `return '\\ud800'.repeat(10)`, { ends: 'ok', value: '\ud800'.repeat(10) }],
    [
      'returns __proto__ as a prototype',
      `return JSON.parse('{"__proto__":{"polluted":1}}')`,
      { ends: 'ok', value: JSON.parse('{"__proto__":{"polluted":1}}') as Json },
    ],
    [
      'sends __proto__ as a prototype',
      `await tools.echo(JSON.parse('{"__proto__":{"polluted":1}}')); return ({}).polluted ?? null`,
      { ends: 'ok', value: null, told: [JSON.parse('{"__proto__":{"polluted":1}}') as Json] },
    ],
    [
      'sends a constructor',
      `await tools.echo({ constructor: { prototype: { polluted: 1 } } }); return ({}).polluted ?? null`,
      { ends: 'ok', value: null },
    ],
    [
      'leaves a getter in state',
      `Object.defineProperty(state, 'a', { get() ${hung}, enumerable: true }); return 1`,
      { ends: 'thrown' },
    ],
    ['leaves a proxy in state', `state.a = new Proxy({}, { ownKeys() ${hung} }); return 1`, 'cpu'],
    ['leaves too much in state', `state.a = 'x'.repeat(3e5); return 1`, 'output'],
    [
      'takes state away from the host',
      `Object.setPrototypeOf(state, null); state.a = 1; return 1`,
      { ends: 'ok', value: 1 },
    ],
  ]),
}

const echo = (value: Json) => ({ answer: () => ({ status: 'ok', value }) as const })

/** What a tool answers, and what a script makes of it. */
export const results: Family = {
  name: 'hostile results',
  allowed: ['ok', 'thrown', 'tool_error', 'output'],
  attacks: attacks([
    [
      'is polluted by __proto__ in a result',
      `const r = await tools.echo(); return [r.polluted ?? null, ({}).polluted ?? null, Object.keys(r)]`,
      { ends: 'ok', value: [null, null, ['__proto__']], ...echo(JSON.parse('{"__proto__":{"polluted":1}}') as Json) },
    ],
    [
      'is polluted by a constructor in a result',
      `const r = await tools.echo(); return [Object.keys(r), ({}).x ?? null]`,
      { ends: 'ok', value: [['constructor'], null], ...echo({ constructor: { prototype: { x: 1 } } }) },
    ],
    [
      'takes a then in a result for a promise',
      `const r = await tools.echo(); return typeof r.then`,
      { ends: 'ok', value: 'string', ...echo(JSON.parse('{"then":"x"}') as Json) },
    ],
    [
      'takes a toJSON in a result for a function',
      `const r = await tools.echo(); return r`,
      { ends: 'ok', value: { toJSON: 1, valueOf: 2 }, ...echo({ toJSON: 1, valueOf: 2 }) },
    ],
    [
      'runs a setter that it laid for a result',
      `let ran = 0; Object.defineProperty(Object.prototype, 'a', { set() { ran++ } }); const r = await tools.echo(); return [ran, Object.hasOwn(r, 'a')]`,
      { ends: 'ok', value: [0, true], ...echo({ a: 1 }) },
    ],
    [
      'runs a setter that it laid for an array',
      `let ran = 0; Object.defineProperty(Array.prototype, 0, { set() { ran++ } }); const r = await tools.echo(); return [ran, r[0]]`,
      { ends: 'ok', value: [0, 5], ...echo([5]) },
    ],
    [
      'is broken by a result that is nested too deep',
      `try { await tools.echo() } catch (e) { return [e.name, e.code] }`,
      {
        ends: 'ok',
        value: ['ToolError', 'script_output'],
        ...echo(Array.from({ length: 600 }).reduce<Json>((deep) => [deep], 1)),
      },
    ],
    [
      'is broken by a result that is too large',
      `try { await tools.echo() } catch (e) { return [e.name, e.code] }`,
      { ends: 'ok', value: ['ToolError', 'script_output'], limits: { resultBytes: 1000 }, ...echo('x'.repeat(2000)) },
    ],
    [
      'is broken by U+0000 and lone surrogates in a result',
      `const r = await tools.echo(); return [r.length, r]`,
      { ends: 'ok', value: [4, 'a\0\ud800b'], ...echo('a\0\ud800b') },
    ],
    [
      'is broken by names that are numbers in a result',
      `return await tools.echo()`,
      {
        ends: 'ok',
        value: { 0: 'a', 4294967295: 'c', 4294967294: 'b' },
        ...echo({ 0: 'a', 4294967295: 'c', 4294967294: 'b' }),
      },
    ],
    [
      'takes a result for code',
      `return await tools.echo()`,
      { ends: 'ok', value: '}); for (;;); (async () => {', ...echo('}); for (;;); (async () => {') },
    ],
    [
      'is told a failure with code of its own',
      `try { await tools.echo() } catch (e) { return [e instanceof ToolError, e.code, e.message] }`,
      {
        ends: 'ok',
        value: [true, '__proto__', '${1}\0'],
        answer: () => ({ status: 'error', failure: { code: '__proto__', message: '${1}\0', retryable: false } }),
      },
    ],
    [
      'lies with the code of a limit',
      `await tools.echo()`,
      {
        ends: 'tool_error',
        answer: () => ({ status: 'error', failure: { code: 'script_memory', message: 'no', retryable: false } }),
      },
    ],
    [
      'settles a call twice',
      `const p = tools.echo(); const a = await p; const b = await p; return [a, b]`,
      { ends: 'ok', value: [1, 1], ...echo(1) },
    ],
    [
      'takes the resolvers of a call',
      `const P = Promise; globalThis.Promise = class extends P { constructor(f) { super((a, b) => { globalThis.taken = [a, b]; f(a, b) }) } }; await tools.echo(); return typeof taken`,
      { ends: 'ok', value: 'undefined', ...echo(1) },
    ],
  ]),
}

/** Exceptions that do more than say what is wrong. */
export const throws: Family = {
  name: 'hostile exceptions',
  allowed: ['thrown', 'denied', 'cpu'],
  usual: 'thrown',
  attacks: attacks([
    [
      'hangs the host by getters of an exception',
      `throw { get name() ${hung}, get message() ${hung}, get stack() ${hung} }`,
      'thrown',
    ],
    [
      'hangs the host by getters of an error',
      `const e = new Error('x'); for (const k of ['name', 'message', 'stack', 'code']) Object.defineProperty(e, k, { get() ${hung} }); throw e`,
      'thrown',
    ],
    ['hangs the host by a proxy as exception', `throw new Proxy({}, { getOwnPropertyDescriptor() ${hung} })`, 'cpu'],
    [
      'hangs the host by prototypes of an exception',
      `throw new Proxy({}, { getPrototypeOf() ${hung}, getOwnPropertyDescriptor() {} })`,
      ['cpu', 'thrown'],
    ],
    [
      'fills the log with a message',
      `throw new Error('x'.repeat(2e6))`,
      { ends: 'thrown', message: /^Error: x{2000}$/ },
    ],
    [
      'fills the log with a name',
      `class A extends Error { name = 'x'.repeat(2e6) } throw new A('m')`,
      { ends: 'thrown', message: /^x{2000}: m$/ },
    ],
    ['fills the log with a text', `throw 'x'.repeat(2e6)`, { ends: 'thrown', message: /^x{2000}$/ }],
    [
      'fills the log with a code',
      `throw Object.assign(new Error('m'), { code: 'x'.repeat(2e6) })`,
      { ends: 'thrown', message: /^Error: m$/ },
    ],
    [
      'fills the log with causes',
      `throw new Error('m', { cause: 'x'.repeat(2e6) })`,
      { ends: 'thrown', message: /^Error: m \[cause: x{200}\]$/ },
    ],
    [
      'fills the log with errors of an error',
      `throw new AggregateError(Array(1e5).fill(new Error('x')), 'm')`,
      { ends: 'thrown', message: /^AggregateError: m \[Error: x; Error: x; Error: x; and more\]$/ },
    ],
    [
      'fills the log with all that an error has',
      `const long = 'x'.repeat(1e5); const e = new AggregateError(Array(9).fill(new Error(long)), long, { cause: long })
e.name = long; throw e`,
      { ends: 'thrown', message: /^x{2000}: x{2000} \[Error: x+; .*and more\] \[cause: x{200}\]$/ },
    ],
    [
      'makes up a place in its text',
      `const e = new Error('m'); e.stack = '    at x (script.js:999999:1)\\n'; throw e`,
      { ends: 'thrown', message: /^Error: m$/ },
    ],
    [
      'makes up a place that is no number',
      `const e = new Error('m'); e.stack = 'script.js:' + '9'.repeat(400) + ':1'; throw e`,
      { ends: 'thrown', message: /^Error: m$/ },
    ],
    [
      'makes up the failure of a tool',
      `throw Object.assign(new Error('m'), { name: 'ToolError', code: 'denied', tool: 'other', retryable: true })`,
      ['thrown', 'denied'],
    ],
    [
      'makes up that memory ran out',
      `throw Object.assign(new Error('out of memory'), { name: 'InternalError' })`,
      'thrown',
    ],
    ['throws nothing', `throw undefined`, { ends: 'thrown', message: /^undefined$/ }],
    ['throws a symbol', `throw Symbol('q')`, { ends: 'thrown', message: /^Symbol\(q\)$/ }],
    ['throws a BigInt', `throw 10n ** 30n`, { ends: 'thrown', message: /^10{30}/ }],
    ['throws a function', `throw () => 1`, 'thrown'],
    ['throws itself', `throw globalThis`, ['thrown', 'cpu']],
    ['throws a cycle', `const a = {}; a.a = a; throw a`, 'thrown'],
    ['throws a promise', `throw Promise.reject(1)`, 'thrown'],
    ['rejects with a thenable', `return Promise.reject({ then() ${hung} })`, 'thrown'],
    [
      'rejects behind its end',
      `Promise.reject(new Error('late')); throw new Error('first')`,
      { ends: 'thrown', message: /^Error: first$/ },
    ],
    ['is broken by Error.prepareStackTrace', `Error.prepareStackTrace = () => ${hung}; null.x`, ['thrown', 'cpu']],
    [
      'is broken by a toString of its error',
      `Error.prototype.toString = () => ${hung}; null.x`,
      { ends: 'thrown', message: /^TypeError: cannot read property 'x' of null$/ },
    ],
    ['puts escapes into a message', `throw new Error('\\u001b[31m\\u0000\\u2028\\ud800')`, { ends: 'thrown' }],
  ]),
}
