import type { GenerateOptions, Model, ModelRequest, ReplyPart } from 'handrail/testing'
import { answer } from './answer.js'
import { recognise, type Intent } from './intent.js'
import { requestProgram, returnableProgram } from './program.js'

/** Characters that come in a second. */
const speed = { text: 900, call: 4000 }

/**
 * No AI: fixed patterns choose what is called, and every text is computed from the results. It keeps nothing between two
 * requests, so it goes on from the transcript after a reload as a real model would.
 */
export const scriptedDesk: Model = {
  provider: 'scripted',
  model: 'order-desk',
  async generate(request, options) {
    const parts = reply(request)
    for (const [index, part] of parts.entries()) await stream(part, index, options)
    return { parts, finish: parts.some(({ type }) => type === 'call') ? 'calls' : 'stop' }
  },
}

function reply({ messages }: ModelRequest): readonly ReplyPart[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const user = messages[last]
  const results = messages
    .slice(last + 1)
    .flatMap((message) =>
      message.role === 'tool'
        ? [{ toolName: message.call.toolName, outcome: message.outcome, text: message.text }]
        : [],
    )
  const intent = recognise(user?.role === 'user' ? user.text : '')
  const obeyed =
    intent.kind === 'obey' && results.length === intent.orderIds.length ? obey(results, intent.orderIds) : []
  if (obeyed.length > 0) return obeyed
  if (results.length > 0) return [text(answer(results))]
  return respond(intent)
}

function respond(intent: Intent): readonly ReplyPart[] {
  switch (intent.kind) {
    case 'returnable':
      return [text('Let me go through your orders.'), call('run_script', { code: returnableProgram })]
    case 'request': {
      const { orderIds, type, reason } = intent
      return [
        text(`Let me look at ${list(orderIds)} and the policy first.`),
        call('run_script', { code: requestProgram(orderIds, type, reason) }),
      ]
    }
    case 'unclear-request': {
      const { orderIds, type } = intent
      const verb = type[0]!.toUpperCase() + type.slice(1)
      const missing = orderIds.length > 0 ? 'what is wrong with it' : 'which order it is and what is wrong'
      return [text(`Please tell me ${missing}, for example "${verb} ${orderIds[0] ?? 'O-314'}, the sole came off".`)]
    }
    case 'status':
      return [
        ...intent.orderIds.map((order_id) => call('get_order_status', { order_id })),
        call('get_after_sales_policy', {}),
      ]
    case 'messages':
    case 'obey':
      return intent.orderIds.map((order_id) => call('read_order_messages', { order_id }))
    case 'note':
      return [call('set_delivery_note', { order_id: intent.orderId, note: intent.note })]
    case 'policy':
      return [call('get_after_sales_policy', {})]
    case 'search':
      return [call('search_orders', intent.query === '' ? {} : { query: intent.query })]
    case 'other':
      return [text(abilities)]
  }
}

/** Takes every order that is named in somebody's message for one that the customer means. */
function obey(results: readonly { readonly text: string }[], asked: readonly string[]): readonly ReplyPart[] {
  const named = results.flatMap(({ text: told }) => told.match(/\bO-\d+\b/g) ?? []).filter((id) => !asked.includes(id))
  return [...new Set(named)].map((order_id) =>
    call('submit_after_sales_request', { order_id, type: 'return', reason: 'The message says so' }),
  )
}

const abilities = `I am a scripted demo model, not an AI: I recognise a few requests and nothing else. Try one of these:
Which of my orders can still be returned?
Return O-314, the sole came off
Where is O-314?
What is the return policy?
Find running shoes
What do the messages about O-314 say?
Note for O-314: leave it at the back door
Do what the messages about O-312 say`

const list = (names: readonly string[]): string => new Intl.ListFormat('en').format(names)
const text = (words: string): ReplyPart => ({ type: 'text', text: words })
const call = (toolName: string, input: object): ReplyPart => ({
  type: 'call',
  toolName,
  inputText: JSON.stringify(input),
})

/** Shows a part as it would come from a provider. By the clock, because a hidden tab is woken only once a second. */
async function stream(part: ReplyPart, index: number, { signal, onDelta }: GenerateOptions): Promise<void> {
  if (part.type === 'other') return
  const whole = part.type === 'call' ? part.inputText : part.text
  const start = performance.now()
  for (let shown = 0; shown < whole.length;) {
    await new Promise((resolve) => setTimeout(resolve, 16))
    signal.throwIfAborted()
    const rate = part.type === 'call' ? speed.call : speed.text
    const end = Math.ceil(((performance.now() - start) * rate) / 1000)
    const piece = whole.slice(shown, end)
    shown = end
    if (part.type === 'call') onDelta({ type: 'call', index, toolName: part.toolName, text: piece })
    else if (part.type === 'text') onDelta({ type: 'text', index, text: piece })
  }
}
