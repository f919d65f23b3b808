import { answerText } from '../core/answer-text.js'
import type { AnswerCheck, AssistantMessage, EventBody } from '../core/events.js'
import { deepestInput, hasInfinity, isDeeperThan, type Json } from '../core/json.js'
import type { EffectOf } from '../core/next.js'
import { toFailure } from '../errors.js'
import { describeFaults } from '../tools/parse-value.js'
import type { RunPorts } from './ports.js'

/** Times that the model is sent back for one reason. */
const mostRepairs = 2
/** Characters of a refusal that an error repeats. */
const mostShown = 500

/** Whether what the model said is the answer of the run, and what it is told when it is not. */
export async function checkAnswer(ports: RunPorts, { step }: EffectOf<'check-answer'>): Promise<EventBody> {
  try {
    return { type: 'answer-check', step, ...verdictOf(ports) }
  } catch (error) {
    // A page that was loaded again may have another validator, which takes another view of the schema.
    const why = toFailure(error).message
    return { type: 'answer-check', step, ...fail('answer_invalid', `The answer could not be checked: ${why}`) }
  }
}

type CheckPorts = Pick<RunPorts, 'log' | 'validator'>

function verdictOf({ log, validator }: CheckPorts): AnswerCheck {
  const { state, events } = log
  const { header, owesCall } = state
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
  const isRefused = isDeclined(last)
  if (isRefused && (owesCall || header?.answer))
    return fail('answer_refused', `The model declined to answer: ${text.slice(0, mostShown) || 'it gave no reason'}`)
  if (owesCall) {
    const which = header?.toolChoice?.tools?.join(' or ') ?? 'one of your tools'
    const message = `The model did not call ${which}, as this run demands.`
    return repair(`Before you answer, call ${which}.`, 'tool_not_called', message)
  }
  if (header?.answer) {
    const read = readAnswer(text, header.answer.schema, validator)
    if ('value' in read) return { verdict: 'accept', value: read.value }
    const note = `Your answer ${read.problem}. Answer again, with JSON alone that fits the schema.`
    return repair(note, 'answer_invalid', `The answer of the model ${read.problem}.`)
  }
  if (text.trim() !== '' || isRefused) return { verdict: 'accept' }
  const again = repair('You said nothing. Answer now.', 'answer_empty', 'The model said nothing.', 1)
  return again.verdict === 'repair' ? again : { verdict: 'accept' }
}

const fail = (code: string, message: string): AnswerCheck => ({
  verdict: 'fail',
  failure: { code, message, retryable: false },
})

const isDeclined = ({ finish, parts }: AssistantMessage): boolean =>
  finish === 'refusal' || finish === 'content-filter' || parts.some(({ type }) => type === 'refusal')

/** Some models put a fence around JSON, whatever they are told. By hand: a pattern takes hours over a reply of blank lines. */
function withoutFence(text: string): string {
  const json = text.trim()
  const line = json.indexOf('\n')
  const isFenced = /^```(?:json)?\s*$/i.test(json.slice(0, Math.max(line, 0))) && json.endsWith('```')
  return isFenced ? json.slice(line, -3) : json
}

function readAnswer(
  text: string,
  schema: Parameters<RunPorts['validator']['compile']>[0],
  validator: RunPorts['validator'],
): { readonly value: Json } | { readonly problem: string } {
  let value: Json
  try {
    value = JSON.parse(withoutFence(text)) as Json
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` }
  }
  if (isDeeperThan(value, deepestInput)) return { problem: `is nested deeper than ${deepestInput} levels` }
  if (hasInfinity(value)) return { problem: 'holds a number that is too large' }
  const faults = validator.compile(schema, 'the answer')(value)
  return faults.length === 0 ? { value } : { problem: `does not fit the schema: ${describeFaults(faults)}` }
}
