import type { JsonObject } from '../../src/core/json.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { openAIComplaints } from './openai-rules.js'
import { anthropicFacts, listOf, openAIFacts, type Fact } from './recorded-json.js'
import { callsOf, type Provider, type RecordedStep, type Recording } from './recordings.js'

interface Wire {
  /** What a request body says of the conversation. */
  readonly facts: (body: JsonObject) => Fact[]
  /** Why the provider would refuse it. */
  readonly complaints: (body: JsonObject) => string[]
  /** Items or blocks, ours and the provider's. */
  readonly sent: (body: JsonObject) => JsonObject[]
}

export const wires: Readonly<Record<Provider, Wire>> = {
  openai: {
    facts: ({ input }) => openAIFacts(listOf(input)),
    complaints: openAIComplaints,
    sent: ({ input }) => listOf(input),
  },
  anthropic: {
    facts: ({ messages }) => anthropicFacts(listOf(messages)),
    complaints: anthropicComplaints,
    sent: ({ messages }) => listOf(messages).flatMap(({ content }) => listOf(content)),
  },
}

/** What the recorded client sent with request `i`, without the calls that it made up itself. */
export function factsOfClient({ provider, steps }: Recording, i: number): Fact[] {
  const body = steps[i]!.requestBody
  const called = new Set(steps.slice(0, i).flatMap(({ answer }) => callsOf(answer).map(({ call }) => call)))
  return wires[provider].facts(body ?? {}).filter((fact) => {
    if ('call' in fact) return called.has(fact.call)
    return 'result' in fact ? called.has(fact.result) : true
  })
}

/** What must come back verbatim of these answers' items. */
export function returned({ steps }: Recording, answers: readonly RecordedStep[] = steps.slice(0, -1)): JsonObject[] {
  return readable(answers.flatMap(({ answer }) => answer.items))
}

/** Reasoning that was recorded without its content, encrypted or not, cannot go back, and nothing may then refer to it. */
function readable(items: readonly JsonObject[]): JsonObject[] {
  const isLost = ({ type, encrypted_content, content }: JsonObject) =>
    type === 'reasoning' && !encrypted_content && listOf(content).length === 0
  if (!items.some(isLost)) return [...items]
  return items
    .filter((item) => !isLost(item))
    .map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'id')))
}
