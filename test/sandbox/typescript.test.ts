import { describe, expect, it } from 'vitest'
import { withCheck } from '../../src/sandbox/check.js'
import { scriptReader } from '../../src/sandbox/check/reader.js'
import { stripTypes } from '../../src/sandbox/strip-types.js'
import { withTypeScript } from '../../src/sandbox/typescript.js'
import { at, failureOf, ok, runScript, startScript, valueOf } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

describe('a script in TypeScript whose stripper does not load', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), () => Promise.reject(new TypeError('Failed to fetch')))

  it('does not compile', async () => {
    expect(await failureOf(sandbox, 'const a: number = 1\nreturn a')).toMatch(/^script_syntax/)
  })

  it('is not replayed as what it was not', async () => {
    const script = startScript(sandbox, 'const a: number = await tools.echo(1)\nreturn a')
    await expect(script.replay(at, [{ n: 0, at, result: ok(1) }])).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
  })
})

describe('a script whose types compile without TypeScript', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), async () => stripTypes)

  it.each([
    ['return (await tools.echo<{ id: string; n: number }>({ n: 1 })).n', 1],
    ['return [...new Set<string>(["a", "a"])]', ['a']],
    ['return [1, 2].reduce<number>((sum, n) => sum + n, 0)', 3],
    ['return [1].reduce<Record<string, number>>((all, n) => ({ ...all, [n]: n }), {})', { 1: 1 }],
    ['return await Promise.all<Array<string | number>>(["a"])', ['a']],
    ['const as = <T,>(x: T) => x\nreturn as<"a" | "b">("a")', 'a'],
    ['const html = (n) => `Total<b>(${n})</b>`\nreturn html(1)', 'Total<b>(1)</b>'],
    ['const [a, b, c] = [1, 2, 0]\nreturn a<b && b>(c)', true],
    ['let n = 0\nfor (let i = 0; i<3; i++) { if (i>(1)) n++ }\nreturn n', 1],
  ])('%s', async (code, value) => {
    expect(await valueOf(sandbox, code)).toEqual(value)
  })

  it('is told of its own places', async () => {
    expect(await failureOf(sandbox, 'return tools.echo<string>(1).x.y')).toBe(
      "script_thrown: TypeError: cannot read property 'y' of undefined (line 1, column 31: return tools.echo<string>(1).x.y)",
    )
  })

  it('is checked as what it is', async () => {
    const checked = withCheck(
      sandbox,
      async () => scriptReader,
      async () => stripTypes,
    )
    const definitions = [{ name: 'echo', description: 'Echo', risk: 'read', input: {} }] as const
    const options = { more: { definitions }, tools: ['echo'] }
    expect(await failureOf(checked, 'tools.echo<string>({})\nreturn 1', options)).toMatch(
      /^script_check.*\n.*Nobody waits/,
    )
  })

  it('is not run as comparisons while its stripper does not load', async () => {
    const offline = withTypeScript(createIsolateSandbox(), () => Promise.reject(new TypeError('Failed to fetch')))
    expect(await failureOf(offline, 'return new Set<string>([])')).toMatch(/^script_crashed.*types/)
  })

  it('is found in the time of its length', async () => {
    for (const part of ['a<b', 'a<b>c', 'a<b<c>d', 'a<', '<(', 'a<b,'])
      expect(await failureOf(sandbox, `${part.repeat(60_000 / part.length)} :`)).toMatch(/^script_/)
  })
})

describe('a namespace, which is code', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), async () => stripTypes)
  const hintOf = async (code: string) => {
    const { outcome } = await runScript(sandbox, code)
    return outcome.status === 'error' ? outcome.failure : outcome
  }

  it.each(['namespace Sum { export const of = 1 }\nreturn Sum.of', 'const n: number = 1\nmodule Sum {\n}\nreturn n'])(
    'is not left out: %s',
    async (code) => {
      expect(await hintOf(code)).toMatchObject({
        code: 'script_syntax',
        hint: expect.stringContaining('no namespaces'),
      })
    },
  )

  it.each([
    ['declare namespace Sum { const of: number }\nreturn 1', 1],
    ['const text: string = `\nnamespace A {\n}`\nreturn text.length', 16],
    ['const module: number = 1\nreturn module', 1],
  ])('of types, or in a text, is none: %s', async (code, value) => {
    expect(await valueOf(sandbox, code)).toBe(value)
  })
})
