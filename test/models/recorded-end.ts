import type { Answer, CallFact } from './recorded-json.js'

/** Our word for the provider's word of how a reply ended. */
export const finishes: Readonly<Record<string, string>> = {
  completed: 'stop',
  // Some recorded gateways say it so.
  complete: 'stop',
  max_output_tokens: 'length',
  content_filter: 'content-filter',
  steered: 'resend',
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  pause_turn: 'resend',
  compaction: 'resend',
  refusal: 'refusal',
  // Two recorded streams stop without a word.
  '': 'other',
}

/** The last call of an answer that was cut is not one that may be run. */
export const wanted = (answer: Answer) =>
  finishes[answer.end] === 'length' ? [] : answer.facts.filter((fact): fact is CallFact => 'call' in fact)
