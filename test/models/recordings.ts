import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { toSse, toStream } from './derived-stream.js'
import {
  anthropicAnswer,
  anthropicFacts,
  anthropicStreamAnswer,
  eventsOf,
  listOf,
  openAIAnswer,
  openAIFacts,
  openAIStreamAnswer,
  record,
  textOf,
  type Answer,
  type CallFact,
  type Fact,
} from './recorded-json.js'

export type Provider = 'openai' | 'anthropic'

/** A conversation with a provider as it was recorded: requests and answers of somebody else's client. */
export interface Recording {
  readonly name: string
  readonly provider: Provider
  readonly model: string
  /** At least one answer was recorded as JSON and is served as the stream that it stands for. */
  readonly derived: boolean
  readonly instructions: string
  readonly userText: string
  readonly tools: readonly ToolDefinition[]
  readonly steps: readonly RecordedStep[]
  /** The last step asks for no tool: a whole loop can be run on it. */
  readonly ends: boolean
}

export interface RecordedStep {
  /** Absent where only the answer was recorded. */
  readonly requestBody?: JsonObject
  /** User texts and results that this request added to the one before, in its order. */
  readonly added: readonly Fact[]
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly answer: Answer
}

const corpus = resolve(process.env.HANDRAIL_CORPUS ?? resolve(import.meta.dirname, '../../../shared/data'), '1-streams')

/** The recordings lie beside the project, and not in it: a clone by itself has none. */
export const hasRecordings = existsSync(corpus)

/** All recordings of a provider in which the model asks for at least one of the client's tools. */
export function recordings(provider: Provider): Recording[] {
  return allRecordings(provider).filter(({ steps }) => steps.some(({ answer }) => callsOf(answer).length > 0))
}

export function allRecordings(provider: Provider): readonly Recording[] {
  const known = read.get(provider)
  if (known) return known
  const list = hasRecordings ? [...bareStreams(provider), ...sessions(provider)] : []
  read.set(provider, list)
  return list
}

const read = new Map<Provider, readonly Recording[]>()

export const callsOf = ({ facts }: Answer): CallFact[] => facts.filter((fact): fact is CallFact => 'call' in fact)

