import { expect, it } from 'vitest'
import page from '../../docs/testing.md?raw'
import example from '../testing/example/returns.test.ts?raw'
import * as testing from '../../src/testing/index.js'
import { expectRun } from '../../src/testing/expect-run.js'
import recorded from '../testing/example/returns.jsonl?raw'

it('the example of docs/testing.md is the test that runs', () => {
  expect(page).toContain(`\`\`\`ts of test/testing/example/returns.test.ts\n${example}\`\`\``)
})

it('docs/testing.md names every function of handrail/testing, and every link of expectRun', () => {
  const functions = Object.entries(testing).filter(([, value]) => typeof value === 'function')
  for (const [name] of functions) expect(page).toContain(`\`${name}(`)
  const described = [...page.matchAll(/^\| `(\w+)\([^|]*\)` +\| (?!a model|what a test|the recorded|whether)/gm)]
  const names = new Set(described.map(([, name]) => name))
  expect(names).toEqual(new Set(Object.keys(expectRun(recorded))))
})
