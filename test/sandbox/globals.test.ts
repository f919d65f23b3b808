import { expect, it } from 'vitest'
import { engineNameOf } from '../../src/sandbox/engine-name.js'
import { table2 } from '../../src/sandbox/isolate/prelude-2.js'
import { describeGlobals } from '../conformance/globals.js'
import { valueOf } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

describeGlobals('the isolate in this thread', createIsolateSandbox)

it('a log of version 1 has the globals of version 1, and is in UTC', async () => {
  const names = ['state', 'text', ...table2.lazy.flatMap(([, names]) => names)]
  const code = `return [
    ${JSON.stringify(names)}.filter((name) => name in globalThis),
    new Date(2026, 6, 1).toISOString(),
    (1234.5).toLocaleString(),
    Object.keys(tools),
  ]`
  const more = { engine: engineNameOf(1), timeZone: 'Asia/Kolkata', locale: 'de-DE' }
  expect(await valueOf(createIsolateSandbox(), code, { more, tools: ['a__b'] })).toEqual([
    ['ToolError', 'console', 'Date'],
    '2026-07-01T00:00:00.000Z',
    '1234.5',
    ['a__b'],
  ])
})
