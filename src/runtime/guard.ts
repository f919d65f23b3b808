import { HandrailError, toFailure } from '../errors.js'
import type { GuardSubject, PageApi, RuleAnswer } from './protocol.js'
import { within } from './within.js'

/** What the guardrails over messages or outputs say together. */
export interface GuardVerdict {
  /** Why it is denied. */
  readonly denied?: string
  /** Why later calls ask. */
  readonly warnings: readonly string[]
}

/** Milliseconds in which the guardrails must answer. */
const guardTimeout = 10_000

/** Never rejects: guardrails that break, are silent or make no sense deny. */
export async function askGuards(page: Pick<PageApi, 'guard'>, subject: GuardSubject): Promise<GuardVerdict> {
  try {
    const reply = await within(guardTimeout, page.guard(subject), `The guardrails over the ${subject.on}`)
    if (!reply.ok) return { denied: `The guardrails failed: ${reply.failure.message}`, warnings: [] }
    const answers = check(reply.value)
    const denied = answers.find(({ verdict }) => verdict === 'deny')
    return {
      ...(denied && 'reason' in denied && { denied: denied.reason }),
      warnings: [...new Set(answers.flatMap((answer) => (answer.verdict === 'ask' ? [answer.reason] : [])))],
    }
  } catch (error) {
    return { denied: `The guardrails failed: ${toFailure(error).message}`, warnings: [] }
  }
}

/** The answers cross a thread. @throws {HandrailError} `invalid_guard` */
function check(answers: unknown): readonly RuleAnswer[] {
  if (Array.isArray(answers) && answers.every(isAnswer)) return answers as RuleAnswer[]
  throw new HandrailError('invalid_guard', 'each must answer allow, or deny or ask with a reason')
}

function isAnswer(answer: unknown): boolean {
  const { verdict, reason } = (answer ?? {}) as { verdict?: unknown; reason?: unknown }
  if (verdict === 'allow') return true
  return (verdict === 'deny' || verdict === 'ask') && typeof reason === 'string' && reason !== ''
}
