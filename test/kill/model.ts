import type { Message, Model, ModelRequest } from 'handrail'
import { scriptedModel, type ScriptedReply } from 'handrail/testing'

const script = `
  const parts = ['bolts', 'nuts', 'plates']
  const counts = await Promise.all(parts.map((part) => tools.read_stock({ part })))
  const count = counts.reduce((sum, stock) => sum + stock.count, 0)
  const order = { count, reference: Math.floor(Math.random() * 1e9), at: Date.now() }
  try {
    const { number } = await tools.place_order(order)
    const { count: left } = await tools.read_stock({ part: 'bolts' })
    return { order, number, left }
  } catch (error) {
    return { order, code: error.code }
  }`

export const placed = 'The order is placed.'
export const unsure = 'I do not know whether the order is placed.'

interface Known {
  readonly order?: object
  /** How the order stands: placed, not placed, or unknown. */
  readonly isPlaced?: boolean
  readonly isChecked?: boolean
}

/** A model that has no memory of its own: its reply is made of the transcript alone, so that any page can host it. */
export function createModel(complain: (about: string) => void): Model {
  return {
    provider: 'scripted',
    model: 'scripted',
    generate(request, options) {
      for (const fault of faultsOf(request.messages)) complain(fault)
      return scriptedModel([reply], { chunkSize: 100 }).generate(request, options)
    },
  }
}

function reply({ messages }: ModelRequest): ScriptedReply {
  const { order, isPlaced, isChecked } = messages.reduce(learn, {})
  if (order === undefined)
    return { text: 'I look at the stock.', calls: [{ tool: 'run_script', input: { code: script } }] }
  if (isPlaced === undefined) return { text: unsure }
  if (!isPlaced) return { calls: [{ tool: 'place_order', input: { ...order } as never }] }
  return isChecked ? { text: placed } : { calls: [{ tool: 'read_stock', input: { part: 'nuts' } }] }
}

function learn(known: Known, message: Message): Known {
  if (message.role === 'news') return { ...known, isPlaced: message.done }
  if (message.role !== 'tool') return known
  const { toolName } = message.call
  if (toolName === 'read_stock') return { ...known, isChecked: message.outcome === 'ok' }
  if (toolName === 'place_order') return { ...known, isPlaced: { ok: true, error: false }[message.outcome as string] }
  if (message.outcome !== 'ok') throw new Error(`A script is never lost: ${message.text}`)
  const { order, code } = JSON.parse(message.text) as { order: object; code?: string }
  return { order, isPlaced: code === undefined ? true : code === 'unknown' ? undefined : false }
}

/** Providers refuse a transcript in which a call is not answered once, right after its message. */
function faultsOf(messages: readonly Message[]): string[] {
  const faults: string[] = []
  let waiting: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!waiting.includes(message.call.key)) faults.push(`An answer to no open call: ${message.call.key}`)
      waiting = waiting.filter((key) => key !== message.call.key)
      continue
    }
    if (waiting.length > 0) faults.push(`Calls without an answer: ${waiting.join(', ')}`)
    waiting = message.role === 'assistant' ? message.calls.map(({ key }) => key) : []
  }
  if (waiting.length > 0) faults.push(`Calls without an answer: ${waiting.join(', ')}`)
  return faults
}
