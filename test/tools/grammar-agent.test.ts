import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Grammar } from '../../src/core/tool-definition.js'
import type { ModelReply, ReplyPart } from '../../src/models/model.js'
import { compileGrammar } from '../../src/tools/grammar/compile.js'
import { ask, inTurn, say, World } from '../runtime/world.js'

const world = (grammar: Grammar, ...replies: ModelReply[]) =>
  new World({
    tools: { query: { risk: 'read', input: { type: 'string' }, grammar, run: (input) => ({ ran: input }) } },
    model: inTurn(...replies),
  })
const native = (inputText: string): ModelReply => ({
  parts: [{ type: 'call', toolName: 'query', inputText, wireId: 'w', isText: true } satisfies ReplyPart],
  finish: 'calls',
  usage: { input: 1, output: 1 },
})
const grammar: Grammar = { syntax: 'lark', definition: 'start: "SELECT" /[a-z]+/\n%ignore " "' }

describe('an agent with a grammar', () => {
  it.each<[provider: string, wrong: ModelReply, right: ModelReply]>([
    ['has text tools', native('SELECT 1'), native('SELECT a')],
    ['has none', ask(['query', { input: 'SELECT 1' }]), ask(['query', { input: 'SELECT a' }])],
  ])('checks every text before its tool runs, where the provider %s', async (_, wrong, right) => {
    const made = world(grammar, wrong, right, say('Done.'))
    const agent = await made.agent()
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    expect(made.executed.map(({ input }) => input)).toEqual(['SELECT a'])
    expect(JSON.stringify(agent.events)).toContain(String.raw`at line 1, column 8, after \"SELECT \", there is`)
  })

  it('does not open when the grammar is wrong, and says where', async () => {
    await expect(world({ syntax: 'regex', definition: 'a(?=b)' }).agent()).rejects.toThrow(
      'Cannot define tool "query": "grammar.definition" is wrong at line 1, column 2: look-around is not supported',
    )
  })
})

it('the grammar of docs/tools.md takes what it should', () => {
  const [, definition = ''] = /definition: `([^`]*)`/.exec(readFileSync('docs/tools.md', 'utf8')) ?? []
  const check = compileGrammar({ syntax: 'lark', definition }, 'query')
  expect(check('SELECT id, total FROM orders WHERE total = 1.5')).toBeUndefined()
  expect(check('SELECT a b')).toMatchObject({ line: 1, column: 10, found: '"b"', expected: ['"FROM"', '","'] })
})
