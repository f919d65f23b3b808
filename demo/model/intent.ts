import { afterSalesTypes, type AfterSalesType } from '../store/after-sales.js'

/** What a customer wants, as far as fixed patterns can tell. */
export type Intent =
  | { readonly kind: 'returnable' }
  | { readonly kind: 'policy' }
  | {
      readonly kind: 'request'
      readonly orderIds: readonly string[]
      readonly type: AfterSalesType
      readonly reason: string
    }
  /** They want something done, and did not say why, or to which order. */
  | { readonly kind: 'unclear-request'; readonly orderIds: readonly string[]; readonly type: AfterSalesType }
  | { readonly kind: 'status'; readonly orderIds: readonly string[] }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'messages'; readonly orderIds: readonly string[] }
  /** To do whatever they say: as a model would that takes data for instructions. */
  | { readonly kind: 'obey'; readonly orderIds: readonly string[] }
  | { readonly kind: 'note'; readonly orderId: string; readonly note: string }
  | { readonly kind: 'other' }

const orderId = /\bO-?\s?(\d{1,6})\b/gi
const verbs: Readonly<Record<AfterSalesType, RegExp>> = {
  exchange: /\b(exchang(e|ed|ing)|swap)\b/i,
  repair: /\b(repair(ed|ing)?|fix(ed)?)\b/i,
  return: /\b(return(ed|ing|able|s)?|refund(ed)?|send\s+back|after-?\s?sales)\b/i,
}
const question = /^\s*(can|may|could|is|are|was|do|does|did|has|have|which|what|when|where|how|why)\b/i
const order = /^\s*(can|could|would|will)\s+you\b/i
const policy = /\b(policy|policies|rules?|conditions|how\s+long|how\s+many\s+days|deadline)\b/i
const messages = /\bmessages?\b/i
const obey = /^\s*(please\s+)?(do|follow)\b/i
const search = /^\s*(?:please\s+)?(?:find|search(?:\s+for)?|look\s+for|show(?:\s+me)?|list)\s+(.+)$/i
const fillers = /\b(all|any|my|the|of|me|please|orders?|for|with)\b/gi
const leading = /^(?:[\s,;:.!–—-]+|(?:because|since|as|and|please|for\s+me)\b)+/i

export function recognise(text: string): Intent {
  const orderIds = [...new Set([...text.matchAll(orderId)].map((match) => `O-${match[1]}`))]
  if (orderIds.length > 0 && messages.test(text)) return { kind: obey.test(text) ? 'obey' : 'messages', orderIds }
  const note = noteIn(text)
  if (note) return note
  const type = typeIn(text)
  const asks = question.test(text) && !order.test(text)
  if (type && !asks) {
    const reason = reasonIn(text)
    if (orderIds.length > 0 && reason !== '') return { kind: 'request', orderIds, type, reason }
    if (!/\b(list|show|find)\b/i.test(text)) return { kind: 'unclear-request', orderIds, type }
  }
  if (orderIds.length > 0) return { kind: 'status', orderIds }
  if (policy.test(text)) return { kind: 'policy' }
  if (type) return { kind: 'returnable' }
  const words = search.exec(text)?.[1]
  if (words)
    return {
      kind: 'search',
      query: words
        .replaceAll(fillers, ' ')
        .replaceAll(/[^\w\s-]|\s+/g, ' ')
        .trim(),
    }
  return { kind: 'other' }
}

function noteIn(text: string): Intent | undefined {
  const [, , orderId, note = ''] =
    /^\s*(please\s+)?(?:add a |leave a )?note\s+(?:for|to|at)\s+(O-\d{1,6})\s*[:,]\s*(.+)$/i.exec(text) ?? []
  return orderId === undefined ? undefined : { kind: 'note', orderId: orderId.toUpperCase(), note: note.trim() }
}

/** The first that is named. */
function typeIn(text: string): AfterSalesType | undefined {
  const found = afterSalesTypes.map((type) => ({ type, at: text.search(verbs[type]) })).filter(({ at }) => at >= 0)
  return found.toSorted((a, b) => a.at - b.at)[0]?.type
}

/** What comes after the last order id; "because" and the like say nothing. */
function reasonIn(text: string): string {
  const last = [...text.matchAll(orderId)].at(-1)
  if (!last) return ''
  const rest = text.slice(last.index + last[0].length).replace(leading, '')
  const reason = rest.replace(/[\s.!,;]+$/, '').slice(0, 500)
  return reason.length >= 3 ? reason : ''
}
