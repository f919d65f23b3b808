import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { expect, it } from 'vitest'
import { defineTool } from '../../src/tools/tool.js'

it('the example of docs/tools.md runs', () => {
  const [, example = ''] = readFileSync('docs/tools.md', 'utf8').split(/```js\n|```\n/)
  const code = `${example.replace(`import { defineTool, ToolError } from 'handrail'`, `import { defineTool } from './src/tools/tool.ts'\nimport { ToolError } from './src/errors.ts'`)}
    const context = { signal: new AbortController().signal, runId: 'r', callId: '1.0', idempotencyKey: 'key' }
    const input = { id: 'O-314', reason: 'The sole came off' }
    const seen = [getOrder.run({ id: 'O-314' }, context).item, requestReturn.check(input, context) ?? 'nothing']
    seen.push(requestReturn.reconcile({ idempotencyKey: 'key', input }), requestReturn.run(input, context))
    seen.push(requestReturn.reconcile({ idempotencyKey: 'key', input }), requestReturn.check({ ...input, id: 'O-1' }, context))
    console.log(JSON.stringify(seen))`
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  expect(JSON.parse(output)).toEqual([
    'boots',
    'nothing',
    { state: 'unknown' },
    { request: 'AS-1' },
    { state: 'done', output: { request: 'AS-1' } },
    { deny: 'There is no order O-1.' },
  ])
})

it('docs/tools.md describes every field of a tool, and none that there is not', () => {
  const [, table = ''] = readFileSync('docs/tools.md', 'utf8').split('| field | type | meaning |')
  const described = [...table.split('\n\n')[0]!.matchAll(/^\| `(\w+)/gm)].map(([, field]) => field!)
  const define = () => defineTool({ name: 'a', nothing: true } as never)
  const [, known = ''] = /there are (.*)$/.exec(messageOf(define)) ?? []
  expect([...new Set(described)].toSorted()).toEqual(known.split(', ').toSorted())
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
