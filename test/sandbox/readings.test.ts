import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import type { Sandbox, ScriptTurn } from '../../src/sandbox/script.js'
import { stripTypes } from '../../src/sandbox/strip-types.js'
import { withTypeScript } from '../../src/sandbox/typescript.js'
import { scriptOptions } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

/** One program in the shapes that models give it. All call `tools.list()` once and end with `[2, 4]`. */
const plain: Record<string, string> = {
  'statements with await and return': 'const list = await tools.list({})\nreturn list.map((n) => n * 2)',
  'a last expression': 'const list = await tools.list({})\nlist.map((n) => n * 2)',
  'a last expression with a semicolon': 'const list = await tools.list({});\nlist.map((n) => n * 2);',
  'a last expression in one line': 'const list = await tools.list({}); list.map((n) => n * 2)',
  'a last expression over lines': 'const list = await tools.list({})\nlist\n  .filter(Boolean)\n  .map((n) => n * 2)',
  'a last object over lines':
    'const list = await tools.list({})\nObject.values({\n  a: list[0] * 2,\n  b: list[1] * 2,\n})',
  'one expression': '(await tools.list({})).map((n) => n * 2)',
  'one expression, not awaited': 'tools.list({}).then((list) => list.map((n) => n * 2))',
  'an async arrow': 'async () => {\n  const list = await tools.list({})\n  return list.map((n) => n * 2)\n}',
  'an arrow with a semicolon': 'async () => (await tools.list({})).map((n) => n * 2);',
  'a function': 'async function main() {\n  const list = await tools.list({})\n  return list.map((n) => n * 2)\n}',
  'a function that is called':
    'async function main() {\n  return (await tools.list({})).map((n) => n * 2)\n}\n\nmain()',
  'a function that is awaited': 'const main = async () => (await tools.list({})).map((n) => n * 2)\nawait main();',
  'an export default': 'export default async () => (await tools.list({})).map((n) => n * 2)',
  'an export default of a function':
    'export default async function run() {\n  return (await tools.list({})).map((n) => n * 2)\n}',
  'an export default after a helper':
    'const twice = (n) => n * 2\nexport default async () => (await tools.list({})).map(twice);',
  'a function that calls itself':
    '(async () => {\n  const list = await tools.list({})\n  return list.map((n) => n * 2)\n})()',
  'a function that calls itself, awaited':
    'await (async function () {\n  return (await tools.list({})).map((n) => n * 2)\n})();',
  'a try around it': 'try {\n  return (await tools.list({})).map((n) => n * 2)\n} catch (error) {\n  return []\n}',
  'comments at the end': 'const list = await tools.list({})\nreturn list.map((n) => n * 2) // doubled\n// done',
}

const typed: Record<string, string> = {
  'types and as': 'const list = (await tools.list({})) as number[]\nreturn list.map((n: number): number => n * 2)',
  'an interface and generics':
    'interface Row { n: number }\nconst wrap = <T,>(value: T): T[] => [value]\nconst list: number[] = await tools.list({})\nconst rows: Row[] = list.map((n) => ({ n }))\nreturn rows.flatMap(({ n }) => wrap(n * 2))',
  'an enum': 'enum Factor { Twice = 2 }\nreturn (await tools.list({})).map((n: number) => n * Factor.Twice)',
  'a typed arrow':
    'async (): Promise<number[]> => {\n  const list: number[] = await tools.list({})\n  return list.map((n) => n! * 2)\n}',
  'satisfies and a last expression':
    'const list = (await tools.list({})) satisfies number[]\nlist.map((n: number) => n * 2)',
}

const wrappings: Record<string, (code: string) => string> = {
  plain: (code) => code,
  fenced: (code) => `\`\`\`js\n${code}\n\`\`\``,
  'fenced, with prose': (code) => `Here is the script:\n\n\`\`\`typescript\n${code}\n\`\`\`\nIt doubles them.`,
  'escaped twice': (code) => JSON.stringify(code).slice(1, -1),
}

const cases = Object.entries({ ...plain, ...typed }).flatMap(([shape, code]) =>
  Object.entries(wrappings).map(([wrapping, wrap]) => ({ name: `${shape}, ${wrapping}`, code: wrap(code) })),
)

async function run(sandbox: Sandbox, code: string, list: Json = [1, 2]): Promise<ScriptTurn & { asked: string[] }> {
  const script = sandbox.start(scriptOptions(code, { tools: ['list'] }))
  const asked: string[] = []
  let turn = await script.start(1)
  while (!turn.outcome) {
    asked.push(...turn.calls.map(({ toolName }) => toolName))
    turn = await script.resume({ n: asked.length - 1, at: 2, result: { status: 'ok', value: list } })
  }
  script.end()
  return { ...turn, asked }
}

describe('a script may be written as', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), async () => stripTypes)
  // A comment to the end of a line can't be told from code once the line ends are gone.
  it.each(cases.filter(({ name }) => name !== 'comments at the end, escaped twice'))('$name', async ({ code }) => {
    const { outcome, asked } = await run(sandbox, code)
    expect({ outcome, asked }).toEqual({ outcome: { status: 'ok', value: [2, 4] }, asked: ['list'] })
  })
})

describe('a script that cannot be read', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), async () => stripTypes)
  it.each([
    ['const a = 1\nconst b = ;', { line: 2, column: 11, frame: expect.stringContaining('> 2 | const b = ;') }],
    [
      '```js\nconst a = 1\nconst b = ;\n```',
      { line: 3, column: 11, frame: expect.stringContaining('> 3 | const b = ;') },
    ],
    ['', { message: expect.stringMatching(/empty/) }],
    ['import fs from "node:fs"\nreturn fs', { hint: expect.stringMatching(/import.*tools\.NAME/s) }],
    ['const view = <b>hi</b>\nreturn view', { hint: expect.stringMatching(/JSX/) }],
  ])('runs nothing and names the place or the way out: %j', async (code, failure) => {
    const { outcome, asked } = await run(sandbox, code)
    expect(outcome).toMatchObject({ status: 'error', failure: { code: 'script_syntax', ...failure } })
    expect(asked).toEqual([])
  })

  it.each(['fetch("/x")', 'require("fs")', 'process.env', 'document.title', 'localStorage.a'])(
    'says what to use instead of what is not there: %s',
    async (code) => {
      const { outcome } = await run(sandbox, `return ${code}`)
      expect(outcome).toMatchObject({ failure: { code: 'script_thrown', hint: expect.stringMatching(/\S/) } })
    },
  )
})
