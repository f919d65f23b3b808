import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runOnce } from '../../scripts/script-once.mjs'
import type { Report } from '../../scripts/script-run.js'
import { defaultLimits } from '../../src/core/script-limits.js'

const command = join(import.meta.dirname, '..', '..', 'scripts', 'script.mjs')
const folder = mkdtempSync(join(tmpdir(), 'handrail-script-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function file(content: string | Uint8Array): string {
  const path = join(folder, `${files++}`)
  writeFileSync(path, content)
  return path
}

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(args: readonly string[], stdin = ''): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args])
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
  })
}

interface More {
  readonly tools?: string | object
  readonly limits?: object
  readonly seed?: string
}

/** A process for each would take most of the time: that the command prints what this gives has tests of its own below. */
async function report(code: string, { tools = {}, limits = {}, seed }: More = {}): Promise<Report> {
  const text = typeof tools === 'string' ? tools : JSON.stringify(tools)
  const ended = await runOnce({ code, tools: text, limits: JSON.stringify(limits), seed })
  expect(ended.usage).toBeUndefined()
  return (ended as { report: Report }).report
}

/** Prints it, on one line. */
async function printed(args: readonly string[], stdin = ''): Promise<Report> {
  const { status, stdout, stderr } = await run(args, stdin)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.indexOf('\n')).toBe(stdout.length - 1)
  return JSON.parse(stdout) as Report
}

const outcomes = ({ calls }: Report) => calls.map(({ tool, outcome }) => `${tool} ${outcome}`)

