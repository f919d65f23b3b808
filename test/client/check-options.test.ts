import { describe, expect, it } from 'vitest'
import { checkAgent, checkRun, type AgentOptions } from '../../src/client/check-options.js'
import { defineTool, type Tool } from '../../src/tools/tool.js'

const tool = defineTool({
  name: 'look',
  description: 'Looks',
  input: { type: 'object' },
  risk: 'read',
  run: () => 1,
}) as Tool
const hosted = { provider: 'page', model: 'm', generate: async () => ({ parts: [], finish: 'stop' as const }) }
const good: AgentOptions = { model: hosted, instructions: '', tools: [tool], owner: 'ada' }
const config = { provider: 'openai', model: 'm' }

const checked = (more: object) => () => checkAgent({ ...good, ...more } as AgentOptions)

describe('createAgent()', () => {
  it.each<{ name: string; more: object }>([
    { name: 'the least', more: {} },
    { name: 'undefined for what is not given', more: { session: undefined, budget: undefined, worker: undefined } },
    {
      name: 'a model of another place',
      more: { model: { ...config, baseURL: '/v1', headers: { 'X-Tenant': 'a' }, maxOutputTokens: 9 } },
    },
    { name: 'a hosted model with fields of its own', more: { model: { ...hosted, requests: [], temperature: 1 } } },
    { name: 'parts of budget and limits', more: { budget: { steps: 3 }, limits: { cpuMs: 10 }, store: 'memory' } },
    {
      name: 'a key when that was asked for',
      more: { model: { ...config, apiKey: 'k' }, dangerouslyAllowKeyInPage: true },
    },
  ])('takes $name', ({ more }) => {
    expect(checked(more)).not.toThrow()
  })

  it.each<{ more: object; says: string }>([
    { more: { instruction: 'x' }, says: '"instruction" is not an option; did you mean "instructions"?' },
    { more: { __proto__: null, constructor: 1 }, says: '"constructor" is not an option' },
    { more: { owner: '' }, says: '"owner" must be a text that is not empty; it is empty' },
    { more: { owner: undefined }, says: '"owner" is missing' },
    { more: { session: 7 }, says: '"session" must be a text that is not empty; it is 7' },
    { more: { store: 'localStorage' }, says: '"store" must be "indexeddb" or "memory"' },
    {
      more: { tools: { look: tool } },
      says: '"tools" must be an array of what defineTool returns; it is of type object',
    },
    {
      more: { tools: [tool, { name: 'look' }] },
      says: '"tools[1]" must be what defineTool returns; it is of type object',
    },
    { more: { tools: [tool, tool] }, says: 'there are two tools named "look" in "tools"' },
    { more: { worker: 'agent.js' }, says: '"worker" must be a Worker or a function that makes one' },
    { more: { model: 'gpt' }, says: '"model" must be an object; it is of type string' },
    { more: { model: { provider: 'openai' } }, says: '"model.model" is missing' },
    { more: { policy: 'ask' }, says: '"policy" must be an object' },
    {
      more: { guardrails: { calls: () => 'allow' } },
      says: '"guardrails.calls" is not an option; did you mean "call"?',
    },
    { more: { guardrails: { call: ['no'] } }, says: '"guardrails.call" must be a function, or an array of functions' },
    { more: { model: { ...hosted, generate: 1 } }, says: '"model.generate" must be a function' },
  ])('refuses: $says', ({ more, says }) => {
    expect(checked(more)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining(`Cannot create an agent: ${says}`),
      }),
    )
  })

  it.each([{ apiKey: 'sk-1' }, { headers: { Authorization: 'Bearer sk-1' } }, { headers: { 'X-API-Key': 'sk-1' } }])(
    'refuses a key in the page, and does not repeat it: %o',
    (key) => {
      expect(checked({ model: { ...config, ...key } })).toThrow(
        expect.objectContaining({ code: 'key_in_page', message: expect.stringMatching(/^(?!.*sk-1).*on a server/) }),
      )
    },
  )
})

describe('run()', () => {
  it('takes a message and what may be called', () => {
    expect(() => checkRun('Hello', { allow: ['look'], readOnly: true })).not.toThrow()
  })

  it.each<{ text: unknown; options: object; says: string }>([
    { text: ' ', options: {}, says: 'the message must be a text that is not empty' },
    { text: { text: 'x' }, options: {}, says: 'the message must be a text that is not empty' },
    { text: 'x', options: { readonly: true }, says: '"readonly" is not an option; did you mean "readOnly"?' },
    { text: 'x', options: { allow: 'look' }, says: '"allow" must be an array of texts' },
    { text: 'x', options: { runId: 'r' }, says: '"runId" is not an option' },
  ])('refuses: $says', ({ text, options, says }) => {
    expect(() => checkRun(text as string, options)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining(`Cannot start a run: ${says}`),
      }),
    )
  })
})
