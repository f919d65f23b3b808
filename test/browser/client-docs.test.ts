import { expect, it } from 'vitest'
import page from '../../docs/client.md?raw'
import source from './fixtures/client/example.ts?raw'
import { returnBoots } from './fixtures/client/example.js'

it('the example of docs/client.md runs as written', async () => {
  const asked: string[] = []
  const answer = await returnBoots((question) => {
    asked.push(question)
    return true
  })
  expect(answer).toBe('I have requested the return of your boots.')
  expect(asked).toEqual(['request_return {"id":"O-314"}?'])
  expect(page).toContain(`\`\`\`ts\n${source}\`\`\``)
})
