import { createAgent, defineTool, HandrailError, type Json, type RunEvent, type ToolDefinition } from 'handrail'

/** A recorded conversation as a page would have it: the tools answer what was recorded. */
export interface Recorded {
  readonly provider: string
  readonly model: string
  readonly baseURL: string
  readonly instructions: string
  readonly userText: string
  readonly tools: readonly ToolDefinition[]
  readonly results: readonly RecordedResult[]
}
export interface RecordedResult {
  readonly toolName: string
  readonly input: Json
  readonly output: string
}

export interface Outcome {
  /** What the tools were asked, in the order in which they were. */
  readonly calls: readonly { readonly toolName: string; readonly input: Json }[]
  readonly answer?: string
  /** Why there is no answer. */
  readonly code?: string
  readonly events: readonly RunEvent[]
}

async function play({ results, tools, instructions, userText, ...model }: Recorded): Promise<Outcome> {
  const calls: Outcome['calls'][number][] = []
  const left = [...results]
  const answer = (toolName: string, input: Json): string => {
    calls.push({ toolName, input })
    const at = left.findIndex((result) => result.toolName === toolName && isSame(result.input, input))
    return at < 0 ? 'No answer was recorded.' : left.splice(at, 1)[0]!.output
  }
  const agent = createAgent({
    model: { ...model, apiKey: 'key-of-a-test' },
    dangerouslyAllowKeyInPage: true,
    instructions,
    tools: tools.map(({ name, description, input }) =>
      defineTool({
        name,
        description,
        input,
        risk: 'read',
        // The recorded client told results without a frame.
        trust: { output: true },
        run: (value) => answer(name, value as Json),
      }),
    ),
    owner: 'ann',
  })
  const run = agent.run(userText)
  try {
    return { answer: await run.answer, calls, events: run.events }
  } catch (error) {
    return { code: HandrailError.is(error) ? error.code : String(error), calls, events: run.events }
  } finally {
    agent.close()
  }
}

const isSame = (a: Json, b: Json): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]): [string, Json] => [key, sorted(item)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

Object.assign(globalThis, { play })
