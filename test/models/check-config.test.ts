import { describe, expect, it } from 'vitest'
import { checkModelConfig } from '../../src/models/check-config.js'
import type { ModelConfig } from '../../src/models/model.js'

const plain: ModelConfig = { provider: 'openai', model: 'gpt' }
const whole: Required<ModelConfig> = {
  ...plain,
  baseURL: '/api/model',
  headers: { 'x-tenant': 'a' },
  apiKey: 'k',
  timeout: 5_000,
  maxOutputTokens: 1_000,
  effort: 'low',
  temperature: 0,
  topP: 1,
  topK: 40,
  seed: -1,
  stop: ['END'],
  parallelCalls: false,
  cache: 'long',
  serviceTier: 'flex',
  stored: true,
  programs: true,
  toolSearch: true,
  hostedTools: [{ tool: { type: 'web_search' }, risk: 'read' }],
  extra: { reasoning: { summary: 'auto' } },
}

describe('checkModelConfig()', () => {
  it('takes every option, none, and what is undefined', () => {
    checkModelConfig(plain)
    checkModelConfig(whole)
    checkModelConfig(Object.fromEntries(Object.keys(whole).map((key) => [key, undefined])) as never)
  })

  it.each<[more: object, says: string]>([
    [{ baseUrl: '/v1' }, '"model.baseUrl" is not an option; did you mean "baseURL"?'],
    [{ wrong: 1 }, '"model.wrong" is not an option; there are provider, model,'],
    [{ headers: { a: 1 } }, '"model.headers" must be an object of texts'],
    [{ headers: null }, '"model.headers" must be an object of texts'],
    [{ effort: 'huge' }, '"model.effort" must be one of none, minimal, low, medium, high, xhigh, max'],
    [{ topP: 1.5 }, '"model.topP" must be a number from 0 to 1'],
    [{ temperature: NaN }, '"model.temperature" must be a number of 0 or above'],
    [{ maxOutputTokens: 0 }, '"model.maxOutputTokens" must be a whole number above 0'],
    [{ timeout: 2 ** 31 }, '"model.timeout" must be a number of milliseconds above 0'],
    [{ stop: 'END' }, '"model.stop" must be an array of texts that are not empty'],
    [{ cache: '5m' }, '"model.cache" must be one of off, short, long'],
    [{ stored: 'yes' }, '"model.stored" must be true or false'],
    [{ extra: [] }, '"model.extra" must be an object'],
    [{ hostedTools: {} }, '"model.hostedTools" must be an array of { tool, risk }'],
    [{ hostedTools: ['web_search'] }, '"model.hostedTools[0]" must be { tool, risk }'],
    [{ hostedTools: [{ risk: 'read' }] }, '"model.hostedTools[0].tool" must be'],
    [{ hostedTools: [{ tool: { type: 'mcp' } }] }, '"model.hostedTools[0].risk" must be "read"'],
  ])('refuses %o', (more, says) => {
    expect(() => checkModelConfig({ ...plain, ...more })).toThrow(
      expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(says) }),
    )
  })

  it('never repeats a value, which may be a secret', () => {
    expect(() => checkModelConfig({ ...plain, apiKey: ['sk-secret'] as never })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('sk-secret') }),
    )
  })
})
