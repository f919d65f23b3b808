import type { CallAudit, Outcome } from 'handrail'
import { showInput } from './show-input.js'

/** One thing that happened to a call. */
export interface Happening {
  readonly at: number
  readonly text: string
  readonly isBad: boolean
}

const outcomes: Readonly<Record<Outcome, string>> = {
  ok: 'It took effect',
  error: 'It failed',
  denied: 'It was not made',
  cancelled: 'It was cancelled',
  timeout: 'It did not answer in time',
  unknown: 'Nobody knows whether it took effect',
  skipped: 'It was not made, as its script was over',
}

/** Who asked, what was decided by which rule, who answered, what ran and what came back, in sentences. Pure. */
export function happenings(call: CallAudit): readonly Happening[] {
  const { askedAt, decisions, answers, expiredAt, starts, result, reconciled } = call
  const all: Happening[] = [
    say(askedAt, `${askerOf(call)} asked for it`),
    ...decisions.map(({ at, verdict, rules, reasons, failure, grant }) =>
      say(
        at,
        `${decided(verdict, rules, grant)}${because(verdict === 'deny' ? failure?.message : reasons.join(' '))}`,
        verdict === 'deny',
      ),
    ),
    ...answers.map(({ at, by, approved, reason, edit, grant }) =>
      say(
        at,
        `${by} ${approved ? 'approved' : 'denied'} it${edit ? ', with other arguments' : ''}${grant ? forRest(grant.count) : ''}${because(reason)}`,
        !approved,
      ),
    ),
    ...(expiredAt === undefined ? [] : [say(expiredAt, 'Nobody answered in time', true)]),
    ...starts.map(({ at, input, grant }) =>
      say(
        at,
        `It was started${grant === undefined ? '' : `, as the answer to ${grant} was for it too`}: ${clip(showInput(JSON.stringify(input)))}`,
      ),
    ),
    ...(result
      ? [
          say(
            result.at,
            `${outcomes[result.outcome]}${because(result.failure?.message)}${times(result.attempts)}`,
            isBad(result.outcome),
          ),
        ]
      : []),
    ...reconciled.map(({ at, done, by }) => say(at, `${by} found that it was ${done ? '' : 'not '}done`, !done)),
  ]
  return all.toSorted((a, b) => a.at - b.at)
}

/** A read that was simply made says nothing that anybody asks about. */
export const isPlain = ({ decisions, answers, result }: CallAudit): boolean =>
  answers.length === 0 &&
  result?.outcome === 'ok' &&
  decisions.every(({ verdict, mode, grant }) => verdict === 'allow' && mode !== 'write' && grant === undefined)

function askerOf({ askedBy, script }: CallAudit): string {
  if (script)
    return script.line === undefined ? 'A script of the model' : `Line ${script.line} of a script of the model`
  return askedBy === 'program' ? 'A program at the provider' : 'The model'
}

function decided(verdict: 'allow' | 'deny' | 'ask', rules: readonly string[], grant: string | undefined): string {
  const by = rules.length === 0 ? '' : ` (${[...new Set(rules)].join(', ')})`
  if (verdict === 'allow') return grant === undefined ? 'It was allowed' : `It was allowed by the answer to ${grant}`
  return verdict === 'ask' ? `A person had to decide${by}` : `It was refused${by}`
}

const say = (at: number, text: string, isBadNews = false): Happening => ({ at, text, isBad: isBadNews })
const because = (why: string | undefined): string => (why ? `: ${why}` : '')
const forRest = (count: number | undefined): string =>
  count === undefined ? ', and all others of the script' : `, and at most ${count} more of the script`
const times = (attempts: number): string => (attempts > 1 ? `, after ${attempts} attempts` : '')
const isBad = (outcome: Outcome): boolean => outcome !== 'ok'
const clip = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 300)}…`)
