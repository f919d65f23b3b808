import { promptApiModel } from 'handrail/prompt-api'
import { afterEach, expect, it, vi } from 'vitest'
import type { Message } from '../../src/core/transcript.js'
import { toPrompts } from '../../src/models/prompt-api/prompts.js'
import { anyOpenAIHistory, tools } from './openai-canonical.js'
import { mockLanguageModel, type Asked } from './prompt-api-mock.js'

afterEach(() => vi.unstubAllGlobals())

const self = { provider: 'prompt-api', model: 'built-in' }
const histories = Array.from({ length: 200 }, (_, seed) =>
  anyOpenAIHistory(seed + 1, { provider: 'openai', model: 'm' }),
)

it('any history of other models is taken, with all its words, calls and results in their order', async () => {
  const asked: Asked[] = []
  const mock = mockLanguageModel({
    contextWindow: Infinity,
    reply: (given) => {
      asked.push(given)
      return { answer: 'a' }
    },
  })
  vi.stubGlobal('LanguageModel', mock.LanguageModel)
  for (const messages of histories) {
    const request = { instructions: 'Help.', tools, messages, cacheKey: 's' }
    const options = { signal: new AbortController().signal, onDelta: () => undefined }
    expect((await promptApiModel().generate(request, options)).finish).toBe('stop')
    const prompts = asked.at(-1)!.prompts.slice(1)
    let at = 0
    for (const text of messages.flatMap(saidIn)) {
      const found = prompts.findIndex(({ content }, i) => i >= at && content.includes(text))
      expect({ text, found: found >= at }).toEqual({ text, found: true })
      at = found
    }
  }
})

it('the prompts of a history are the beginning of those of any that goes on from it', () => {
  for (const messages of histories) {
    const all = toPrompts(messages, self)
    for (const end of messages.keys()) {
      const before = toPrompts(messages.slice(0, end), self)
      expect(all.slice(0, before.length)).toEqual(before)
    }
  }
})

/** What the model has to be told of a message, in pieces as JSON or as text. */
function saidIn(message: Message): string[] {
  if (message.role !== 'assistant') return [message.text]
  return message.parts.flatMap((part) => {
    if (part.type === 'text' || part.type === 'refusal')
      return part.text.trim() === '' ? [] : [JSON.stringify(part.text)]
    if (part.type !== 'call') return []
    return message.calls.filter(({ callId }) => callId === part.callId).map(({ toolName }) => JSON.stringify(toolName))
  })
}
