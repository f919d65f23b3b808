import { answerText } from '../core/answer-text.js'
import type { AnswerCheck, AssistantMessage, EventBody } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { EffectOf } from '../core/next.js'
import { describeFaults } from '../tools/schema.js'
import type { RunPorts } from './ports.js'

/** Times that the model is sent back for one reason. */
const mostRepairs = 2

/** Whether what the model said is the answer of the run, and what it is told when it is not. */
export async function checkAnswer(ports: RunPorts, { step }: EffectOf<'check-answer'>): Promise<EventBody> {
  return { type: 'answer-check', step, ...verdictOf(ports) }
}

type CheckPorts = Pick<RunPorts, 'log' | 'validator'>

function verdictOf({ log, validator }: CheckPorts): AnswerCheck {
  const { state, events } = log
  const { header, used } = state
  const last = events.findLast((event) => event.type === 'assistant-message') as AssistantMessage
  const text = answerText(events)
  const repair = (note: string, code: string, message: string, most = mostRepairs): AnswerCheck => {
    const before = events.filter((event) => event.type === 'answer-check' && event.failure?.code === code)
    const failed = fail(code, message)
    return before.length < most ? { ...failed, verdict: 'repair', note } : failed
  }
  if (last.finish === 'context')
    return fail('context_full', 'The conversation fills the whole window of the model: start a new session.')
  if (last.finish === 'length') {
    const message = 'The reply was cut at its token limit: set a higher "maxOutputTokens".'
    // Thinking may have used up all the tokens: then it would again.
    if (text.trim() === '') return fail('reply_cut', message)
    return repair('Your reply was cut. Go on exactly where it stopped.', 'reply_cut', message)
  }
  if (header?.toolChoice?.mode === 'required' && used.calls === 0) {
    const which = header.toolChoice.tools?.join(' or ') ?? 'one of your tools'
    const message = `The model did not call ${which}, as this run demands.`
    return repair(`Before you answer, call ${which}.`, 'tool_not_called', message)
  }
  const isRefused = last.finish === 'content-filter' || last.parts.some(({ type }) => type === 'refusal')
  if (header?.answer) {
    if (isRefused) return fail('answer_refused', `The model declined to answer: ${text || 'it gave no reason'}`)
    const read = readAnswer(text, header.answer.schema, validator)
    if ('value' in read) return { verdict: 'accept', value: read.value }
    const note = `Your answer ${read.problem}. Answer again, with JSON alone that fits the schema.`
    return repair(note, 'answer_invalid', `The answer of the model ${read.problem}.`)
  }
  if (text.trim() !== '' || isRefused || last.finish === 'refusal') return { verdict: 'accept' }
  const again = repair('You said nothing. Answer now.', 'answer_empty', 'The model said nothing.', 1)
  return again.verdict === 'repair' ? again : { verdict: 'accept' }
}

const fail = (code: string, message: string): AnswerCheck => ({
  verdict: 'fail',
  failure: { code, message, retryable: false },
})

/** Some models put a fence around JSON, whatever they are told. */
const fence = /^\s*```(?:json)?\s*\n([^]*?)\n?\s*```\s*$/i

function readAnswer(
  text: string,
  schema: Parameters<RunPorts['validator']['compile']>[0],
  validator: RunPorts['validator'],
): { readonly value: Json } | { readonly problem: string } {
  let value: Json
  try {
    value = JSON.parse(fence.exec(text)?.[1] ?? text) as Json
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` }
  }
  const faults = validator.compile(schema, 'the answer')(value)
  return faults.length === 0 ? { value } : { problem: `does not fit the schema: ${describeFaults(faults)}` }
}