describe.concurrent('npm run script prints one line of JSON', { timeout: 60_000 }, () => {
  it('with what a script returned, printed, called and used', async () => {
    const code = `const { total } = await tools.sum({ of: [1, 2] })\nprint('total', total)\nreturn { total }`
    const tools = JSON.stringify({ sum: { value: { total: 3 } } })
    const { cpuMs, wallMs, ...rest } = await printed([file(code), '--tools', file(tools)])
    expect(rest).toEqual({
      ok: true,
      value: { total: 3 },
      prints: ['total 3'],
      calls: [{ tool: 'sum', input: { of: [1, 2] }, outcome: 'ok' }],
      error: null,
      memoryBytes: 16 << 20,
    })
    expect(cpuMs).toBeGreaterThan(0)
    expect(wallMs).toBeGreaterThanOrEqual(cpuMs)
  })

  it('with the place of a failure in the text as it was written', async () => {
    const { ok, value, error } = await report('const order = null\n\nreturn order.id')
    expect({ ok, value }).toEqual({ ok: false, value: null })
    expect(error).toMatchObject({
      kind: 'thrown',
      line: 3,
      column: 13,
      message: expect.stringContaining("'id' of null"),
    })
    expect(error?.frame).toContain('> 3 | return order.id')
  })

  it.each([
    ['syntax', 'const a = ;', {}],
    ['syntax', '', {}],
    ['check', 'return await tools.nothing({})', {}],
    ['thrown', 'throw new Error("no")', {}],
    ['cpu', 'for (;;);', { cpuMs: 100 }],
    ['cpu', 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })', { cpuMs: 100 }],
    ['cpu', 'for (let i = 0; i < 40; i++) { for (let j = 0; j < 1e5; j++); await sleep(0) }', { totalCpuMs: 10 }],
    ['memory', 'const a = []; for (;;) a.push({})', { memoryBytes: 20 << 20, cpuMs: 20_000 }],
    ['stack', 'const f = () => f(); f()', {}],
    ['calls', 'for (;;) await sleep(0)', { calls: 3 }],
    ['output', 'return "x".repeat(100)', { returnBytes: 50 }],
    ['output', 'await search("x".repeat(100))', { inputBytes: 50 }],
    ['deadlock', 'await new Promise(() => {})', {}],
    ['wall', 'await sleep(60_000)', { wallMs: 200 }],
  ])('with the kind %s of a failure: %s', async (kind, code, limits) => {
    expect((await report(code, { limits })).error).toMatchObject({ kind, message: expect.stringMatching(/./) })
  })

  it('with the failure of a tool, which the script may catch', async () => {
    const tools = {
      get: { error: { code: 'not_found', message: 'There is no O-9.' } },
      pay: { error: { code: 'denied', message: 'A person said no.' } },
    }
    const caught = await report(`try { await tools.get() } catch (e) { return [e.name, e.code, e.message] }`, { tools })
    expect(caught.value).toEqual(['ToolError', 'not_found', 'There is no O-9.'])
    expect(outcomes(caught)).toEqual(['get error'])
    expect((await report('\nawait tools.get()', { tools })).error).toMatchObject({ kind: 'tool-error', line: 2 })
    expect((await report('await tools.pay()', { tools })).error).toMatchObject({ kind: 'denied', line: 1 })
  })

  it('after open calls were answered in the order of their delays, and else as they were made', async () => {
    const tools = {
      slow: { value: 's', delayMs: 120 },
      fast: { value: 'f', delayMs: 40 },
      now: { value: 'n' },
    }
    const code = `const seen = []
      await Promise.all(['slow', 'now', 'fast', 'slow', 'now', 'fast'].map(
        async (name, i) => { await tools[name]({ i }); seen.push(name + i) }))
      return seen`
    const { value, calls } = await report(code, { tools })
    expect(value).toEqual(['now1', 'now4', 'fast2', 'fast5', 'slow0', 'slow3'])
    expect(calls.map(({ input }) => input)).toEqual([0, 1, 2, 3, 4, 5].map((i) => ({ i })))
  })

  it('where calls that were open at the end are skipped, and sleep is no call', async () => {
    const tools = { slow: { value: 1, delayMs: 60_000 }, now: { value: 1 } }
    const ended = await report(
      `await Promise.race([tools.slow(), tools.now()]); await sleep(30); throw new Error('no')`,
      {
        tools,
      },
    )
    expect(outcomes(ended)).toEqual(['slow skipped', 'now ok'])
    expect(ended.error).toMatchObject({ kind: 'thrown', message: 'Error: no' })
  })

  it('where sleeping takes wall time, and waiting for a tool takes none', async () => {
    const code = `await tools.slow(); await Promise.all([tools.slow(), sleep(150)]); await sleep(80)`
    const { ok, wallMs } = await report(code, {
      tools: { slow: { value: 1, delayMs: 2_000 } },
      limits: { wallMs: 3_500 },
    })
    expect(ok).toBe(true)
    expect(wallMs).toBeGreaterThanOrEqual(80)
  })

  it('where calls wait in line when more are made than may be open', async () => {
    const code = `return (await Promise.all([1, 2, 3, 4, 5].map((n) => tools.get({ n })))).length`
    const { value, calls } = await report(code, { tools: { get: { value: 1 } }, limits: { openCalls: 2 } })
    expect([value, calls.length]).toEqual([5, 5])
  })

  it('where TypeScript is taken', async () => {
    expect((await report('const n: number = 2\nenum E { A = 3 }\nreturn n * E.A')).value).toBe(6)
  })

  it('with tools of any name', async () => {
    const tools = '{ "__proto__": { "value": 1 }, "constructor": { "value": 2 }, "toString": { "value": null } }'
    const code = `return [await tools.__proto__({ a: 1 }), await tools.constructor(), await tools.toString(), Object.keys(tools)]`
    const { value, calls } = await report(code, { tools })
    expect(value).toEqual([1, 2, null, ['__proto__', 'constructor', 'toString']])
    expect(calls[0]).toEqual({ tool: '__proto__', input: { a: 1 }, outcome: 'ok' })
  })

  it.each([
    ['a byte order mark and CRLF', '\ufeffconst a = 1\r\nreturn a\r\n', 1],
    ['U+0000 in a text', 'return "a\0b".length', 3],
    [
      'bytes that are no UTF-8',
      Uint8Array.from([...Buffer.from('return "'), 0xff, 0x80, ...Buffer.from('".length')]),
      2,
    ],
    ['line separators in a text', 'return "\u2028\u2029\\n"', '\u2028\u2029\n'],
    ['lone surrogates', 'return "\\ud800"', '\ud800'],
  ])('for a file with %s', async (_, content, value) => {
    expect((await printed([file(content)])).value).toEqual(value)
  })

  it.each([
    ['of 10 MB', 'x=\n'.repeat(3_400_000)],
    ['of 10 MB of U+0000', '\0'.repeat(10_000_000)],
    ['of a quarter of a million line ends', `${'\n'.repeat(250_000)})`],
    ['of a quarter of a million semicolons', `x${';'.repeat(250_000)}x y`],
    ['of 80,000 tags', `${'<a>'.repeat(80_000)}const x: =`],
    ['of 200,000 brackets', '('.repeat(200_000)],
  ])('for a file %s', async (_, content) => {
    const { error } = await report(content, { limits: { cpuMs: 20_000, totalCpuMs: 20_000 } })
    expect(error?.kind).toBe('syntax')
  })

  it('of a script on the standard input', async () => {
    expect(await printed(['-'], 'return 7')).toMatchObject({ ok: true, value: 7 })
  })

  it('that depends on seed, locale and time zone as they were given', async () => {
    const draw = async (seed: string) => (await report('return Math.random()', { seed })).value
    const [a, b, c] = await Promise.all([draw('5'), draw('5'), draw('6')])
    expect(a).toBe(b)
    expect(a).not.toBe(c)
    const args = ['-', '--locale', 'de-AT', '--time-zone', 'Europe/Vienna', '--seed', '5', '--limits', '{"calls": 9}']
    expect(await printed(args, 'return Math.random()')).toMatchObject({ ok: true, value: a })
  })
})

