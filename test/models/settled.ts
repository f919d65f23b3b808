import type { Message } from '../../src/core/transcript.js'

/**
 * Messages in which each call has its result right after it, as our transcript has them whatever happened: one that came later is
 * moved there, and one that never came says so.
 */
export function settled(messages: readonly Message[]): Message[] {
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.call.key, one] as const] : [])))
  const isNext = (i: number, count: number) => messages.slice(i + 1, i + 1 + count).every(({ role }) => role === 'tool')
  return messages.flatMap((message, i): Message[] => {
    if (message.role === 'tool') return []
    if (message.role !== 'assistant') return [message]
    const { calls } = message
    const inOrder = messages.slice(i + 1).filter((one) => one.role === 'tool' && calls.includes(one.call))
    const isWhole = inOrder.length === calls.length && isNext(i, calls.length)
    const answers = calls.map(
      (call): Message =>
        results.get(call.key) ?? { role: 'tool', call, trusted: true, outcome: 'skipped', text: 'It was not started.' },
    )
    return [message, ...(isWhole ? inOrder : answers)]
  })
}
