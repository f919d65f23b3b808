import type { Json } from '../core/json.js'
import type { Caller } from '../core/tool-definition.js'
import { HandrailError, toFailure } from '../errors.js'
import type { CheckAnswer, CheckResult } from '../tools/tool.js'
import { inTime } from './in-time.js'

/** What a user wrote, before a run starts on it: `deny` refuses the run; after `ask`, what it does to the outside asks. */
export interface GuardedInput {
  readonly session: string
  readonly runId: string
  readonly text: string
}

/** A call, with what the app fills. Secrets are references. */
export interface GuardedCall {
  readonly session: string
  readonly runId: string
  readonly callId: string
  readonly toolName: string
  readonly input: Json
  readonly caller: Caller
}

/** What a tool returned, before scripts, log and model get it: `deny` withholds it; after `ask`, later writes ask. */
export interface GuardedOutput {
  readonly session: string
  readonly runId: string
  readonly callId: string
  readonly toolName: string
  readonly output: Json
}

/** Throwing, and giving no answer in 9 s, is `deny`. Of several, the strictest counts. */
export type Guardrail<Subject> = (
  subject: Subject,
  context: { readonly signal: AbortSignal },
) => CheckResult | Promise<CheckResult>

export interface Guardrails {
  readonly input?: Guardrail<GuardedInput> | readonly Guardrail<GuardedInput>[]
  readonly call?: Guardrail<GuardedCall> | readonly Guardrail<GuardedCall>[]
  readonly output?: Guardrail<GuardedOutput> | readonly Guardrail<GuardedOutput>[]
}

/** Asks all of them at once. Never rejects. */
export function askGuardrails<Subject>(
  given: Guardrail<Subject> | readonly Guardrail<Subject>[] | undefined,
  subject: Subject,
): Promise<readonly CheckAnswer[]> {
  const guardrails = given === undefined ? [] : typeof given === 'function' ? [given] : given
  return Promise.all(
    guardrails.map(async (guardrail): Promise<CheckAnswer> => {
      try {
        const result: unknown = await inTime('it', (signal) => guardrail(structuredClone(subject), { signal }))
        return toAnswer(result, 'a guardrail')
      } catch (error) {
        return { verdict: 'deny', reason: `A guardrail failed: ${toFailure(error).message}` }
      }
    }),
  )
}

/** @throws {HandrailError} `invalid_check` if the answer is none of the four. */
export function toAnswer(result: unknown, whose: string): CheckAnswer {
  if (result === undefined || result === 'allow') return { verdict: 'allow' }
  for (const verdict of ['deny', 'ask'] as const) {
    const reason = typeof result === 'object' && result !== null && (result as Record<string, unknown>)[verdict]
    if (typeof reason === 'string' && reason.trim() !== '') return { verdict, reason }
  }
  throw new HandrailError(
    'invalid_check',
    `Cannot use the answer of ${whose}: it must be nothing, "allow", { deny: reason } or { ask: reason }`,
  )
}
