import type { Message, Model, ModelRequest } from 'handrail'
import { scriptedModel, type ScriptedReply } from 'handrail/testing'
import { partsOf, type Shape, type WriteKind } from './plan.js'

/** What a session is to order, as its user says it. */
export interface Order {
  readonly session: string
  readonly shape: Shape
  readonly write: WriteKind
}

export interface Item {
  readonly session: string
  readonly part: string
  /** As many as were read. */
  readonly count: number
  /** Of the script's own clock and random: the same in every replay. */
  readonly at: number
  readonly reference: number
}

export const placed = 'All is ordered.'
export const unsure = 'I do not know whether all is ordered.'

const scriptOf = ({ session, shape, write }: Order): string => `
  const parts = ${JSON.stringify(partsOf[shape])}
  const reads = await Promise.all(['bolts', 'nuts', 'plates'].map((part) => tools.read_stock({ part })))
  const order = async (part) => {
    const { count } = reads.find((read) => read.part === part)
    const item = { session: '${session}', part, count, at: Date.now(), reference: Math.floor(Math.random() * 1e9) }
    try {
      await tools.order_${write}(item)
      return { part, outcome: 'ok' }
    } catch (error) {
      return { part, outcome: error.code }
    }
  }
  ${shape === 'all' ? 'const done = await Promise.all(parts.map(order))' : 'const done = []; for (const part of parts) done.push(await order(part))'}
  const { count } = await tools.read_stock({ part: 'bolts' })
  return { done, left: count }`

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

/** `settled`: it was unknown, and the user has spoken since: they have looked, and what is not done by now never is. */
type Standing = 'ok' | 'unknown' | 'settled' | 'not'
interface Known {
  readonly order?: Order
  readonly hasTried: boolean
  readonly counts: ReadonlyMap<string, number>
  readonly parts: ReadonlyMap<string, Standing>
}

function reply({ messages }: ModelRequest): ScriptedReply {
  const known = messages.reduce(learn, { hasTried: false, counts: new Map(), parts: new Map() } as Known)
  const { order, counts, parts } = known
  if (!order) throw new Error('The user ordered nothing')
  const { session, shape, write } = order
  const isScript = shape === 'script' || shape === 'loop' || shape === 'all'
  if (isScript && !known.hasTried)
    return { text: 'I write a script.', calls: [{ tool: 'run_script', input: { code: scriptOf(order) } }] }
  const wanted = partsOf[shape]
  const standings = [...parts.values()]
  if (standings.includes('unknown')) return { text: unsure }
  if (standings.includes('settled')) return { calls: [{ tool: 'find_orders', input: { session } }] }
  const missing = wanted.filter((part) => parts.get(part) !== 'ok')
  if (missing.length === 0) return { text: placed }
  const unread = missing.filter((part) => !counts.has(part))
  if (unread.length > 0) return { calls: unread.map((part) => ({ tool: 'read_stock', input: { part } })) }
  return {
    calls: missing.map((part) => {
      const item: Item = { session, part, count: counts.get(part)!, at: messages.length, reference: counts.get(part)! }
      return { tool: `order_${write}`, input: { ...item } }
    }),
  }
}

function learn(known: Known, message: Message): Known {
  if (message.role === 'user') {
    const settled = (standing: Standing): Standing => (standing === 'unknown' ? 'settled' : standing)
    const parts = new Map([...known.parts].map(([part, standing]) => [part, settled(standing)] as const))
    return { ...known, order: known.order ?? (JSON.parse(message.text) as Order), parts }
  }
  if (message.role !== 'tool') return known
  const { toolName, input } = message.call
  const isOk = message.outcome === 'ok'
  if (toolName === 'read_stock') {
    const { part, count } = isOk ? (read(message.text) as { part: string; count: number }) : { part: '', count: 0 }
    return isOk ? { ...known, counts: new Map(known.counts).set(part, count) } : known
  }
  if (toolName === 'find_orders') {
    if (!isOk) return known
    const { found } = read(message.text) as { found: readonly string[] }
    const look = (part: string, standing: Standing): Standing =>
      standing !== 'settled' ? standing : found.includes(part) ? 'ok' : 'not'
    return {
      ...known,
      parts: new Map([...known.parts].map(([part, standing]) => [part, look(part, standing)] as const)),
    }
  }
  if (toolName !== 'run_script') return tried(known, [[(input as unknown as Item).part, message.outcome]])
  if (isOk) {
    const { done } = read(message.text) as { done: readonly { part: string; outcome: string }[] }
    return tried(
      known,
      done.map(({ part, outcome }) => [part, outcome] as const),
    )
  }
  // Its sandbox was ended: what it had done by then is told.
  const { output } = read(message.text) as { output?: { calls: readonly { input: Item; outcome: string }[] } }
  const orders = (output?.calls ?? []).filter((call) => 'session' in call.input)
  return tried(
    known,
    orders.map((call) => [call.input.part, call.outcome] as const),
  )
}

function tried(known: Known, outcomes: readonly (readonly [part: string, outcome: string])[]): Known {
  const standingOf = (outcome: string): Standing =>
    outcome === 'ok' ? 'ok' : outcome === 'unknown' || outcome === 'outcome_unknown' ? 'unknown' : 'not'
  const parts = outcomes.map(([part, outcome]) => [part, standingOf(outcome)] as const)
  return { ...known, hasTried: true, parts: new Map([...known.parts, ...parts]) }
}

const read = (text: string): unknown => JSON.parse(text.split('\n\nPrinted:')[0]!)

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
