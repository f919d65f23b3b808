import type { Remark } from '../core/events.js'
import type { HandrailError } from '../errors.js'
import { isWindowFull, type ErrorFacts } from './failures.js'
import type { GenerateOptions, ModelReply } from './model.js'
import { factsOf } from './model-error.js'

/** A thing that a request may have and a model may not take, of which only its refusal tells. */
export interface Amendment<Way> {
  /** By its name on the wire, for the log. */
  readonly what: string
  /** Whether the provider refused the request because of it. */
  isRefused(facts: ErrorFacts): boolean
  /** How to encode without it. */
  without(way: Way): Way
  /** It is about this one history: the next request has it again. */
  readonly isPassing?: boolean
}

/** Amendments that take something from what a model can. */
export const amendmentOf =
  <Way extends object>() =>
  (what: string, isRefused: Amendment<Way>['isRefused'], lost: Partial<Way>, isPassing = false): Amendment<Way> => ({
    what,
    isRefused,
    without: (can) => ({ ...can, ...lost }),
    isPassing,
  })

export interface Attempt {
  /** What is sent. */
  readonly body: unknown
  send(options: GenerateOptions): Promise<ModelReply>
}

export type Resender<Way> = (attempt: (way: Way) => Attempt, options: GenerateOptions) => Promise<ModelReply>

/**
 * Sends requests, and one that is refused again without what it was refused for, each thing once. What helped is remembered, and
 * the reply to an amended request has a remark.
 */
export function createResender<Way>(first: Way, amendments: readonly Amendment<Way>[]): Resender<Way> {
  let known = first
  return async (attempt, options) => {
    const used: Amendment<Way>[] = []
    const remarks: Remark[] = []
    let way = known
    let next = attempt(way)
    for (;;) {
      const { reply, error } = await sent(next, options)
      if (reply) {
        // Other requests may have learnt something meanwhile.
        for (const each of used) if (!each.isPassing) known = each.without(known)
        return remarks.length > 0 ? { ...reply, remarks: [...remarks, ...(reply.remarks ?? [])] } : reply
      }
      const facts = factsOf(error)
      if (facts && isWindowFull(facts)) return { parts: [], finish: 'context', ...(remarks.length > 0 && { remarks }) }
      if (!facts || !refusing.includes(facts.status)) throw error
      const before = JSON.stringify(next.body)
      const helpful = amendments.find((each) => {
        if (used.includes(each) || !each.isRefused(facts)) return false
        next = attempt(each.without(way))
        return JSON.stringify(next.body) !== before
      })
      if (!helpful) throw error
      used.push(helpful)
      way = helpful.without(way)
      remarks.push({ code: 'amended', detail: { without: helpful.what, because: error.message } })
    }
  }
}

type Sent =
  | { readonly reply: ModelReply; readonly error?: undefined }
  | { readonly reply?: undefined; readonly error: HandrailError }

/** The error is one of a request that was refused as a whole: what has been shown cannot be taken back. */
async function sent(attempt: Attempt, { signal, onDelta }: GenerateOptions): Promise<Sent> {
  let isShown = false
  const show: GenerateOptions['onDelta'] = (delta) => {
    isShown = true
    onDelta(delta)
  }
  try {
    return { reply: await attempt.send({ signal, onDelta: show }) }
  } catch (error) {
    if (isShown || signal.aborted || !factsOf(error)) throw error
    return { error: error as HandrailError }
  }
}

/** 404 is for what is kept at the provider, 422 for unknown fields, 501 for what the server has not got. */
const refusing: readonly unknown[] = [400, 404, 422, 501]

const refusal =
  /\b(not|n't|cannot|never) (\w+ )?(support|accept|permit|allow|available|enabled|compatible|recogni[sz]ed|valid|both|be |work|implement|take)|unsupported|unknown|unrecogni[sz]ed|unexpected|extra[ _](inputs?|fields?|forbidden)|deprecated|removed|incompatible|no endpoints?|only .*\b(support|allow|set to|valid|accept|works?)|no longer/i

/** Whether the provider says that it does not take what is named so, not that its value is wrong. */
export const refused =
  (name: RegExp) =>
  ({ param, code, message }: ErrorFacts): boolean =>
    name.test(`${param ?? ''} ${message}`) && (/unsupported|unknown/.test(code ?? '') || refusal.test(message))
