import type { RunEvent } from './events.js'

/** What the model said last, with the messages before it that were cut at their token limit; when it declined, that. */
export function answerText(events: readonly RunEvent[]): string {
  const said = events.filter((event) => event.type === 'assistant-message' && event.complete)
  let text = ''
  for (const [i, event] of said.toReversed().entries()) {
    if (event.type !== 'assistant-message') continue
    if (i > 0 && (event.finish !== 'length' || event.calls.length > 0)) break
    text = event.parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('') + text
  }
  return text
}
