import { beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import type { Sandbox } from '../../src/sandbox/script.js'
import { arrayAndText, dates, encodings, intl, invalid, urls, clones } from './globals-expressions.js'
import { at, failure, failureOf, ok, runScript, startScript, valueOf } from './run-script.js'

/** What a script has beside the language, and that it is what the platform under it has. */
export function describeGlobals(name: string, create: () => Sandbox | Promise<Sandbox>): void {
  describe(`${name} gives a script globals`, () => {
    let sandbox: Sandbox
    beforeAll(async () => {
      sandbox = await create()
    })
    const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions()
    const here = { more: { locale, timeZone } }

    describe.each(Object.entries({ clones, urls, encodings, intl, dates, arrayAndText }))(
      'that do as the platform does: %s',
      (_, expressions) => {
        it.each(expressions)('%s', async (expression) => {
          const body = `return (${expression})`
          const expected = JSON.stringify((await native(body)) ?? null)
          expect(JSON.stringify(await valueOf(sandbox, body, here))).toBe(expected)
        })
      },
    )

    describe('that fail with the class of error of the platform', () => {
      it.each(invalid)('%s', async (expression) => {
        const body = `try { ${expression}; return 'no error' } catch (e) { return [e.name, e instanceof Error] }`
        const expected = await native(body)
        expect(expected).not.toBe('no error')
        expect(await valueOf(sandbox, body, here)).toEqual(expected)
      })
    })

    describe('tools by namespace', () => {
      const tools = ['github__search', 'github__issues__list', 'jira__search', 'jira', '__hidden', 'end__', 'a___b']

      it('are the tools with two underscores in their names', async () => {
        const code = `
          await tools.github.search({ q: 1 })
          await tools.github.issues__list()
          await tools['jira__search']()
          await tools.jira()
          await tools.a._b()
          return [Object.keys(tools.github), Object.keys(tools), typeof tools[''], typeof tools.end]`
        const { calls, outcome } = await runScript(sandbox, code, { tools })
        expect(calls.map(({ toolName }) => toolName)).toEqual([
          'github__search',
          'github__issues__list',
          'jira__search',
          'jira',
          'a___b',
        ])
        expect(outcome).toEqual(ok([['search', 'issues__list'], tools, 'undefined', 'undefined']))
      })

      it('are the same functions, and cannot be changed', async () => {
        const code = `
          const faults = []
          for (const change of [() => { tools.github.search = 1 }, () => { tools.github.more = 1 }, () => { delete tools.github.search }, () => { tools.github = 1 }])
            try { change() } catch (e) { faults.push(e.name) }
          return [tools.github.search === tools.github__search, Object.getPrototypeOf(tools.github), Object.isFrozen(tools.github), faults]`
        expect(await valueOf(sandbox, code, { tools })).toEqual([true, null, true, Array(4).fill('TypeError')])
      })

      it.each(['constructor__x', 'toString__y', 'a__constructor', 'a____proto__'])(
        'may have any name: %s',
        async (tool) => {
          const at = tool.indexOf('__', 1)
          const [space, own] = [tool.slice(0, at), tool.slice(at + 2)]
          const path = `tools[${JSON.stringify(space)}][${JSON.stringify(own)}]`
          const { calls } = await runScript(sandbox, `await ${path}()`, { tools: [tool] })
          expect(calls.map(({ toolName }) => toolName)).toEqual([tool])
        },
      )
    })

    it('a URL is its text where values are JSON', async () => {
      const code = `
        const url = new URL('/c?d=1', 'https://a.b')
        url.searchParams.set('d', 2)
        print(url, [url])
        await tools.echo({ url })
        return { url, keep: [url.href, url] }`
      const { outcome, calls, prints } = await runScript(sandbox, code)
      const text = 'https://a.b/c?d=2'
      expect(outcome).toEqual(ok({ url: text, keep: [text, text] }))
      expect(calls[0]!.input).toEqual({ url: text })
      expect(prints).toEqual([`${text} ["${text}"]`])
    })

    describe('for output', () => {
      it.each<[string, string[]]>([
        ['text("a", [1])', ['a [1]']],
        ['print(print === text)', ['true']],
        [
          'console.log("a"); console.info(1); console.warn({}); console.error([]); console.debug(null)',
          ['a', '1', '{}', '[]', 'null'],
        ],
        ['console.dir({ a: 1 }); console.trace("here")', ['{"a":1}', 'Trace: here']],
        [
          'console.table([{ a: 1, b: 2 }, { a: 3 }]); console.table([{ a: 1, b: 2 }, 5], ["a"])',
          ['[{"a":1,"b":2},{"a":3}]', '[{"a":1},5]'],
        ],
        [
          'console.assert(true, "no"); console.assert(1 > 2, "less", { n: 1 }); console.assert(false)',
          ['Assertion failed: less {"n":1}', 'Assertion failed'],
        ],
        [
          'console.group("G"); console.log(1); console.groupEnd(); console.group(); console.groupCollapsed("H")',
          ['G', '1', 'H'],
        ],
        [
          'console.count(); console.count("x"); console.count(); console.countReset(); console.count()',
          ['default: 1', 'x: 1', 'default: 2', 'default: 1'],
        ],
        [
          'console.time("t"); await sleep(5); console.timeLog("t", "!"); console.timeEnd("t"); console.timeEnd("t")',
          ['t: 1 ms !', 't: 1 ms'],
        ],
        ['const { log } = console; [1, 2].forEach((n) => log(n))', ['1', '2']],
      ])('%s', async (code, expected) => {
        const { prints, outcome } = await runScript(sandbox, code)
        expect(outcome.status).toBe('ok')
        expect(prints).toEqual(expected)
      })
    })

    describe('for calls without a tool', () => {
      it('sleep, search, describe and results are numbered calls', async () => {
        const code = `await sleep(20); await sleep(-1); await search('orders', 3); await search('x'); await describe('get_order'); return await results('r1')`
        const { calls, outcome } = await runScript(sandbox, code, { answer: () => ok('given') })
        expect(calls.map(({ n, toolName, input }) => ({ n, toolName, input }))).toEqual([
          { n: 0, toolName: 'script.sleep', input: { ms: 20 } },
          { n: 1, toolName: 'script.sleep', input: { ms: 0 } },
          { n: 2, toolName: 'script.search', input: { query: 'orders', limit: 3 } },
          { n: 3, toolName: 'script.search', input: { query: 'x' } },
          { n: 4, toolName: 'script.describe', input: { name: 'get_order' } },
          { n: 5, toolName: 'script.results', input: { handle: 'r1' } },
        ])
        expect(outcome).toEqual(ok('given'))
      })

      it.each<[string, string]>([
        ['sleep()', 'Cannot sleep: ms is undefined, expected a number of milliseconds'],
        ['sleep("5")', 'Cannot sleep: ms is "5", expected a number of milliseconds'],
        ['sleep(NaN)', 'Cannot sleep: ms is NaN, expected a number of milliseconds'],
        ['sleep(Infinity)', 'Cannot sleep: ms is Infinity, expected a number of milliseconds'],
        ['search()', 'Cannot search: query is undefined, expected a text'],
        ['search({ query: "x" })', 'Cannot search: query is an object, expected a text'],
        ['search("x", 0)', 'Cannot search: limit is 0, expected a positive integer'],
        ['search("x", "5")', 'Cannot search: limit is "5", expected a positive integer'],
        ['describe(tools.echo)', 'Cannot describe: name is a function, expected the name of a tool'],
        ['describe("")', 'Cannot describe: name is "", expected the name of a tool'],
        ['results(1n)', 'Cannot get results: handle is 1, expected a handle as a text'],
        ['results(Symbol("s"))', 'Cannot get results: handle is Symbol(s), expected a handle as a text'],
      ])('%s says what it takes', async (code, message) => {
        expect(await failureOf(sandbox, `\nawait ${code}`)).toMatch(
          new RegExp(`^script_thrown: TypeError: ${escaped(message)}.* \\(line 2, `),
        )
      })
    })

    describe('for time', () => {
      it('setTimeout calls back with its arguments, and is a numbered call', async () => {
        const code = `return await new Promise((resolve) => { print(typeof setTimeout((...got) => resolve(got), 30, 'a', 2)) })`
        const { calls, outcome, prints } = await runScript(sandbox, code)
        expect(calls).toEqual([{ n: 0, toolName: 'script.sleep', input: { ms: 30 }, line: 1 }])
        expect(outcome).toEqual(ok(['a', 2]))
        expect(prints).toEqual(['number'])
      })

      it.each([
        ['NaN', 0],
        ['-5', 0],
        ['undefined', 0],
        ['"20"', 20],
        ['1.9', 1],
        ['Infinity', 0],
        ['2 ** 31', 0],
      ])('a delay of %s is %i ms', async (delay, ms) => {
        const { calls } = await runScript(sandbox, `await new Promise((resolve) => setTimeout(resolve, ${delay}))`)
        expect(calls[0]!.input).toEqual({ ms })
      })

      it('timers run in the order in which their waits end', async () => {
        const code = `
          const seen = []
          await new Promise((resolve) => {
            setTimeout(() => { seen.push('late'); resolve() }, 50)
            setTimeout(() => seen.push('early'), 5)
            queueMicrotask(() => seen.push('now'))
            seen.push('first')
          })
          return seen`
        const script = startScript(sandbox, code)
        expect((await script.start(at)).calls.map(({ input }) => input)).toEqual([{ ms: 50 }, { ms: 5 }])
        expect((await script.resume({ n: 1, at: at + 5, result: ok(null) })).outcome).toBeUndefined()
        expect((await script.resume({ n: 0, at: at + 50, result: ok(null) })).outcome).toEqual(
          ok(['first', 'now', 'early', 'late']),
        )
        script.end()
      })

      it('a timer that is cleared does nothing when its wait ends', async () => {
        const code = `
          let ran = 0
          const id = setTimeout(() => ran++, 1)
          clearTimeout(id); clearTimeout(undefined); clearTimeout('none')
          await sleep(2)
          return ran`
        expect(await valueOf(sandbox, code)).toBe(0)
      })

      it('an interval goes on until it is cleared, from inside or outside', async () => {
        const code = `
          let ran = 0
          await new Promise((resolve) => {
            const id = setInterval((step) => { ran += step; if (ran === 6) { clearInterval(id); resolve() } }, 10, 2)
          })
          return ran`
        const { calls, outcome } = await runScript(sandbox, code)
        expect(calls.map(({ input }) => input)).toEqual([{ ms: 10 }, { ms: 10 }, { ms: 10 }])
        expect(outcome).toEqual(ok(6))
      })

      it.each([
        ['setTimeout("run()", 5)', 'setTimeout: its callback is string'],
        ['setInterval(undefined)', 'setInterval: its callback is undefined'],
        ['queueMicrotask(null)', 'queueMicrotask: its callback is null'],
      ])('%s is refused', async (code, message) => {
        expect(await failureOf(sandbox, code)).toContain(`TypeError: Cannot call ${message}, expected a function`)
      })

      it.each([
        ['that throws', `setTimeout(() => {\n  null.id\n}, 1)`],
        ['whose promise rejects', `setTimeout(async () => {\n  null.id\n}, 1)`],
        ['of an interval', `setInterval(() => {\n  null.id\n}, 1)`],
        ['of a microtask', `queueMicrotask(() => {\n  null.id\n})`],
      ])('a callback %s ends the script as any exception does that is not caught', async (_, code) => {
        expect(await failureOf(sandbox, `${code}\nawait sleep(5)\nawait sleep(5)\nreturn 1`)).toMatch(
          /^script_thrown: TypeError: cannot read property 'id' of null \(line 2, column \d+: null\.id\)$/,
        )
      })

      it('a wait that fails ends the script with its error', async () => {
        const code = `await new Promise((resolve) => setTimeout(resolve, 5))`
        expect(await failureOf(sandbox, code, { answer: () => failure('failed', 'no clock') })).toMatch(/no clock/)
      })

      it('races are won by who is first', async () => {
        const code = `
          const late = new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 100))
          return await Promise.race([tools.echo({ a: 1 }), late])`
        const script = startScript(sandbox, code)
        await script.start(at)
        expect((await script.resume({ n: 1, at, result: ok('done') })).outcome).toEqual(ok('done'))
        script.end()
        expect(await failureOf(sandbox, code)).toMatch(/^script_thrown: Error: too late/)
      })

      it('performance shows the clock of the script', async () => {
        const code = `const from = performance.now(); for (let i = 0; i < 1e5; i++); const same = performance.now(); await tools.echo(); return [from, same - from, performance.now() - from, performance.timeOrigin === Date.now() - 1]`
        expect(await valueOf(sandbox, code)).toEqual([0, 0, 1, true])
      })
    })

    describe('for chance', () => {
      const draw = `return [crypto.randomUUID(), crypto.getRandomValues(new Uint32Array(2)), crypto.randomUUID()]`

      it('repeats for the same seed, and differs for another', async () => {
        const drawn = await valueOf(sandbox, draw, { seed: 3 })
        expect(await valueOf(sandbox, draw, { seed: 3 })).toEqual(drawn)
        expect(await valueOf(sandbox, draw, { seed: 4 })).not.toEqual(drawn)
      })

      it('has the shape of the platform', async () => {
        const code = `return Array.from({ length: 50 }, () => crypto.randomUUID())`
        const drawn = (await valueOf(sandbox, code)) as string[]
        expect(new Set(drawn).size).toBe(50)
        for (const uuid of drawn)
          expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      })

      it('fills nothing but typed arrays', async () => {
        expect(await failureOf(sandbox, `crypto.getRandomValues([1])`)).toMatch(
          /TypeError: Cannot get random values: expected a typed array/,
        )
      })

      it('fills every byte of a view and nothing beside it', async () => {
        const code = `
          const buffer = new ArrayBuffer(64)
          const view = new BigUint64Array(buffer, 8, 4)
          const same = crypto.getRandomValues(view) === view
          const bytes = [...new Uint8Array(buffer)]
          return [same, bytes.slice(0, 8).some(Boolean), bytes.slice(40).some(Boolean), new Set(bytes.slice(8, 40)).size > 20]`
        expect(await valueOf(sandbox, code)).toEqual([true, false, false, true])
      })
    })

    describe('for what is kept', () => {
      it('state is an object whose properties can be changed', async () => {
        const { outcome } = await runScript(sandbox, `state.n++; state.list.push(2); return state`, {
          more: { state: { n: 1, list: [1] } },
        })
        expect(outcome).toEqual(ok({ n: 2, list: [1, 2] }))
      })

      it('state cannot be replaced, and the error says what to write', async () => {
        expect(await failureOf(sandbox, `state = { n: 1 }`)).toMatch(
          /^script_thrown: TypeError: Cannot assign to state: .* as in state\.name = value \(line 1/,
        )
        expect(await valueOf(sandbox, `try { delete globalThis.state } catch {} return typeof state`)).toBe('object')
        expect(await valueOf(sandbox, `const state = 5; return state`)).toBe(5)
      })
    })

    describe('with the locale and the time zone of the log', () => {
      const inBerlin = { more: { locale: 'de-DE', timeZone: 'Europe/Berlin' } }
      const inNewYork = { more: { locale: 'en-US', timeZone: 'America/New_York' } }
      const inKolkata = { more: { locale: 'hi-IN', timeZone: 'Asia/Kolkata' } }

      it.each<[string, Json]>([
        ['(1234567.891).toLocaleString()', '1.234.567,891'],
        ['(1234.5).toLocaleString(undefined, { style: "currency", currency: "EUR" })', '1.234,50\u00a0€'],
        ['new Date(Date.UTC(2026, 10, 30, 23, 30)).toLocaleDateString()', '1.12.2026'],
        ['new Date(Date.UTC(2026, 6, 1, 12)).toLocaleTimeString()', '14:00:00'],
        ['new Date(Date.UTC(2026, 6, 1, 12)).toLocaleString()', '1.7.2026, 14:00:00'],
        ['new Intl.DateTimeFormat().resolvedOptions().timeZone', 'Europe/Berlin'],
        ['new Intl.NumberFormat().resolvedOptions().locale', 'de-DE'],
        ['new Intl.NumberFormat("xx-unknown").resolvedOptions().locale', 'de-DE'],
        ['"ß".toLocaleUpperCase()', 'SS'],
        ['new Intl.NumberFormat([]).resolvedOptions().locale', 'de-DE'],
        ['["z", "ä", "a"].sort((a, b) => a.localeCompare(b))', ['a', 'ä', 'z']],
        ['["z", "ä", "a"].sort((a, b) => a.localeCompare(b, "sv"))', ['a', 'z', 'ä']],
        ['new Date(2026, 10, 30).toISOString()', '2026-11-29T23:00:00.000Z'],
        ['new Date(2026, 6, 1, 12).toISOString()', '2026-07-01T10:00:00.000Z'],
        ['String(new Date(Date.UTC(2026, 6, 1, 12)))', 'Wed Jul 01 2026 14:00:00 GMT+0200'],
        ['[new Date(2026, 0, 1).getTimezoneOffset(), new Date(2026, 6, 1).getTimezoneOffset()]', [-60, -120]],
        ['new Date(2026, 2, 29, 2, 30).toISOString()', '2026-03-29T01:30:00.000Z'],
        ['new Date(2026, 2, 29, 1, 59).toISOString()', '2026-03-29T00:59:00.000Z'],
        ['new Date(2026, 2, 29, 3, 0).toISOString()', '2026-03-29T01:00:00.000Z'],
        ['new Date(2026, 9, 25, 2, 30).toISOString()', '2026-10-25T00:30:00.000Z'],
        ['new Date(2026, 9, 25, 3, 0).toISOString()', '2026-10-25T02:00:00.000Z'],
        ['new Date("2026-10-25T03:30:00").toISOString()', '2026-10-25T02:30:00.000Z'],
        ['new Date("2026-10-25").toISOString()', '2026-10-25T00:00:00.000Z'],
        [
          '(() => { const d = new Date(2026, 2, 28, 12); d.setDate(29); return [d.getHours(), d.toISOString()] })()',
          [12, '2026-03-29T10:00:00.000Z'],
        ],
      ])('in Berlin, %s', async (expression, expected) => {
        expect(await valueOf(sandbox, `return ${expression}`, inBerlin)).toEqual(expected)
      })

      it.each<[string, Json]>([
        ['new Date(2026, 2, 8, 1, 59).toISOString()', '2026-03-08T06:59:00.000Z'],
        ['new Date(2026, 2, 8, 2, 30).toISOString()', '2026-03-08T07:30:00.000Z'],
        ['new Date(2026, 2, 8, 3, 30).toISOString()', '2026-03-08T07:30:00.000Z'],
        ['new Date(2026, 10, 1, 1, 30).toISOString()', '2026-11-01T05:30:00.000Z'],
        ['new Date(2026, 10, 1, 2, 0).toISOString()', '2026-11-01T07:00:00.000Z'],
        ['Date.parse("Sun, 08 Mar 2026 03:30:00")', Date.UTC(2026, 2, 8, 7, 30)],
        ['Date.parse("Sun, 08 Mar 2026 03:30:00 GMT")', Date.UTC(2026, 2, 8, 3, 30)],
        ['new Date(2026, 6, 4).toDateString()', 'Sat Jul 04 2026'],
        ['new Date(Date.UTC(2026, 6, 4, 12)).toLocaleString().replace(/\\s/g, " ")', '7/4/2026, 8:00:00 AM'],
      ])('in New York, %s', async (expression, expected) => {
        expect(await valueOf(sandbox, `return ${expression}`, inNewYork)).toEqual(expected)
      })

      it('in Kolkata half an hour is kept', async () => {
        const code = `return [new Date(2026, 0, 1).toISOString(), new Date(2026, 0, 1).getTimezoneOffset(), String(new Date(0)), new Date(0).getMinutes()]`
        expect(await valueOf(sandbox, code, inKolkata)).toEqual([
          '2025-12-31T18:30:00.000Z',
          -330,
          'Thu Jan 01 1970 05:30:00 GMT+0530',
          30,
        ])
      })

      it('a zone or locale that is none is an error of the script that says so', async () => {
        const nowhere = { more: { timeZone: 'Mars/Olympus' } }
        expect(await failureOf(sandbox, 'return new Date().getHours()', nowhere)).toMatch(
          /RangeError: Cannot tell the local time: there is no time zone "Mars\/Olympus"/,
        )
        expect(await failureOf(sandbox, 'return (1).toLocaleString()', { more: { locale: 'not_a_locale' } })).toMatch(
          /^script_thrown: RangeError: Cannot format: the script's locale "not_a_locale" is none/,
        )
        expect(await valueOf(sandbox, 'return 1', nowhere)).toBe(1)
      })
    })

    describe('that are as globals are', () => {
      const names = `ToolError console sleep search describe results setTimeout clearTimeout setInterval clearInterval
        queueMicrotask Date Intl structuredClone DOMException URL URLSearchParams TextEncoder TextDecoder atob btoa crypto
        performance print text`.split(/\s+/)

      it.each(names)('%s can be replaced, is not enumerable, and is there from the start', async (name) => {
        const code = `
          const before = Object.getOwnPropertyDescriptor(globalThis, '${name}')
          const kind = typeof ${name}
          const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, '${name}')
          const same = ${name} === ${name}
          ${name} = 5
          return [before.enumerable, before.configurable, kind !== 'undefined', writable, enumerable, configurable, same, ${name}]`
        expect(await valueOf(sandbox, code)).toEqual([false, true, true, true, false, true, true, 5])
      })

      it.each(names)('%s can be replaced or removed before it is used', async (name) => {
        expect(await valueOf(sandbox, `${name} = 5; return ${name}`)).toBe(5)
        expect(await valueOf(sandbox, `delete globalThis.${name}; return typeof ${name}`)).toBe('undefined')
        expect(await valueOf(sandbox, `const ${name} = 6; return ${name}`)).toBe(6)
      })

      it('are listed by no loop', async () => {
        expect(
          await valueOf(sandbox, 'const names = []; for (const name in globalThis) names.push(name); return names'),
        ).toEqual([])
      })
    })

    describe('that only harm a script that tampers with them', () => {
      it.each(tampered)('%s', async (tampering) => {
        const use = `const took = {}; ${uses.map((use, i) => `try { took[${i}] = String(${use}) } catch (e) { took[${i}] = 'threw' }`).join('\n')}`
        const { outcome } = await runScript(sandbox, `${tampering}\n${use}\nreturn 'end'`, { limits: { cpuMs: 3_000 } })
        expect(outcome.status === 'ok' ? 'ok' : outcome.failure.code).toMatch(/^(ok|script_(thrown|stack|cpu))$/)
        expect(
          await valueOf(
            sandbox,
            `return new URL('https://a.b/c?d=1').searchParams.get('d') + (1e3).toLocaleString('de')`,
          ),
        ).toBe('11.000')
      })

      it.each<[string, string | RegExp]>([
        [`const g = { get style() { return 'percent' } }; return (0.5).toLocaleString('en', g)`, /^ok: "50%"$/],
        [
          `return (0.5).toLocaleString('en', { get style() { throw new Error('mine') } })`,
          /script_thrown: Error: mine/,
        ],
        [
          `return (5).toLocaleString('en', new Proxy({}, { get: (_, name) => (name === 'minimumFractionDigits' ? 2 : undefined) }))`,
          /^ok: "5.00"$/,
        ],
        [`const o = { style: { toString: () => 'percent' } }; return (0.5).toLocaleString('en', o)`, /^ok: "50%"$/],
        [`const a = []; a[0] = a; return new Intl.ListFormat('en').format(a)`, /TypeError/],
        [`const a = ['x']; return a.concat([a]).toLocaleString()`, /^ok: "x,x"$/],
        [
          `return new Intl.ListFormat('en').format(Array(1001).fill('x'))`,
          /RangeError: A list of more than 1000 items/,
        ],
        [`return (10n ** 2000n).toLocaleString()`, /RangeError: A number of more than 1000 digits/],
        [`return 'x'.repeat(2e5).localeCompare('y')`, /RangeError: More than 100000 characters/],
        [`return (1).toLocaleString('x'.repeat(1e6))`, /RangeError/],
        [`return (1).toLocaleString('en', { style: 'x'.repeat(1e6) })`, /RangeError/],
        [`return (1).toLocaleString({ length: 1e9, 0: 'en' })`, /RangeError: A list of more than 100 locales/],
        [`return atob('x'.repeat(6e6))`, /RangeError: More than 4194304 bytes/],
        [`return new URL('https://a/' + 'x'.repeat(5e6)).href`, /RangeError: More than 4194304 bytes/],
        [`return new URL('https://a/' + 'x'.repeat(2e6)).href`, /RangeError: A URL of more than 1000000 characters/],
        [`return new URLSearchParams('a&'.repeat(3e5)).size`, /RangeError: More than 10000 parameters/],
        [`return (1).toLocaleString(Array(200).fill('en'))`, /RangeError: A list of more than 100 locales/],
        [`return 'x'.repeat(1e6).normalize('NFD').length`, /^ok: 1000000$/],
        [
          `let n = 0; for (let i = 0; i < 1e4; i++) n += new Intl.NumberFormat('de').format(i).length; return n`,
          /^ok: 47890$/,
        ],
        [
          `for (let i = 0; i < 1e5; i++) new Intl.NumberFormat('en', { minimumIntegerDigits: 1 + (i % 21), maximumFractionDigits: (i / 21) % 20 | 0, minimumSignificantDigits: 1 + (i / 420) % 21 | 0 })`,
          /RangeError: Cannot make a formatter: a script may make 500 different/,
        ],
        [
          `let a = {}; const top = a; for (let i = 0; i < 1e4; i++) a = a.a = {}; let n = 0; for (let c = structuredClone(top); c.a; c = c.a) n++; return n`,
          /^ok: 10000$/,
        ],
        [`return structuredClone(new Proxy({ a: 1 }, {}))`, /^ok: {"a":1}$/],
        [`for (;;) new Intl.NumberFormat('en', { style: 'percent' }).format(1)`, /script_cpu/],
        [`for (;;) 'ä'.localeCompare('b')`, /script_cpu/],
        [`const f = () => f(URL); f()`, /script_stack/],
        [
          `const f = () => { (1).toLocaleString(); f() }; try { f() } catch {} return (1.5).toLocaleString('de')`,
          /^ok: "1,5"$|script_stack/,
        ],
      ])('%s', async (code, expected) => {
        const limits = String(expected) === '/script_cpu/' ? { cpuMs: 300 } : {}
        expect(await failureOf(sandbox, code, { limits })).toMatch(expected)
      })
    })

    it('and does the same again in a replay, with timers, dates and formats', async () => {
      const code = `
        const seen = []
        const id = setInterval(() => seen.push(new Date().toLocaleTimeString() + crypto.randomUUID()), 10)
        const slow = new Promise((resolve) => setTimeout(() => resolve(performance.now()), 25))
        const { v } = await tools.echo({ at: new Date(2026, 2, 29, 2, 30).getTime(), id: crypto.randomUUID() })
        seen.push(await slow, new Intl.NumberFormat(undefined, { style: 'unit', unit: 'liter' }).format(v))
        clearInterval(id)
        return seen`
      const options = { more: { locale: 'de-DE', timeZone: 'Europe/Berlin' } }
      const fed = [0, 2, 3, 1].map((n, i) => ({ n, at: at + i * 10, result: ok({ v: i }) }))
      const live = startScript(sandbox, code, options)
      const turns = [await live.start(at)]
      for (const step of fed) turns.push(await live.resume(step))
      live.end()
      expect(turns.at(-1)!.outcome?.status).toBe('ok')
      for (let cut = 0; cut <= fed.length; cut++) {
        const again = startScript(sandbox, code, options)
        const replayed = [...(await again.replay(at, fed.slice(0, cut)))]
        for (const step of fed.slice(cut)) replayed.push(await again.resume(step))
        again.end()
        expect(replayed.map(told)).toEqual(turns.map(told))
      }
    })
  })
}

const told = ({ calls, prints, outcome }: { calls: unknown; prints: unknown; outcome?: unknown }) => ({
  calls,
  prints,
  outcome,
})

/** The platform's own answer. */
// oxlint-disable-next-line typescript/no-implied-eval -- the platform is what a script is compared with
const native = (body: string): Promise<Json> => new Function(`return (async () => { ${body} })()`)() as Promise<Json>

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const uses = [
  `new URL('https://a.b/?c=1').searchParams`,
  `new URLSearchParams({ a: 1 })`,
  `new TextDecoder().decode(new TextEncoder().encode('é'))`,
  `atob(btoa('a'))`,
  `structuredClone(new Map([[{}, [1]]])).size`,
  `crypto.randomUUID()`,
  `new Intl.NumberFormat('de').format(1)`,
  `new Date(2026, 1, 1).toLocaleString('de', { timeZone: 'UTC' })`,
  `'a'.localeCompare('b')`,
  `[1, 2].toLocaleString()`,
  `setTimeout(() => 1)`,
  `console.table([])`,
  `performance.now()`,
  `search('x')`,
]

const tampered = [
  `for (const f of ['defineProperty', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'setPrototypeOf', 'hasOwn', 'freeze']) Object[f] = () => { throw 1 }`,
  `for (const f of ['apply', 'construct', 'ownKeys', 'defineProperty']) Reflect[f] = () => ({})`,
  `Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }`,
  `for (const name of Object.getOwnPropertyNames(Array.prototype)) try { Array.prototype[name] = () => { throw 1 } } catch {}`,
  `for (const name of Object.getOwnPropertyNames(String.prototype)) try { String.prototype[name] = () => ({}) } catch {}`,
  `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => () => 1`,
  `Object.defineProperty(Object.prototype, '0', { set() { throw 1 }, get() { return 7 } })`,
  `Object.defineProperty(Object.prototype, 'value', { get() { throw 1 } })`,
  `Object.prototype.timeZone = 'Mars'; Object.prototype.style = 'none'; Object.prototype.href = 5`,
  `Promise.prototype.then = () => { throw 1 }; Promise.resolve = 5`,
  `Map = Set = WeakMap = Uint8Array = RegExp = Object = String = 5`,
  `globalThis.Map = class { set() {} get() {} has() { return true } }`,
  `WeakMap.prototype.get = () => 5; WeakMap.prototype.set = () => {}`,
  `Object.freeze(globalThis)`,
  `Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Date.prototype)`,
  `Date.prototype.valueOf = Date.prototype.getTime = () => 'never'; Date.UTC = () => NaN; Date.now = () => 'x'`,
  `Math.random = () => 5; Number = () => NaN; Symbol.toStringTag`,
  `Error.prototype.name = 5; TypeError = RangeError = 5; Error = 5`,
  `Object.setPrototypeOf(Function.prototype, null); Object.setPrototypeOf(Array.prototype, null)`,
]
