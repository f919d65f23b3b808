import { expect, it } from 'vitest'
import type { GateCase, GatePath } from '../../src/testing/gate-case.js'
import { checkGate } from '../../src/testing/check-gate.js'
import { replay } from '../../src/testing/replay.js'
import { defineTool, type Tool } from '../../src/tools/tool.js'
import { toOffered } from '../../src/tools/offered-definition.js'
import { ask, inTurn, say, World } from '../runtime/world.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { recordedIn } from './record.js'

it('replay() plays an answer that was given for the rest of a script', async () => {
  const world = new World({
    tools: { place_order: { risk: 'irreversible', trusted: true, run: (input) => input } },
    model: inTurn(
      ask([
        'run_script',
        { code: 'for (let n = 1; n < 5; n++) await tools.place_order({ kind: "boots", n }); return "placed"' },
      ]),
      say('Placed'),
    ),
  })
  world.sandbox = createIsolateSandbox()
  const agent = await world.agent()
  agent.onEvent = (event) => {
    if (event.type !== 'tool-decision' || event.verdict !== 'ask') return
    const { callId, hash } = event
    const answer = { runId: 'r1', callId, hash } as const
    const rest = { count: 2, fixed: ['/kind'] }
    void agent.api.command('s', callId === '1.0/0' ? { type: 'approve', ...answer, rest } : { type: 'deny', ...answer })
  }
  await agent.run('Place four')
  await agent.end()
  const recorded = await recordedIn(world)
  expect(recorded.events.filter((event) => 'grant' in event && event.type === 'tool-start')).toHaveLength(2)
  const result = await replay(recorded)
  expect(result.same || result.divergence.text).toBe(true)
})

/** What the page alone knows: secrets, fields that it fills, whether it wants to be asked. New ones, as in another page. */
const tools = (customer: string) => [
  defineTool({
    name: 'sign_in',
    description: 'Gives a token.',
    risk: 'read',
    input: { type: 'object' },
    secret: { output: ['/token'] },
    run: () => ({ token: 'tk-5b1e0c77a9', note: 'Take tk-5b1e0c77a9 with you' }),
  }),
  defineTool({
    name: 'place_order',
    description: 'Places an order.',
    risk: 'irreversible',
    input: {
      type: 'object',
      properties: { token: { type: 'string' }, customer: { type: 'string' } },
      required: ['token', 'customer'],
      additionalProperties: false,
    },
    hostInput: { customer: () => customer },
    secret: { input: ['/token'] },
    approval: { needed: ({ customer: who }) => (who === 'eve' ? 'It is for Eve' : false), preview: () => 'One pair' },
    trust: { safe: true },
    run: ({ token, customer: who }) => `${who} with ${token === 'tk-5b1e0c77a9' ? 'the token' : 'another'}`,
  }),
]

const path: GatePath = {
  name: 'script',
  caller: 'script',
  ask: () => [
    {
      type: 'call',
      toolName: 'run_script',
      inputText: JSON.stringify({
        code: 'const { token } = await tools.sign_in({}); return tools.place_order({ token })',
      }),
    },
  ],
}

async function recordOn(customer: string, asked: GateCase['expected']['asked']) {
  const provided = tools(customer) as unknown as Tool[]
  const gateCase: GateCase = {
    name: 'an order',
    tools: () => [],
    call: { tool: 'place_order' },
    expected: { outcome: 'ok', asked, runs: 0 },
  }
  const source = { name: 'page', provide: () => provided }
  const [result] = await checkGate({ cases: [gateCase], paths: [path], source })
  expect(result).toMatchObject({ ok: true })
  const context = { instructions: '', tools: provided.map(({ definition }) => toOffered(definition)) }
  return { events: result!.events, context }
}

it.each<[string, readonly (readonly string[])[]]>([
  ['ann', []],
  ['eve', [['risk', 'risk']]],
])('replay() says again what the page of %s said, and asks the page of now', async (customer, asked) => {
  const recorded = await recordOn(customer, asked)
  const offline = await replay(recorded)
  expect(offline.same || offline.divergence.text).toBe(true)

  const live = await replay(recorded, { tools: tools(customer) as unknown as Tool[] })
  expect(live.same || live.divergence.text).toBe(true)
  expect(JSON.stringify(live.events)).not.toContain('tk-5b1e0c77a9')

  const another = await replay(recorded, { tools: tools('bob') as unknown as Tool[] })
  expect(another).toMatchObject({ same: false, divergence: { callId: '1.0/1' } })
  expect(JSON.stringify(another)).toContain('"customer":"bob"')
})
