import type { Json, JsonObject } from 'handrail'
import { countDays, showDay } from '../store/dates.js'

export interface ToolMessage {
  readonly toolName: string
  readonly outcome: string
  readonly text: string
}

/** The whole text of an answer: every fact in it is read from the results. */
export function answer(results: readonly ToolMessage[]): string {
  const policy = results.map(outputOf).find((output) => typeof output?.days === 'number' && Array.isArray(output.types))
  const days = typeof policy?.days === 'number' ? policy.days : undefined
  const others = results.filter(({ toolName }) => toolName !== 'get_after_sales_policy')
  const asked = others.length > 0 ? others : results
  return asked.map((result) => answerOne(result, days)).join('\n\n')
}

function answerOne(result: ToolMessage, days: number | undefined): string {
  const output = outputOf(result)
  if (result.outcome !== 'ok' || !output) return failed(result)
  if (Array.isArray(output.returnable)) return returnable(output)
  if (Array.isArray(output.requests))
    return output.requests
      .filter(isObject)
      .map((each) => requested(each, output.type))
      .join('\n\n')
  if (Array.isArray(output.orders)) return listed(output)
  if (Array.isArray(output.types)) return policyText(output)
  if (Array.isArray(output.messages)) return told(output)
  if (typeof output.note === 'string') return noted(output)
  if (typeof output.request_id === 'string') return requested(output, output.type ?? null)
  if (typeof output.order_id === 'string') return statusText(output, days)
  return unreadable(result.text)
}

const unreadable = (text: string): string => `I got a result that I cannot read: ${text.slice(0, 300)}`

function returnable({ returnable: found, checked, days }: JsonObject): string {
  const orders = (found as readonly Json[]).filter(isObject)
  const window = say`within ${days} days of signing`
  if (orders.length === 0)
    return say`None of your ${checked} signed orders can be returned any more: it must be ${window}.`
  const lines = orders.map(({ order_id, item, days_left }) => say`${order_id}  ${item}, ${timeLeft(days_left)}`)
  return say`${orders.length} of your ${checked} signed orders can still be returned (${window}):\n${lines.join('\n')}`
}

const timeLeft = (days: Json | undefined): string =>
  days === 0 ? 'today is the last day' : say`${countDays(Number(days))} left`

function requested(result: JsonObject, type: Json | undefined): string {
  const { order_id, item, request_id, problem, error } = result
  const what = item === undefined ? say`${order_id}` : say`${order_id} (${item})`
  if (isObject(error)) return requestFailed(what, error)
  switch (problem) {
    case undefined:
      if (typeof request_id !== 'string') return unreadable(JSON.stringify(result))
      return say`Your ${type} request for ${what} is with the store. Its id is ${request_id}, and it is ${result.status}.`
    case 'already requested':
      return say`I submitted nothing: ${what} already has the request ${request_id}.`
    case 'not signed for':
      return say`I submitted nothing: ${what} is not signed for yet, its status is ${result.status}.`
    default: {
      const { days_since_signed, days } = result
      return say`I submitted nothing: ${what} was signed for ${days_since_signed} days ago, and a ${type} may be requested within ${days} days.`
    }
  }
}

function requestFailed(what: string, { code, message }: JsonObject): string {
  if (code === 'not_available') return say`${message}`
  if (code === 'outcome_unknown')
    return say`I do not know whether the request for ${what} reached the store. Please look at the table before anything is tried again.`
  return say`No request was made for ${what}. ${message}`
}

function listed({ orders, total, page, pages }: JsonObject): string {
  const found = (orders as readonly Json[]).filter(isObject)
  if (found.length === 0) return 'None of your orders match that.'
  const lines = found.slice(0, 8).map(({ order_id, item, status }) => say`${order_id}  ${item}, ${status}`)
  const rest = Number(total) - lines.length
  const more = rest > 0 ? say`\nand ${rest} more${Number(pages) > Number(page) ? ', on further pages' : ''}.` : ''
  return say`${total === 1 ? 'One order matches' : say`${total} orders match`}:\n${lines.join('\n')}${more}`
}

function told({ order_id, messages }: JsonObject): string {
  const lines = (messages as readonly Json[]).filter(isObject).map(({ from, text }) => say`${from}: ${text}`)
  return say`What others wrote about ${order_id}:\n${lines.join('\n')}`
}

const noted = ({ order_id, note }: JsonObject): string =>
  note === '' ? say`The note at ${order_id} is gone.` : say`The parcel service will read this at ${order_id}: ${note}`

function policyText({ days, types, counted_from }: JsonObject): string {
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format((types as readonly Json[]).map(String))
  return say`A ${names} may be requested within ${days} days of ${counted_from}.`
}

function statusText(order: JsonObject, days: number | undefined): string {
  const { order_id, item, status, signed_on, days_since_signed, after_sales } = order
  const what = say`${order_id} (${item})`
  if (typeof signed_on !== 'string' || typeof days_since_signed !== 'number') return say`${what} is ${status}.`
  const ago = days_since_signed === 0 ? 'today' : say`${countDays(days_since_signed)} ago`
  const signed = say`${what} was signed for on ${showDay(signed_on)}, ${ago}.`
  if (isObject(after_sales))
    return say`${signed} Its ${after_sales.type} request ${after_sales.request_id} is ${after_sales.status}.`
  if (days === undefined) return signed
  const left = days - days_since_signed
  if (left < 0) return say`${signed} The ${days} days for a return, exchange or repair are over.`
  return say`${signed} A return, exchange or repair may be requested: ${timeLeft(left)}.`
}

/** Nothing is said of a failure but what the failure says. */
function failed({ toolName, outcome, text }: ToolMessage): string {
  const error = parse(text)?.error
  const { code, message } = isObject(error) ? error : { code: outcome, message: text }
  if (code === 'not_available') return say`${message}`
  if (outcome === 'denied') return say`I was not allowed to do that. ${message}`
  if (outcome === 'timeout') return say`The shop did not answer in time (${toolName}). Please try again.`
  if (outcome === 'unknown') return say`I do not know whether that took effect. ${message}`
  if (toolName === 'run_script')
    return say`My script did not finish: ${message} What it did before that is in the timeline.`
  return say`That did not work: ${message}`
}

/** A sentence with values from results in it. */
const say = (texts: TemplateStringsArray, ...values: readonly (Json | undefined)[]): string =>
  String.raw({ raw: texts }, ...values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const outputOf = ({ outcome, text }: ToolMessage): JsonObject | undefined =>
  outcome === 'ok' ? parse(text) : undefined

function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
