import { expect, it } from 'vitest'
import { textToolSchema } from '../../src/models/text-tool.js'

const fieldOf = (description: string) => ({
  type: 'object',
  properties: { input: { type: 'string', description } },
  required: ['input'],
  additionalProperties: false,
})

it('textToolSchema() makes a text the one field of an object', () => {
  expect(textToolSchema({ input: { type: 'string' } })).toEqual(fieldOf('The whole input, as one text.'))
  expect(textToolSchema({ input: { type: 'string', description: ' A query. ' } })).toEqual(fieldOf('A query.'))
})

it.each([
  ['regex', '^\\d+$', 'All of it must match this regular expression: ^\\d+$'],
  ['lark', 'start: "a"\n', 'All of it must match this Lark grammar, from its rule "start":\nstart: "a"\n'],
] as const)('textToolSchema() says a %s grammar in words', (syntax, definition, words) => {
  const input = { type: 'string', description: 'A number.' }
  expect(textToolSchema({ input, grammar: { syntax, definition } })).toEqual(fieldOf(`A number.\n\n${words}`))
})
