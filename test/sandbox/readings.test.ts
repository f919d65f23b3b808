import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import { engineNameOf } from '../../src/sandbox/engine-name.js'
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

/** What stands around scripts, and shapes that have no other wrapping. `list` gives `[1, 2]`. */
const rarer: readonly (readonly [name: string, code: string, value: Json])[] = [
  [
    'a last function of the tools',
    'const n = 2\nasync function main({ tools }) {\n  return (await tools.list({})).map((x) => x * n)\n}',
    [2, 4],
  ],
  [
    'a last arrow of the tools',
    'const n = 2\nconst main = async (tools) => {\n  return (await tools.list({})).length\n}',
    2,
  ],
  [
    'a last function of defaults',
    'const n = 2\nasync function main({ by = 3 }) {\n  return (await tools.list({})).length * by\n}',
    6,
  ],
  [
    'a last function of one default',
    'const n = 2\nasync function main(by = 3) {\n  return (await tools.list({})).length * by\n}',
    6,
  ],
  ['the language in its first line', 'javascript\nreturn (await tools.list({})).length', 2],
  ['an object at its end', 'const list = await tools.list({})\n({ n: list.length })', { n: 2 }],
  [
    'an object over lines',
    'const list = await tools.list({});\n({\n  n: list.length,\n  list,\n});',
    { n: 2, list: [1, 2] },
  ],
  ['a list at its end', 'const list = await tools.list({})\n[...list, 3]', [1, 2, 3]],
  ['a text at its end', 'const list = await tools.list({})\n`${list.length} of them`', '2 of them'],
  ['a call in brackets at its end', 'const f = async () => tools.list({})\n(await f()).length', 2],
  ['an arrow at its end', 'const twice = (n) => n * 2\nasync () => (await tools.list({})).map(twice)', [2, 4]],
  ['a last expression and comments', 'const list = await tools.list({})\nlist.length; // how many\n// that is all', 2],
  ['one expression and a comment', '(await tools.list({})).length; // how many', 2],
  ['an if at its end', 'const list = await tools.list({})\nif (list.length > 5) {\n  print(1)\n}', null],
  ['a try at its end', 'try {\n  await tools.list({})\n} catch (e) {\n  print(e)\n}', null],
  ['a loop at its end', 'for (const n of await tools.list({})) {\n  print(n)\n}', null],
  [
    'functions, the last of which nothing calls',
    'function twice(n) {\n  return n * 2\n}\n\nasync function main() {\n  return (await tools.list({})).map(twice)\n}',
    [2, 4],
  ],
  [
    'a constant function that nothing calls',
    'const factor = 2\nconst run = async () => {\n  return (await tools.list({})).map((n) => n * factor)\n}',
    [2, 4],
  ],
  [
    'a class and statements',
    'class A {\n  twice(n) {\n    return n * 2\n  }\n}\nreturn (await tools.list({})).map(new A().twice)',
    [2, 4],
  ],
  ['a function that takes the tools', 'async (tools) => (await tools.list({})).length', 2],
  [
    'a function that takes them by name',
    'async function run({ tools, print }) {\n  return (await tools.list({})).length\n}',
    2,
  ],
  [
    'a default export before its helper',
    'export default async function main() {\n  return (await tools.list({})).map(twice)\n}\n\nfunction twice(n) {\n  return n * 2\n}',
    [2, 4],
  ],
  [
    'exports with names',
    'export const factor = 2\nexport async function run() {\n  return (await tools.list({})).map((n) => n * factor)\n}',
    [2, 4],
  ],
  ['strict mode first', '"use strict";\n\nconst list = await tools.list({});\nlist.length;', 2],
  ['a byte order mark', '\uFEFFreturn (await tools.list({})).length', 2],
  ['an interpreter line', '#!/usr/bin/env node\nreturn (await tools.list({})).length', 2],
  ['line ends of Windows', 'const list = await tools.list({})\r\n\r\nlist.length\r\n', 2],
  ['JSON with the code', '{"code": "const list = await tools.list({})\\nreturn list.length"}', 2],
  ['the call in JSON', '{"name": "run_script", "arguments": {"code": "return (await tools.list({})).length"}}', 2],
  ['JSON that is none', '{"code": "EUR", "n": 1, "list": ["await"]}.n + (await tools.list({})).length', 3],
  ['a JSON text', '"return (await tools.list({})).length"', 2],
  ['a script tag', '<script type="module">\nreturn (await tools.list({})).length\n</script>', 2],
  ['tags in tags', '<tool_call>\n<code>\nreturn (await tools.list({})).length\n</code>\n</tool_call>', 2],
  ['a tag and a fence', '<code>\n```js\nreturn (await tools.list({})).length\n```\n</code>', 2],
  ['CDATA', '<code><![CDATA[\nreturn (await tools.list({})).length\n]]></code>', 2],
  ['entities', 'const list = await tools.list({})\nreturn list.filter((n) =&gt; n &gt; 1 &amp;&amp; n &lt; 3)', [2]],
  [
    'a fence after one of a shell',
    'First:\n```bash\nnpm install\n```\nThen:\n```js\nreturn (await tools.list({})).length\n```',
    2,
  ],
  [
    'a fence before one of data',
    '```js\nreturn (await tools.list({})).length\n```\nIt gives:\n```json\n{"a": 1}\n```',
    2,
  ],
  [
    'types in a fence of their own',
    '```ts\ninterface Row { n: number }\n```\n```ts\nconst list: number[] = await tools.list({})\nreturn list.length\n```',
    2,
  ],
  ['a fence of more marks', '````js\nreturn (await tools.list({})).length\n````', 2],
  ['a fence of tildes', '~~~js\nreturn (await tools.list({})).length\n~~~', 2],
  ['a fence that is indented', 'Do:\n\n  ```js\n  return (await tools.list({})).length\n  ```', 2],
  ['a fence that is left open', 'Here:\n```js\nreturn (await tools.list({})).length', 2],
  ['a fence that ends with the code', '```js\nreturn (await tools.list({})).length```', 2],
  ['a fence in one line', '```return (await tools.list({})).length```', 2],
  ['a fence in one line, with its language', '```js return (await tools.list({})).length```', 2],
  ['a fence that was escaped', '```js\\nconst list = await tools.list({})\\nreturn list.length\\n```', 2],
  ['a comment that was escaped', '// how many\\nconst list = await tools.list({})\\nreturn list.length', 2],
  [
    'tildes in a template',
    'const n = (await tools.list({})).length\nreturn `\n~~~js\n${n}\n~~~\n`',
    '\n~~~js\n2\n~~~\n',
  ],
  ['entities that are meant', 'const list = await tools.list({})\nreturn `a &lt; ${list.length}`', 'a &lt; 2'],
  [
    'an address, and an escape',
    'return "https://a.example/\\n" + (await tools.list({})).length',
    'https://a.example/\n2',
  ],
  [
    'an abstract class',
    'abstract class A {\n  abstract n(): number\n}\nclass B extends A {\n  constructor(private readonly by: number) { super() }\n  n(): number { return this.by }\n}\nawait tools.list({})\nreturn new B(3).n()',
    3,
  ],
  [
    'a type import',
    'import type { Row } from "./rows"\nconst list = (await tools.list({})) as Row[]\nreturn list!.length',
    2,
  ],
  [
    'generics, satisfies and an index signature',
    'const by: { [key: string]: number } = {}\nconst one = <T extends object>(x: T) => x\nfor (const n of (await tools.list({})) as number[]) by[String(n)] = n\nreturn one(by satisfies object)',
    { 1: 1, 2: 2 },
  ],
  [
    'declare and namespaces of types',
    'declare const tools: { list(input: object): Promise<number[]> }\ntype Pair<A, B = A> = [A, B]\nconst list = await tools.list({})\nreturn [list.length, 0] as Pair<number>',
    [2, 0],
  ],
]

