import { expect, it } from 'vitest'
import readme from '../../README.md?raw'
import source from './fixtures/readme/example.ts?raw'
import { answer } from './fixtures/readme/example.js'

it('the example of README.md runs as written', () => {
  expect(answer).toBe('Still returnable: [{"order_id":"O-10","signedDaysAgo":10}]')
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``)
})
