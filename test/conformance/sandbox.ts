import { beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import type { Sandbox } from '../../src/sandbox/script.js'
import { at, failure, failureOf, ok, runScript, startScript, valueOf } from './run-script.js'

/** What every sandbox promises. */
export function describeSandbox(name: string, create: () => Sandbox | Promise<Sandbox>): void {
  describe(`${name} as a sandbox`, () => {
    let sandbox: Sandbox
    beforeAll(async () => {
      sandbox = await create()
    })

    describe('a script', () => {
      it('returns what it returns', async () => {
        expect(await valueOf(sandbox, 'return { total: 1 + 1 }')).toEqual({ total: 2 })
      })

      it('returns null when it returns nothing', async () => {
        expect(await valueOf(sandbox, 'const nothing = 1')).toBeNull()
      })

      it('may be written in a Markdown fence', async () => {
        expect(await valueOf(sandbox, '```js\nreturn 5\n```\n')).toBe(5)
      })

      it('runs in strict mode', async () => {
        expect(await failureOf(sandbox, 'undeclared = 1')).toMatch(/^script_thrown: ReferenceError/)
      })

      it('starts with globals that no other script has touched', async () => {
        await valueOf(sandbox, 'globalThis.left = 1; Array.prototype.left = 1')
        expect(await valueOf(sandbox, 'return [typeof left, typeof [].left]')).toEqual(['undefined', 'undefined'])
      })

      it('has no way out but its tools', async () => {
        const names = ['fetch', 'require', 'process', 'XMLHttpRequest', 'WebSocket', 'importScripts', 'WebAssembly']
        expect(await valueOf(sandbox, `return ${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual(
          [],
        )
      })

      it('shows what it prints, texts as they are and values as JSON', async () => {
        const code = `print('a', { b: [1] }, undefined, NaN, 2n, null); console.warn(new Error('no'), new Map([[1, 2]]), () => 1)`
        const { prints } = await runScript(sandbox, code)
        expect(prints).toEqual(['a {"b":[1]} undefined NaN 2n null', 'Error: no {"Map":[[1,2]]} [a function]'])
      })
    })

    describe('a call', () => {
      it('leaves with its input, and its result goes on in the script', async () => {
        const script = startScript(sandbox, 'const r = await tools.echo({ id: 7 }); return r.name')
        const first = await script.start(at)
        expect(first).toMatchObject({ calls: [{ n: 0, toolName: 'echo', input: { id: 7 } }], prints: [] })
        expect(first.outcome).toBeUndefined()
        expect((await script.resume({ n: 0, at, result: ok({ name: 'x' }) })).outcome).toEqual(ok('x'))
        script.end()
      })

      it('has {} as input when there is no argument', async () => {
        expect(
          (await runScript(sandbox, 'await tools.echo(); await tools.echo(undefined)')).calls.map(({ input }) => input),
        ).toEqual([{}, {}])
      })

      it('takes one argument', async () => {
        expect(await failureOf(sandbox, '[1, 2].map(tools.echo)')).toMatch(
          'Cannot call tools.echo with 3 arguments: it takes one',
        )
      })

      it('opens beside others, and may be settled in any order', async () => {
        const script = startScript(sandbox, `return await Promise.all([1, 2, 3].map((n) => tools.echo({ n })))`)
        expect((await script.start(at)).calls.map(({ n }) => n)).toEqual([0, 1, 2])
        expect((await script.resume({ n: 2, at, result: ok('c') })).outcome).toBeUndefined()
        expect((await script.resume({ n: 0, at, result: ok('a') })).outcome).toBeUndefined()
        expect((await script.resume({ n: 1, at, result: ok('b') })).outcome).toEqual(ok(['a', 'b', 'c']))
        script.end()
      })

      it('that fails rejects with a ToolError of code, message and retryable', async () => {
        const code = `try { await tools.echo() } catch (e) {
          return [e instanceof ToolError, e instanceof Error, e.name, e.code, e.message, e.retryable, Object.keys(e)]
        }`
        const answer = () =>
          ({ status: 'error', failure: { code: 'not_found', message: 'No O-9\0é', retryable: true } }) as const
        expect(await valueOf(sandbox, code, { answer })).toEqual([
          true,
          true,
          'ToolError',
          'not_found',
          'No O-9\0é',
          true,
          ['code', 'retryable', 'tool'],
        ])
      })

      it('that fails uncaught ends the script with its message and the line of the call', async () => {
        const text = await failureOf(sandbox, '\nconst a = 1\n  await tools.echo()', {
          answer: () => failure('not_found', 'No O-9'),
        })
        expect(text).toMatch(
          /^script_tool_error: The call of echo failed: not_found: No O-9 \(line 3, column \d+: await tools\.echo\(\)\)$/,
        )
      })

      it.each<[string, string, readonly (number | undefined)[]]>([
        ['the line of each', 'tools.echo()\n\n  tools.echo(); await tools.other()', [1, 3, 3]],
        [
          'the line of a later turn',
          'await tools.echo()\nawait sleep(1)\nfor (const n of [1, 2]) {\nawait tools.echo()\n}',
          [1, 2, 4, 4],
        ],
        ['the line inside of a function of the script', 'const get = () =>\n  tools.echo()\nreturn await get()', [2]],
        [
          'the line that hands a tool to a method',
          'const ids = [1, 2]\nids.forEach((id) => id)\nids.reduce(tools.echo)',
          [],
        ],
        ['a line of a fence with its prose', 'Here it is:\n```js\nconst a = 1\nawait tools.echo({ a })\n```', [4]],
        [
          'the same line whatever the script makes of errors',
          'Error = null\nObject.prototype.stack = "script.js:9:9"\nawait tools.echo()',
          [3],
        ],
      ])('know %s', async (_, code, lines) => {
        const { calls } = await runScript(sandbox, code)
        expect(calls.map(({ line }) => line)).toEqual(lines)
      })

      it.each(['constructor', '__proto__', 'toString', 'then', 'length', 'a-b', 'ünï'])(
        'may go to a tool named %s',
        async (tool) => {
          const { calls } = await runScript(sandbox, `await tools[${JSON.stringify(tool)}]({ a: 1 })`, {
            tools: [tool],
          })
          expect(calls).toEqual([{ n: 0, toolName: tool, input: { a: 1 }, line: 1 }])
        },
      )

      it('to a tool that is not there says so', async () => {
        expect(await failureOf(sandbox, 'await tools.nope()')).toMatch(
          /^script_thrown: TypeError: not a function \(line 1, column \d+: await tools\.nope/,
        )
        expect(
          await valueOf(sandbox, 'return [typeof tools.nope, typeof tools.constructor, Object.keys(tools)]'),
        ).toEqual(['undefined', 'undefined', ['echo', 'other']])
      })
    })

    describe('time and random', () => {
      it('show the time of the event that was delivered last', async () => {
        const code = 'const a = Date.now(); await tools.echo(); return [a, Date.now(), new Date().toISOString()]'
        expect(await valueOf(sandbox, code)).toEqual([at, at + 1, '2023-11-14T22:13:20.001Z'])
      })

      it('do not move while the script computes', async () => {
        expect(
          await valueOf(sandbox, 'const a = Date.now(); for (let i = 0; i < 1e6; i++); return Date.now() - a'),
        ).toBe(0)
      })

      it('are in UTC', async () => {
        expect(
          await valueOf(
            sandbox,
            'return [new Date(2024, 6, 1).toISOString(), new Date(0).getTimezoneOffset(), String(new Date(86399e3))]',
          ),
        ).toEqual(['2024-07-01T00:00:00.000Z', 0, 'Thu Jan 01 1970 23:59:59 GMT+0000'])
      })

      it('repeat for the same seed, and differ for another', async () => {
        const draw = (seed: number) =>
          valueOf(sandbox, 'return [Math.random(), Math.random(), Math.random()]', { seed })
        const drawn = (await draw(5)) as number[]
        expect(await draw(5)).toEqual(drawn)
        expect(await draw(6)).not.toEqual(drawn)
        expect(new Set(drawn).size).toBe(3)
        expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true)
      })
    })

    describe('a failure', () => {
      it('of syntax names line and column as the model wrote them', async () => {
        expect(await failureOf(sandbox, 'const a = 1\nconst b = ;')).toMatch(
          /^script_syntax: SyntaxError: .*\(line 2, column 11: const b = ;\)$/,
        )
        expect(await failureOf(sandbox, 'const b = ;')).toMatch(/\(line 1, column 11: const b = ;\)$/)
        expect(await failureOf(sandbox, '```js\nconst b = ;\n```')).toMatch(/\(line 2, column 11: const b = ;\)$/)
      })

      it('of the script names error, message, line and column', async () => {
        expect(await failureOf(sandbox, 'const order = null\nreturn order.id')).toBe(
          "script_thrown: TypeError: cannot read property 'id' of null (line 2, column 13: return order.id)",
        )
      })

      it.each([
        ['a text', `throw 'late'`, /^late$/],
        ['null', 'throw null', /^null$/],
        ['a symbol', `throw Symbol('q')`, /^Symbol\(q\)$/],
        ['an object', `throw { code: 'x' }`, /^{"code":"x"}$/],
        [
          'a class of its own',
          `class Late extends Error { name = 'Late' }; throw new Late('by 5')`,
          /^Late: by 5 \(line 1/,
        ],
      ])('may be %s', async (_, code, expected) => {
        const text = (await failureOf(sandbox, code)).replace('script_thrown: ', '')
        expect(text).toMatch(expected)
      })

      it('is no failure when it is caught', async () => {
        expect(await valueOf(sandbox, 'try { null.x } catch (e) { return e.name }')).toBe('TypeError')
      })

      it('of a promise that nothing can settle is told at once', async () => {
        expect(await failureOf(sandbox, 'await new Promise(() => {})')).toMatch(/^script_deadlock: /)
      })

      it('leaves the calls that are open to the host', async () => {
        const script = startScript(sandbox, `tools.echo(); throw new Error('no')`)
        expect(await script.start(at)).toMatchObject({ calls: [{ n: 0 }], outcome: { status: 'error' } })
        expect(await script.resume({ n: 0, at, result: ok(1) })).toMatchObject({
          calls: [],
          prints: [],
          cpuMs: 0,
          memoryBytes: expect.any(Number),
          outcome: { status: 'error' },
        })
        script.end()
      })

      it('of the log, a result for no open call, is a divergence', async () => {
        const script = startScript(sandbox, 'await tools.echo()')
        await script.start(at)
        expect(await script.resume({ n: 3, at, result: ok(1) })).toMatchObject({
          outcome: { failure: { code: 'script_diverged' } },
        })
        script.end()
      })
    })

    describe('a limit', () => {
      it('of CPU ends a turn that computes for longer', async () => {
        expect(await failureOf(sandbox, 'for (;;);', { limits: { cpuMs: 100 } })).toMatch(
          /^script_cpu: The script computed for more than 100 ms/,
        )
      })

      it('of CPU counts no waiting', async () => {
        const script = startScript(sandbox, 'await tools.echo(); return 1', { limits: { cpuMs: 200 } })
        await script.start(at)
        await new Promise((resolve) => setTimeout(resolve, 300))
        expect((await script.resume({ n: 0, at, result: ok(1) })).outcome).toEqual(ok(1))
        script.end()
      })

      const busy = `for (let i = 0; i < 5; i++) { for (let j = 0; j < 4e5; j++); await tools.echo() } return 'done'`

      it('of CPU holds for all turns together', async () => {
        expect(await failureOf(sandbox, busy, { limits: { totalCpuMs: 1 } })).toMatch(
          /^script_cpu: The script used all/,
        )
      })

      it('of CPU for all turns counts no replay', async () => {
        const script = startScript(sandbox, busy, { limits: { totalCpuMs: 1 } })
        const results = [0, 1, 2, 3, 4].map((n) => ({ n, at, result: ok(1) }))
        expect((await script.replay(at, results)).at(-1)?.outcome).toEqual(ok('done'))
        script.end()
      })

      it('of memory ends the script, whatever it catches', async () => {
        const fill = `const a = []; for (;;) a.push({})`
        const slow = { cpuMs: 60_000, totalCpuMs: 60_000 }
        const failure = (code: string, memory = 64 << 20) =>
          failureOf(sandbox, code, { limits: { ...slow, memoryBytes: memory } })
        expect(await failure(fill)).toMatch(/^script_memory: The script needed more than 64 MB/)
        expect(await failure(`try { ${fill} } catch {} return 1`)).toMatch(/^script_memory/)
        expect(await failure(fill, 20 << 20)).toMatch(/^script_memory: .* 20 MB/)
      })

      it('of stack ends endless recursion', async () => {
        expect(await failureOf(sandbox, 'const f = () => f(); f()')).toMatch(/^script_stack/)
      })

      it('of calls ends the script', async () => {
        const { outcome, calls } = await runScript(sandbox, 'for (;;) { try { tools.echo() } catch {} }', {
          limits: { calls: 3 },
        })
        expect(calls.length).toBe(3)
        expect(outcome).toMatchObject({ failure: { code: 'script_calls' } })
      })

      it('of open calls lets more of them wait in line', async () => {
        const code = `return await Promise.all([1, 2, 3, 4].map((n) => tools.echo({ n })))`
        const script = startScript(sandbox, code, { limits: { openCalls: 2 } })
        expect((await script.start(at)).calls.map(({ n }) => n)).toEqual([0, 1])
        expect((await script.resume({ n: 1, at, result: ok('b') })).calls.map(({ n }) => n)).toEqual([2])
        expect((await script.resume({ n: 0, at, result: ok('a') })).calls.map(({ n }) => n)).toEqual([3])
        expect((await script.resume({ n: 3, at, result: ok('d') })).calls).toEqual([])
        expect((await script.resume({ n: 2, at, result: ok('c') })).outcome).toEqual(ok(['a', 'b', 'c', 'd']))
        script.end()
      })

      it('of its own text refuses a longer one', async () => {
        const code = `return ${JSON.stringify('é'.repeat(100))}`
        expect(await failureOf(sandbox, code, { limits: { sourceBytes: 200 } })).toMatch(/^script_syntax: .* 200 bytes/)
      })

      it('of an input is an error that the script can catch', async () => {
        const code = `const big = 'x'.repeat(200); try { await tools.echo({ big }) } catch (e) { return e.name }`
        expect(await valueOf(sandbox, code, { limits: { inputBytes: 100 } })).toBe('RangeError')
        expect(await failureOf(sandbox, `await tools.echo('x'.repeat(200))`, { limits: { inputBytes: 100 } })).toMatch(
          /^script_output: .*more than 100 bytes/,
        )
      })

      it('of all inputs together ends the script', async () => {
        const code = `for (;;) { try { await tools.echo('x'.repeat(80)) } catch {} }`
        expect(await failureOf(sandbox, code, { limits: { inputBytes: 100 } })).toMatch(/^script_output: The inputs/)
      })

      it('of the return value is exact', async () => {
        expect(await valueOf(sandbox, `return 'é'.repeat(49)`, { limits: { returnBytes: 100 } })).toBe('é'.repeat(49))
        expect(await failureOf(sandbox, `return 'é'.repeat(50)`, { limits: { returnBytes: 100 } })).toMatch(
          /^script_output: The script's return value has more than 100 bytes/,
        )
      })

      it('of prints cuts them with a note', async () => {
        const { prints, outcome } = await runScript(
          sandbox,
          `for (let i = 0; i < 100; i++) print('0123456789'); return 1`,
          { limits: { printBytes: 50 } },
        )
        const line = '0123456789'
        expect(prints).toEqual([line, line, line, '012345678…', '[cut: a script may print 50 bytes]'])
        expect(outcome).toEqual(ok(1))
      })

      it('of prints shows the beginning of a long one', async () => {
        const limits = { printBytes: 20 }
        const printed = async (code: string) => (await runScript(sandbox, code, { limits })).prints
        const note = '[cut: a script may print 20 bytes]'
        expect(await printed('print(Array.from({ length: 9000 }, (_, id) => ({ id })))')).toEqual([
          '[{"id":0},{"id…',
          note,
        ])
        expect(await printed('print("é".repeat(100)); print(1)')).toEqual(['ééééééééé…', note])
        expect(await printed('print("😀".repeat(100))')).toEqual(['😀😀😀…', note])
        expect(await printed('print("a", "b".repeat(8e6)); print(1)')).toEqual(['a…', note])
      })
    })

    describe('a value means what JSON means', () => {
      it.each(jsonValues)('both ways: %s', async (_, value) => {
        const expected = JSON.parse(JSON.stringify(value)) as Json
        const { outcome, calls } = await runScript(
          sandbox,
          'const r = await tools.echo(); await tools.other({ r }); return r',
          { answer: () => ok(value) },
        )
        expect(JSON.stringify(outcome)).toBe(JSON.stringify(ok(expected)))
        expect(JSON.stringify(calls[1]!.input)).toBe(JSON.stringify({ r: expected }))
      })

      it.each(guestValues)('out of the script: %s', async (expression) => {
        // oxlint-disable-next-line typescript/no-implied-eval -- this engine's own JSON.stringify says what is right
        const expected = new Function(`return JSON.stringify(${expression})`)() as string
        expect(JSON.stringify(await valueOf(sandbox, `return ${expression}`))).toBe(expected)
      })

      it.each([
        ['a BigInt', '{ a: [1n] }', 'result.a[0] is a BigInt: convert it with Number() or String()'],
        ['a function', '{ a: { b: () => 1 } }', 'result.a.b is a function'],
        ['a symbol', `[Symbol('x')]`, 'result[0] is a symbol'],
        ['a cycle', '(() => { const a = {}; a.b = [a]; return a })()', 'result.b[0] is a cycle'],
        ['a promise', '{ orders: tools.echo() }', 'result.orders is a Promise: await it first'],
        ['a getter', '{ get a() { return 1 } }', 'result.a is a getter'],
        [
          'too deep a nesting',
          '(() => { let a = 1; for (let i = 0; i < 200; i++) a = [a]; return a })()',
          'nested deeper than 128',
        ],
      ])('or is refused with its path: %s', async (_, expression, message) => {
        expect(await failureOf(sandbox, `return ${expression}`)).toContain(message)
        expect(await failureOf(sandbox, `await tools.echo(${expression})`)).toContain(
          message.replace('result', 'tools.echo: input'),
        )
      })

      it('and a result too deep to enter is a ToolError', async () => {
        let deep: Json = 1
        for (let i = 0; i < 600; i++) deep = [deep]
        expect(
          await valueOf(sandbox, `try { await tools.echo() } catch (e) { return [e.name, e.code] }`, {
            answer: () => ok(deep),
          }),
        ).toEqual(['ToolError', 'script_output'])
      })
    })
  })
}

const nested = (depth: number): Json => (depth === 0 ? 'end' : [nested(depth - 1)])

const jsonValues: [string, Json][] = [
  ['null', null],
  ['booleans', [true, false]],
  ['integers', [0, 1, -1, 127, 128, -128, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]],
  ['minus zero', [-0, { a: -0 }]],
  ['fractions', [0.1, -1.5e-300, 5e-324, Number.MAX_VALUE]],
  ['texts', ['', 'a', 'é', '€', '😀', 'x'.repeat(10_000), 'é'.repeat(5000), '€'.repeat(5000)]],
  ['U+0000', ['\0', 'a\0b', '€\0']],
  ['lone surrogates', ['\ud800', 'a\udc00b', '\udc00\ud800']],
  ['line separators', ['\u2028\u2029\ufeff\u0080\u009f']],
  ['empty containers', [[], {}, [[]], [{}], { a: {} }]],
  ['prototype keys', JSON.parse('{"__proto__":{"x":1},"constructor":1,"prototype":2,"toString":3,"hasOwnProperty":4}')],
  ['odd keys', { '': 1, '\0': 2, '\ud800': 3, ' ': 4, é: 5, '€': 6 }],
  [
    'numeric keys',
    { 1: 'b', 0: 'a', '-1': 'c', '01': 'd', 2147483647: 'e', 2147483648: 'f', 4294967295: 'g', '1e3': 'h' },
  ],
  ['then, toJSON and length', JSON.parse('{"then":1,"toJSON":2,"length":3,"valueOf":4,"name":"n"}') as Json],
  ['many keys', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key${i}`, i]))],
  ['rows', Array.from({ length: 300 }, (_, i) => ({ id: i, name: `row ${i}`, tags: ['a', 'b'] }))],
  ['a deep nesting', nested(120)],
]

/** Each is JavaScript that both engines understand; JSON.stringify of this engine says what is right. */
const guestValues = [
  '[undefined, , null]',
  '({ a: undefined, b: null })',
  '[NaN, Infinity, -Infinity, -0]',
  '({ n: NaN })',
  '[new Date(0), new Date(NaN), { d: new Date(1e12) }]',
  'new Map([[1, 2]])',
  'new Set([1])',
  '[new Map(), new WeakMap(), /x/g, new Error("x")]',
  '[Object("s"), Object(1), Object(false)]',
  'new Uint8Array([1, 2])',
  '({ a: new ArrayBuffer(2), b: 1 })',
  'new (class A { #p = 1; q = 2; get r() { return 3 } })()',
  'Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } })',
  'Object.assign([1, 2], { extra: 3 })',
  '({ [Symbol("x")]: 1, a: 2 })',
  '(() => { const a = { n: 1 }; return [a, a, { a }] })()',
  '(() => { const a = { n: [1n].length }; return { x: a, y: [a], z: new Map() } })()',
  'Object.freeze({ a: [1] })',
  'JSON.parse(\'{"__proto__":1}\')',
  '[..."a😀\\ud800"]',
]
