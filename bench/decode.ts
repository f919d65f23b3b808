import type { Model, ModelConfig } from 'handrail'
import { wires, type Provider, type Said } from '../test/models/transport-streams.js'
import { compare, timeOf, type Comparison } from './compare.js'

const rounds = 15
/** Answers for one sample of the time to the first delta: a clock of a page is too coarse for one. */
const answers = 40
/** Bytes that the network gives at a time. */
const pieceBytes = 16_384

/** What reads an answer that `fetch` gives, to its end or to its first delta. */
interface Reader {
  readonly what: string
  read(onDelta: () => void): Promise<unknown>
}

interface Contenders {
  readonly ours: (config: ModelConfig & { readonly fetch: typeof fetch }) => Promise<Model>
  readonly theirs: (fetch: typeof globalThis.fetch) => Promise<Reader>
}

const baseURL = 'https://provider.test/v1'
const client = { apiKey: 'none', baseURL, maxRetries: 0, dangerouslyAllowBrowser: true } as const
const model = 'm-1'
const user = { role: 'user', content: 'Hi' } as const

const contenders: Readonly<Record<Provider, Contenders>> = {
  openai: {
    ours: async (config) => (await import('../src/models/openai/model.js')).createOpenAIModel(config),
    theirs: async (fetch) => {
      const { OpenAI } = await import('openai')
      const openai = new OpenAI({ ...client, fetch })
      return {
        what: 'ResponseStream of openai',
        read: (onDelta) =>
          openai.responses
            .stream({ model, input: [user] })
            .on('response.output_text.delta', onDelta)
            .finalResponse(),
      }
    },
  },
  'openai-compatible': {
    ours: async (config) => (await import('../src/models/chat/model.js')).createChatModel(config),
    theirs: async (fetch) => {
      const { OpenAI } = await import('openai')
      const openai = new OpenAI({ ...client, fetch })
      return {
        what: 'ChatCompletionStream of openai',
        read: (onDelta) =>
          openai.chat.completions
            .stream({ model, messages: [user] })
            .on('content.delta', onDelta)
            .finalChatCompletion(),
      }
    },
  },
  anthropic: {
    ours: async (config) => (await import('../src/models/anthropic/model.js')).createAnthropicModel(config),
    theirs: async (fetch) => {
      const { Anthropic } = await import('@anthropic-ai/sdk')
      const anthropic = new Anthropic({ ...client, fetch })
      return {
        what: 'MessageStream of @anthropic-ai/sdk',
        read: (onDelta) =>
          anthropic.messages
            .stream({ model, max_tokens: 16_000, messages: [user] })
            .on('text', onDelta)
            .finalMessage(),
      }
    },
  },
  gemini: {
    ours: async (config) => (await import('../src/models/gemini/model.js')).loadGeminiModel(config),
    theirs: async (fetch) => {
      const { GoogleGenAI } = await import('@google/genai/web')
      const genai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: baseURL, apiVersion: '', fetch } })
      return {
        what: 'generateContentStream of @google/genai, its texts put together',
        async read(onDelta) {
          let text = ''
          for await (const chunk of await genai.models.generateContentStream({ model, contents: 'Hi' })) {
            text += chunk.text ?? ''
            if (text) onDelta()
          }
          return text
        },
      }
    },
  },
}

/** Thinking, a long text, a short call. */
const long: Said = {
  reasoning: 'Die Größe stimmt: 日本 🙂, so far. '.repeat(200),
  text: 'Die Größe stimmt: 日本 🙂, so far as one can tell. '.repeat(700),
  call: { name: 'find_order', input: { ids: Array.from({ length: 100 }, (_, i) => `O-${i}`) } },
}
const short: Said = { text: 'Die Größe stimmt: 日本 🙂.' }

export async function measure(): Promise<Comparison[]> {
  const comparisons: Comparison[] = []
  for (const provider of Object.keys(contenders) as Provider[])
    comparisons.push(await decoding(provider), await beginning(provider))
  return comparisons
}

const aim = { of: 'ratio', under: 1.2 } as const

async function decoding(provider: Provider): Promise<Comparison> {
  const { bytes, ours, theirs } = await readersOf(provider, long)
  const megabytes = bytes.length / 1e6
  const way = (reader: Reader) => ({
    what: reader.what,
    run: async () => (await timeOf(() => reader.read(() => undefined))) / megabytes,
  })
  const what = `A stream of ${provider}, ${megabytes.toFixed(1)} MB, decoded`
  return compare({ what, unit: 'MB', rounds, subject: way(ours), baseline: way(theirs), aim })
}

async function beginning(provider: Provider): Promise<Comparison> {
  const { ours, theirs } = await readersOf(provider, short)
  const way = (reader: Reader) => ({ what: reader.what, run: () => firstDelta(reader) })
  const what = `From the request to the first delta of ${provider}`
  return compare({ what, unit: 'answer', rounds, subject: way(ours), baseline: way(theirs), aim })
}

async function readersOf(provider: Provider, said: Said) {
  const bytes = new TextEncoder().encode(wires[provider].events(said).join(''))
  const fetch = async () => new Response(streamOf(bytes), { headers: { 'content-type': 'text/event-stream' } })
  const theirs = await contenders[provider].theirs(fetch)
  const ours = await contenders[provider].ours({ provider, model, baseURL, fetch })
  const { signal } = new AbortController()
  const request = { instructions: '', tools: [], messages: [{ role: 'user', text: 'Hi' } as const], cacheKey: 'bench' }
  const read: Reader['read'] = async (onDelta) => {
    const { parts } = await ours.generate(request, { signal, onDelta: ({ type }) => type === 'text' && onDelta() })
    if (!parts.some((part) => part.type === 'text' && part.text === said.text)) throw new Error('The text is not whole')
  }
  return { bytes, theirs, ours: { what: `the model of ${provider}`, read } satisfies Reader }
}

async function firstDelta(reader: Reader): Promise<number> {
  let time = 0
  for (let i = 0; i < answers; i++) {
    const start = performance.now()
    let isFirst = true
    await reader.read(() => {
      if (isFirst) time += performance.now() - start
      isFirst = false
    })
  }
  return time / answers
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  let at = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += pieceBytes)))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
