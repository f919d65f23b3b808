import type { Json } from '../../src/core/json.js'
import { defaultLimits } from '../../src/core/script-limits.js'
import { createIsolateSandbox } from '../../test/sandbox/isolate-sandbox.js'

const sandbox = createIsolateSandbox()

/** Runs a script in the real engine. @throws what it ended with, if that is a failure. */
export async function runScript(
  code: string,
  tools: readonly string[],
  call: (name: string, input: Json) => { readonly value: Json } | { readonly error: string },
): Promise<Json> {
  const script = sandbox.start({
    code,
    engine: sandbox.engine,
    tools,
    seed: 1,
    locale: 'en',
    timeZone: 'UTC',
    state: {},
    limits: defaultLimits,
  })
  let turn = await script.start(0)
  const open = [...turn.calls]
  while (!turn.outcome) {
    const { n, toolName, input } = open.shift()!
    const answer = call(toolName, input)
    const result =
      'value' in answer
        ? ({ status: 'ok', value: answer.value } as const)
        : ({ status: 'error', failure: { code: 'failed', message: answer.error, retryable: false } } as const)
    turn = await script.resume({ n, at: n, result })
    open.push(...turn.calls)
  }
  script.end()
  if (turn.outcome.status === 'error') throw new Error(`${turn.outcome.failure.message}\n${code}`)
  return turn.outcome.value
}