function filesUnder(folder: string, name: RegExp): string[] {
  return readdirSync(join(corpus, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

/** Streams that were recorded without their requests. */
export function bareStreams(provider: Provider): Recording[] {
  const chunkFolders = { openai: ['openai', 'azure', 'open-responses', 'xai'], anthropic: ['anthropic'] }[provider]
  const files = [
    ...chunkFolders.flatMap((folder) => filesUnder(`vercel-ai/${folder}`, /\.chunks\.txt$/)),
    ...(provider === 'anthropic' ? filesUnder('anthropic-sdk-typescript', /\.(txt|sse)$/) : []),
  ]
  return files.flatMap((file) => {
    const name = relative(corpus, file)
    return streamsIn(readFileSync(file, 'utf8'), provider).map((body, i) =>
      toBare(i > 0 ? `${name}#${i}` : name, provider, body),
    )
  })
}

/** Some files hold the streams of several requests, one after the other. */
function streamsIn(text: string, provider: Provider): string[] {
  const [first, last] =
    provider === 'openai'
      ? ['response.created', /^response\.(completed|incomplete|failed)$/]
      : ['message_start', /^message_stop$/]
  if (!/^\s*\{/.test(text)) return text.startsWith(`event: ${first}`) ? [text] : []
  const events = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as JsonObject]))
  if (events[0]?.type !== first) return []
  const streams: JsonObject[][] = [[]]
  for (const event of events) {
    if (last.test(textOf(streams.at(-1)!.at(-1)?.type))) streams.push([])
    streams.at(-1)!.push(event)
  }
  return streams.map((stream) => stream.map(toSse).join(''))
}

function toBare(name: string, provider: Provider, body: string): Recording {
  const events = eventsOf(body)
  const answer = provider === 'openai' ? openAIStreamAnswer(events) : anthropicStreamAnswer(events)
  const step: RecordedStep = { added: [], status: 200, contentType: 'text/event-stream', body, answer }
  return {
    name,
    provider,
    model: textOf(record(events[0]?.response ?? events[0]?.message).model),
    derived: false,
    instructions: '',
    userText: 'The request was not recorded.',
    tools: withCalled([], [step]),
    steps: [step],
    ends: callsOf(answer).length === 0,
  }
}

interface Interaction {
  readonly uri: string
  readonly request: Json
  readonly status: number
  readonly content_type?: string
  readonly response?: Json
  readonly sse?: string
}

function sessions(provider: Provider): Recording[] {
  const path = provider === 'openai' ? '/responses' : '/messages'
  return filesUnder('pydantic-ai', /\.json$/).flatMap((file) => {
    const { interactions } = JSON.parse(readFileSync(file, 'utf8')) as { interactions: Interaction[] }
    const mine = interactions.filter(({ uri, status, response }) => {
      const isBackground = record(response).status === 'queued'
      return uri.split('?')[0]!.endsWith(path) && status === 200 && !isBackground
    })
    return cut(mine, provider).flatMap((chain, i) =>
      toRecording(`${relative(corpus, file)}${i > 0 ? `#${i}` : ''}`, provider, chain),
    )
  })
}

const factsOf = (provider: Provider, request: Json): Fact[] => {
  const { input, messages } = record(request)
  if (provider === 'anthropic') return anthropicFacts(listOf(messages))
  return typeof input === 'string' ? [{ user: input }] : openAIFacts(listOf(input))
}

const answerOf = (provider: Provider, { sse, response = null }: Interaction): Answer => {
  if (sse !== undefined) return (provider === 'openai' ? openAIStreamAnswer : anthropicStreamAnswer)(eventsOf(sse))
  return (provider === 'openai' ? openAIAnswer : anthropicAnswer)(record(response))
}

/** A chain is a request that starts with user texts only, and the requests after it that answer all its calls as text. */
function cut(interactions: readonly Interaction[], provider: Provider): Interaction[][] {
  const chains: Interaction[][] = []
  let known: Fact[] | undefined
  for (const interaction of interactions) {
    const facts = factsOf(provider, interaction.request)
    const before = chains.at(-1)?.at(-1)
    const continues = known && before && continuation(facts, known, answerOf(provider, before))
    if (continues) chains.at(-1)!.push(interaction)
    else if (facts.every((fact) => 'user' in fact)) chains.push([interaction])
    else {
      known = undefined
      continue
    }
    known = facts
  }
  return chains
}

function continuation(facts: readonly Fact[], known: readonly Fact[], answer: Answer): boolean {
  const starts = known.every((fact, i) => JSON.stringify(fact) === JSON.stringify(facts[i]))
  const calls = callsOf(answer)
  return (
    starts &&
    calls.length > 0 &&
    calls.every(({ call }) => facts.some((fact) => 'result' in fact && fact.result === call && fact.text !== ''))
  )
}

function toRecording(name: string, provider: Provider, chain: readonly Interaction[]): Recording[] {
  const bodies = chain.map(({ request }) => record(request))
  const steps = chain.map((interaction, i): RecordedStep => {
    const { sse, response = null, status } = interaction
    const facts = factsOf(provider, interaction.request)
    const called = new Set(
      chain.slice(0, i).flatMap((earlier) => callsOf(answerOf(provider, earlier)).map(({ call }) => call)),
    )
    const before = i === 0 ? 0 : factsOf(provider, chain[i - 1]!.request).length
    // Some clients add calls of their own to steer the model: only what answers the model is asked of us.
    const added = facts.slice(before).filter((fact) => 'user' in fact || ('result' in fact && called.has(fact.result)))
    const body = sse ?? toStream(provider, record(response))
    return {
      requestBody: bodies[i],
      added,
      status,
      contentType: 'text/event-stream',
      body,
      answer: answerOf(provider, interaction),
    }
  })
  const { model, instructions, system, tools } = bodies[0]!
  return [
    {
      name,
      provider,
      model: textOf(model),
      derived: chain.some(({ sse }) => sse === undefined),
      instructions:
        textOf(instructions) ||
        textOf(system) ||
        listOf(system)
          .map(({ text }) => textOf(text))
          .join('\n'),
      userText: steps[0]!.added.map((fact) => ('user' in fact ? fact.user : '')).join('\n'),
      tools: withCalled(listOf(tools).flatMap(toDefinition), steps),
      steps,
      ends: callsOf(steps.at(-1)!.answer).length === 0,
    },
  ]
}

/** Tools of the provider's own making have no definition in the request. */
function withCalled(tools: readonly ToolDefinition[], steps: readonly RecordedStep[]): ToolDefinition[] {
  const called = new Set(steps.flatMap(({ answer }) => callsOf(answer).map(({ name }) => name)))
  for (const { name } of tools) called.delete(name)
  return [...tools, ...[...called].map((name) => definition(name, '', { type: 'object' }))]
}

const toDefinition = ({ name, description, parameters, input_schema }: JsonObject): ToolDefinition[] => {
  const schema = parameters ?? input_schema
  return typeof name === 'string' && schema ? [definition(name, textOf(description), record(schema))] : []
}

const definition = (name: string, description: string, input: JsonObject): ToolDefinition => ({
  name,
  description: description || `The recorded tool ${name}.`,
  input: input.type === 'object' ? input : { ...input, type: 'object' },
  risk: 'read',
})
