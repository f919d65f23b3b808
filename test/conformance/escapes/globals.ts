import { attacks, type Family } from './attack.js'

const hung = `{ for (;;); }`
const inTime = { limits: { cpuMs: 5_000 } }

/** What a script has besides the language, some of it answered by the host. */
export const globals: Family = {
  name: 'globals',
  allowed: ['ok', 'thrown', 'cpu', 'calls', 'memory', 'output', 'stack'],
  attacks: attacks([
    ['hangs the host by an option of Intl', `new Intl.NumberFormat('en', { get style() ${hung} })`, 'cpu'],
    [
      'hangs the host by options of Intl that are a proxy',
      `new Intl.DateTimeFormat('en', new Proxy({}, { get() ${hung} }))`,
      'cpu',
    ],
    ['hangs the host by a locale that is a proxy', `new Intl.NumberFormat(new Proxy([], { get() ${hung} }))`, 'cpu'],
    ['hangs the host by a number that is none', `new Intl.NumberFormat('en').format({ valueOf() ${hung} })`, 'cpu'],
    ['hangs the host by formatters without end', `for (;;) new Intl.NumberFormat('en')`, 'cpu'],
    [
      'fills the host with formatters of all kinds',
      `for (let i = 0; ; i++) new Intl.NumberFormat('en', { minimumIntegerDigits: 1 + (i % 21), minimumFractionDigits: Math.floor(i / 21) % 21, maximumFractionDigits: 21 + Math.floor(i / 441) % 80 }).format(i)`,
      ['cpu', 'thrown'],
    ],
    [
      'fills the host with formatters of all locales',
      `for (let i = 0; ; i++) { try { new Intl.DateTimeFormat('en-u-ca-x' + i.toString(36)).format(0) } catch {} }`,
      'cpu',
    ],
    [
      'hangs the host by text of dates without end',
      `for (;;) new Date().toLocaleString('de', { dateStyle: 'full' })`,
      'cpu',
    ],
    [
      'hangs the host by sorting with a collation',
      `const a = Array.from({ length: 1e4 }, (_, i) => 'é' + (i * 7919) % 1e4); for (;;) a.sort((x, y) => x.localeCompare(y))`,
      'cpu',
    ],
    ['hangs the host by comparing long texts', `const a = 'é'.repeat(4e4); for (;;) a.localeCompare(a + 'x')`, 'cpu'],
    [
      'hangs the host by a list without end',
      `const l = Array(1e5).fill('x'); for (;;) new Intl.ListFormat('en').format(l)`,
      ['cpu', 'thrown', 'memory'],
    ],
    ['takes a locale that is none for code', `new Intl.NumberFormat('}); process.exit()')`, 'thrown'],
    ['takes a locale without end', `new Intl.NumberFormat('en-' + 'x'.repeat(1e6))`, 'thrown'],
    ['takes a time zone that is a path', `new Intl.DateTimeFormat('en', { timeZone: '../../etc/passwd' })`, 'thrown'],
    ['takes a currency that is none', `new Intl.NumberFormat('en', { style: 'currency', currency: '$(x)' })`, 'thrown'],
    [
      'finds the host by a formatter',
      `return new Intl.NumberFormat('en').constructor.constructor('return typeof process')()`,
      { ends: 'ok', value: 'undefined' },
    ],
    [
      'finds the host by what a formatter returns',
      `return new Intl.DateTimeFormat('en').resolvedOptions().constructor === Object`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by an error of Intl',
      `try { new Intl.NumberFormat('!') } catch (e) { return e.constructor === RangeError && e.constructor.constructor === Function && !/node|file:|\\/src\\//.test(e.stack) }`,
      { ends: 'ok', value: true },
    ],
    [
      'finds the host by a URL',
      `return new URL('http://a/').constructor.constructor('return typeof process')()`,
      { ends: 'ok', value: 'undefined' },
    ],
    ['hangs the host by a URL that is none', `new URL({ toString() ${hung} })`, 'cpu'],
    ['hangs the host by a URL without end', `for (;;) new URL('http://a/?' + 'b=c&'.repeat(1000))`, 'cpu'],
    [
      'hangs the host by a long host',
      `try { new URL('http://' + 'ü'.repeat(1e5) + '/') } catch (e) { return e.name } return 'URL'`,
      { ends: ['ok', 'cpu'], ...inTime },
    ],
    [
      'hangs the host by an address of colons',
      `new URL('http://[' + ':'.repeat(1e5) + ']/')`,
      { ends: ['thrown', 'cpu'], ...inTime },
    ],
    [
      'hangs the host by a path of dots',
      `return new URL('http://a/' + '../x/'.repeat(2e4)).pathname.length > 0`,
      { ends: ['ok', 'cpu'], ...inTime },
    ],
    [
      'opens what a URL names',
      `return [typeof URL.createObjectURL, typeof new URL('file:///etc/passwd').text]`,
      { ends: 'ok', value: ['undefined', 'undefined'] },
    ],
    [
      'fills memory by search parameters',
      `const p = new URLSearchParams(); for (let i = 0; ; i++) p.append('n' + i, 'x'.repeat(1000))`,
      ['cpu', 'memory'],
    ],
    [
      'hangs the host by search parameters that never end',
      `new URLSearchParams({ *[Symbol.iterator]() { for (;;) yield ['a', 'b'] } })`,
      ['cpu', 'memory'],
    ],
    ['hangs the host by a clone of a getter', `structuredClone({ get a() ${hung} })`, 'cpu'],
    [
      'hangs the host by a clone of a proxy',
      `structuredClone(new Proxy({}, { ownKeys() ${hung} }))`,
      ['cpu', 'thrown'],
    ],
    [
      'clones what unfolds to billions',
      `let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; structuredClone(a); return 1`,
      { ends: 'ok', value: 1, ...inTime },
    ],
    [
      'clones what is nested too deep',
      `let a = []; for (let i = 0; i < 5e4; i++) a = [a]; structuredClone(a); return 1`,
      { ends: ['ok', 'cpu'], ...inTime },
    ],
    ['clones a tool', `structuredClone(tools.echo)`, 'thrown'],
    ['clones the global object', `structuredClone(globalThis)`, ['thrown', 'ok']],
    [
      'transfers memory',
      `const b = new ArrayBuffer(8); structuredClone(b, { transfer: [b] }); return b.byteLength`,
      ['ok', 'thrown'],
    ],
    [
      'decodes text without end',
      `const t = new TextDecoder(), b = new Uint8Array(1e6); for (;;) t.decode(b)`,
      ['cpu', 'memory'],
    ],
    [
      'encodes text without end',
      `const t = new TextEncoder(), s = '€'.repeat(1e5); for (;;) t.encode(s)`,
      ['cpu', 'memory'],
    ],
    [
      'decodes memory of the host',
      `return new TextDecoder().decode(new Uint8Array(4)) === '\\0\\0\\0\\0'`,
      { ends: 'ok', value: true },
    ],
    ['decodes what is no base64', `atob('*'.repeat(1e5))`, 'thrown'],
    ['encodes what is wide', `btoa('€')`, 'thrown'],
    ['asks for more random bytes than there are', `crypto.getRandomValues(new Uint8Array(1e6))`, 'thrown'],
    ['asks for random bytes without end', `for (;;) crypto.getRandomValues(new Uint8Array(1000))`, 'cpu'],
    [
      'gets random that the seed does not repeat',
      `return [Math.random(), crypto.randomUUID().length, crypto.getRandomValues(new Uint8Array(1)).length]`,
      { ends: 'ok', value: [0.5221027107941454, 36, 1] },
    ],
    [
      'runs a timer that is text',
      `setTimeout('globalThis.ran = 1', 0); await sleep(5); return typeof ran`,
      ['thrown', 'ok'],
    ],
    [
      'lets an interval run for ever',
      `await new Promise(() => setInterval(() => {}, 0))`,
      { ends: 'calls', limits: { calls: 40 } },
    ],
    [
      'lets a timer wait for no number',
      `await new Promise((resolve) => setTimeout(resolve, NaN)); await new Promise((resolve) => setTimeout(resolve, -5)); return 1`,
      { ends: 'ok', value: 1 },
    ],
    [
      'lets a timer wait for an object that hangs',
      `setTimeout(() => {}, { valueOf() ${hung} })`,
      ['cpu', 'thrown', 'ok'],
    ],
    ['hangs in a timer', `await new Promise(() => setTimeout(() => { for (;;); }, 0))`, 'cpu'],
    [
      'throws in a timer unseen',
      `setTimeout(() => { throw new Error('in a timer') }, 0); await sleep(1); await sleep(1); return 'went on'`,
      ['thrown', 'ok'],
    ],
    [
      'clears what is no timer',
      `clearTimeout({}); clearTimeout(1e9); clearInterval(undefined); clearTimeout(Symbol.iterator); return 1`,
      ['ok', 'thrown'],
    ],
    ['sleeps for what is no time', `await sleep({ valueOf() ${hung} })`, ['thrown', 'cpu']],
    ['queues microtasks for ever', `const f = () => queueMicrotask(f); f(); await new Promise(() => {})`, 'cpu'],
    [
      'throws in a microtask unseen',
      `queueMicrotask(() => { throw new Error('in a microtask') }); await sleep(0); return 'went on'`,
      ['thrown', 'ok'],
    ],
    [
      'hangs a console that shows a table',
      `console.table?.(new Proxy([], { ownKeys() ${hung} })); return 1`,
      ['cpu', 'ok', 'thrown'],
    ],
    [
      'fills memory by counting',
      `for (let i = 0; ; i++) (console.count ?? print)('x'.repeat(100) + i)`,
      ['cpu', 'memory'],
    ],
    ['fills memory by groups', `for (;;) (console.group ?? print)('x')`, ['cpu', 'memory']],
    ['asks the host for tools without end', `for (;;) await search('x')`, { ends: 'calls', limits: { calls: 40 } }],
    ['asks for a result by a path', `return await results('../../etc/passwd')`, ['ok', 'thrown']],
    [
      'parses a date without end',
      `return Date.parse('1'.repeat(1e6)) || 'no date'`,
      { ends: 'ok', value: 'no date', ...inTime },
    ],
    [
      'makes a date that no calendar has',
      `return [new Date(8.64e15 + 1).getTime() || 'none', new Date(2 ** 60, 0).getTime() || 'none', new Date(NaN).toLocaleString('en')]`,
      { ends: 'ok', value: ['none', 'none', 'Invalid Date'] },
    ],
    [
      'redefines what the host calls',
      `for (const name of ['Intl', 'URL', 'structuredClone', 'setTimeout', 'sleep', 'console', 'crypto']) { try { globalThis[name] = () => ${hung} } catch {} } await tools.echo({ a: 1 }); return 1`,
      { ends: 'ok', value: 1, told: [{ a: 1 }] },
    ],
    [
      'breaks a part that is loaded later',
      `Object.defineProperty = Object.freeze = Reflect.ownKeys = () => ${hung}; Array.prototype.map = String.prototype.slice = () => ${hung}; new URL('http://a/?b=1').searchParams.get('b'); structuredClone({ a: 1 }); print(new Map([[1, 2]])); return 1`,
      { ends: ['ok', 'thrown'], ...inTime },
    ],
  ]),
}
