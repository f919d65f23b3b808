import { expect, it } from 'vitest'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'

const encoders = [
  ['openai', 'gpt-6-astra', encodeOpenAI],
  ['openai-compatible', 'gpt-6-astra', encodeChat],
  ['anthropic', 'claude-opus-5', encodeAnthropic],
  ['gemini', 'gemini-4-argon', encodeGemini],
] as const

const sent = (
  encode: (request: ModelRequest, config: ModelConfig) => unknown,
  config: ModelConfig,
  provider: string,
) => {
  const file = { mediaType: 'image/png', id: 'file_1', provider }
  const messages = [{ role: 'user', text: 'Look', files: [file] }] as const
  return JSON.stringify(encode({ instructions: '', tools: [], messages, cacheKey: 's' }, config))
}

it.each(encoders)('%s is told in words of a file that only another provider has', (provider, model, encode) => {
  const config = { provider, model, baseURL: 'https://api.test/v1' }
  expect(sent(encode, config, 'another')).toContain('[file: image/png, file_1 of another]')
  expect(sent(encode, config, 'another')).not.toContain('"file_1"')
})

it.each(encoders.filter(([provider]) => provider === 'openai' || provider === 'anthropic'))(
  '%s is given a file that it has by its id',
  (provider, model, encode) => {
    expect(sent(encode, { provider, model }, provider)).toContain('"file_id":"file_1"')
  },
)