describe('it may also have', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), async () => stripTypes)
  it.each(rarer)('%s', async (_, code, value) => {
    const { outcome, asked } = await run(sandbox, code)
    expect({ outcome, asked }).toEqual({ outcome: { status: 'ok', value }, asked: ['list'] })
  })

  it('text of TypeScript, whose failures name their own line and column', async () => {
    const code = 'const list: number[] = await tools.list({}); const o: any = null; return (o as Row).missing'
    const { outcome } = await run(sandbox, code)
    const column = code.indexOf('.missing') + 1
    expect(outcome).toMatchObject({ failure: { code: 'script_thrown', line: 1, column: expect.any(Number) } })
    const { failure } = outcome as { failure: { column: number; frame: string } }
    expect(Math.abs(failure.column - column)).toBeLessThan('(o as Row).missing'.length)
    expect(failure.frame).toContain('(o as Row).missing')
  })
})

describe('a script of version 1 is read as it was', () => {
  const sandbox = withTypeScript(createIsolateSandbox(), async () => stripTypes)
  it.each<readonly [code: string, value: Json]>([
    ['const list = await tools.list({});\n({ n: list.length })', null],
    ['{"code": "return 1"}', { code: 'return 1' }],
    ['async function main() {\n  return 1\n}\nconst n = 1', null],
    ['function a() {}\nasync function main() {\n  return 1\n}', null],
    ['// how many\\nreturn 1', null],
    ['~~~js\nreturn 1\n~~~', 1],
    ['```\nreturn 1\n```\n```js\nreturn 2\n```', 1],
  ])('%j', async (code, value) => {
    const script = sandbox.start(scriptOptions(code, { tools: ['list'], engine: engineNameOf(1) }))
    let turn = await script.start(1)
    if (!turn.outcome) turn = await script.resume({ n: 0, at: 2, result: { status: 'ok', value: [1, 2] } })
    expect(turn.outcome).toEqual({ status: 'ok', value })
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
    ['const a: number = 1\nconst b = ;', { line: 2, column: 11, frame: expect.stringContaining('> 2 | const b = ;') }],
    ['const f = (a: string) => a\nif (f("a")) {\n  return 1', { line: 3, column: 11 }],
    ['const a = 1\nexport { a }', { hint: expect.stringMatching(/return the result/) }],
    ['class A { @log() m() {} }', { hint: expect.stringMatching(/decorators/) }],
    ['def main():\n    return tools.list()', { hint: expect.stringMatching(/Python/) }],
    ['import json\nprint(json.dumps({}))', { hint: expect.stringMatching(/Python/) }],
    ['for x in range(3):\n    print(x)', { hint: expect.stringMatching(/Python/) }],
    ['curl https://a.example', { hint: expect.stringMatching(/no shell/) }],
    ['SELECT * FROM orders', { hint: expect.stringMatching(/query/) }],
    ['return “a”', { hint: expect.stringMatching(/straight quotes/) }],
    ['function f() {\n  await tools.list({})\n}', { line: 2, hint: expect.stringMatching(/write async/) }],
    ['Here is the script that you want.', { hint: expect.stringMatching(/into comments/) }],
  ])('runs nothing and names the place or the way out: %j', async (code, failure) => {
    const { outcome, asked } = await run(sandbox, code)
    expect(outcome).toMatchObject({ status: 'error', failure: { code: 'script_syntax', ...failure } })
    expect(asked).toEqual([])
  })

  it.each([
    'fetch("/x")',
    'require("fs")',
    'process.env',
    'document.title',
    'localStorage.a',
    'await import("fs")',
    '_.sum([1])',
    'codemode.list({})',
    'external_list({})',
    'list({})',
    'tools.list(order_id = 1)',
    'None',
    'len([1])',
  ])('says what to use instead of what is not there: %s', async (code) => {
    const { outcome } = await run(sandbox, `return ${code}`)
    expect(outcome).toMatchObject({ failure: { code: 'script_thrown', hint: expect.stringMatching(/\S/) } })
  })
})