describe.concurrent('npm run script refuses what it cannot use', { timeout: 60_000 }, () => {
  it.each([
    ['no file', [], 'Expected one FILE, not 0'],
    ['two files', ['a', 'b'], 'Expected one FILE, not 2'],
    ['a file that is not there', [join(folder, 'none.js')], /Cannot read .*none\.js/],
    ['a folder', [folder], /Cannot read /],
    ['an option that is not there', ['-', '--tool', 'x'], /--tool/],
    ['tools that are not there', ['-', '--tools', join(folder, 'none.json')], /Cannot read .*none\.json/],
    ['tools that are no JSON', ['-', '--tools', file('{')], 'The file of --tools is not JSON'],
    ['a limit that is not there', ['-', '--limits', '{"cpu": 5}'], 'did you mean "cpuMs"?'],
  ])('on stderr and with exit code 2: %s', async (_, args, message) => {
    const { status, stdout, stderr } = await run(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).toContain('npm run script -- FILE')
  })

  const tools = (content: unknown) => ({ tools: JSON.stringify(content) })
  it.each([
    ['tools that are a list', tools([1]), 'The file of --tools is not an object'],
    ['a tool without an answer', tools({ a: {} }), 'The tool "a" of --tools needs either "value" or "error"'],
    ['a tool with both', tools({ a: { value: 1, error: { code: 'c', message: 'm' } } }), 'needs either'],
    ['an error without a message', tools({ a: { error: { code: 'c' } } }), 'has an error without texts'],
    ['a slip in a tool', tools({ a: { value: 1, delayms: 5 } }), 'did you mean "delayMs"?'],
    ['a delay that is none', tools({ a: { value: 1, delayMs: -1 } }), 'has delayMs -1: expected a number'],
    ['a tool that is built in', tools({ 'script.sleep': { value: 1 } }), 'is built in'],
    ['limits that are no JSON', { limits: '{cpuMs}' }, '--limits is not JSON'],
    ['a limit that is no number', { limits: '{"calls": "5"}' }, 'has calls "5": expected a whole number'],
    ['a seed that is no number', { seed: 'x' }, '--seed is "x": expected a number'],
    ['a locale that is none', { locale: 'not a locale' }, '--locale is'],
    ['a time zone that is none', { timeZone: 'Mars/Base' }, '--time-zone is'],
  ])('with a word on it: %s', async (_, settings, message) => {
    expect((await runOnce({ code: '', ...settings })).usage).toContain(message)
  })

  it('and knows all limits of a script', async () => {
    expect((await report('return 1', { limits: defaultLimits })).ok).toBe(true)
  })
})
