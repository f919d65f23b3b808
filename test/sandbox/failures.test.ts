import { describe, expect, it } from 'vitest'
import type { ScriptFailure } from '../../src/sandbox/script.js'
import { failure, runScript } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

const sandbox = createIsolateSandbox()
async function failureOf(code: string): Promise<ScriptFailure> {
  const { outcome } = await runScript(sandbox, code, { answer: () => failure('not_found', 'No such order') })
  if (outcome.status === 'ok') throw new Error(`It returned ${JSON.stringify(outcome.value)}`)
  return outcome.failure
}

describe('a failure names what is not a function', () => {
  it.each([
    ['const order = {}\nreturn order.getName()', 'order.getName is not a function: print(order) shows what it is.'],
    ['const a = { b: {} }\na\n  .b\n  .c()', 'a.b.c is not a function: print(a.b) shows what it is.'],
    ['const list = [1]\nlist[0]()', 'list[0] is not a function.'],
    ['const f = 5\nf()', 'f is not a function.'],
    ['[1].concat(2).mapp((x) => x)', '….mapp is not a function.'],
    ['[1].map((x) => x.foo())', 'x.foo is not a function: print(x) shows what it is.'],
    ['[1].map(3)', 'map needs a function.'],
    ['await Array.fromAsync([1])', 'Write await Promise.all(list).'],
    ['const name = "none"\nawait tools[name]({})', 'The tools are echo, other.'],
    [
      'const c = await tools.echo({}).catch(() => ({}))\nreturn c.go()',
      'c.go is not a function: print(c) shows what it is.',
    ],
  ])('%s', async (code, hint) => {
    expect(await failureOf(code)).toMatchObject({ message: 'TypeError: not a function', hint })
  })
})

describe('a failure says what it was made of', () => {
  it.each([
    ['throw new Error("outer", { cause: new RangeError("inner") })', 'Error: outer [cause: RangeError: inner]'],
    ['throw new Error("outer", { cause: { id: 1 } })', 'Error: outer [cause: {"id":1}]'],
    [
      'await Promise.any([tools.echo(), tools.other()])',
      'AggregateError:  [ToolError: No such order; ToolError: No such order]',
    ],
    ['throw new AggregateError([1, "b", null, 4])', 'AggregateError:  [1; b; null; and more]'],
    ['const e = new Error("a"); e.cause = e; throw e', 'Error: a [cause: Error: a]'],
    ['const e = new Error("a"); Object.defineProperty(e, "cause", { get() { throw 1 } }); throw e', 'Error: a'],
    ['throw Object.assign(new Error("a"), { errors: new Proxy([], { get() { throw 1 } }) })', 'Error: a'],
  ])('%s', async (code, message) => {
    expect(await failureOf(code)).toMatchObject({ code: 'script_thrown', message })
  })

  it('and keeps its reasons short', async () => {
    const { message } = await failureOf('throw new Error("a", { cause: new Error("x".repeat(1e6)) })')
    expect(message.length).toBeLessThan(600)
  })
})

describe('a failure says what to do', () => {
  it.each([
    ['if (true) {\n  print(1)\nreturn 1', /ends too early/],
    ['const a = [1, 2', /ends too early/],
    ['using a = tools.echo', /"using"/],
    ['const a = null\nconst { b } = a', /null or undefined/],
    ['const a = {}\nconst [b] = a', /no list/],
  ])('%s', async (code, hint) => {
    expect((await failureOf(code)).hint).toMatch(hint)
  })

  it('and calls a built-in call as the script does', async () => {
    expect((await failureOf('await describe("none")')).message).toBe(
      'The call of describe failed: not_found: No such order',
    )
  })
})

describe('a stack that a script made gives no place', () => {
  it.each(['0:0', '1:99999999', `${'9'.repeat(30)}:1`, `${'9'.repeat(400)}:${'9'.repeat(400)}`, '2:0'])(
    'outside of its text: %s',
    async (place) => {
      const code = `const e = new Error("x")\ne.stack = "at f (script.js:${place})"\nthrow e`
      const lines = code.split('\n')
      const { line, column, frame } = await failureOf(code)
      expect(line).toBeGreaterThanOrEqual(1)
      expect(line).toBeLessThanOrEqual(lines.length)
      expect(column).toBeGreaterThanOrEqual(1)
      expect(column).toBeLessThanOrEqual(lines[line! - 1]!.length + 1)
      expect(frame).toContain(`> ${line} |`)
    },
  )
})
