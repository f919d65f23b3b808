import { answerText } from '../core/answer-text.js'
import type { AnswerCheck, Outcome, RunEvent, RunOutcome } from '../core/events.js'
import { canonicalJson } from '../core/json.js'
import { fold } from '../core/state.js'
import type { Used } from '../core/usage.js'
import { callsOf, listingOf, shown, type ListedCall } from './listing.js'
import { found, matches, type Expected } from './matches.js'
import { toRecording, type RecordedRun } from './recording.js'

export type { Expected }

/** What a test expects of a run. Each throws an `AssertionError` that says what the run did instead. */
export interface RunExpectation {
  /** It is over, in that way. */
  toEnd(outcome: RunOutcome): RunExpectation
  /** Somebody asked for this call: of an object `input` holds the fields that are named. `outcome`: and it ended so. */
  toCall(tool: string, input?: Expected, outcome?: Outcome): RunExpectation
  /** Nobody asked for it. */
  notToCall(tool: string, input?: Expected): RunExpectation
  /** The calls of these tools were asked for in this order, with any others before, between and after. */
  toCallInOrder(...tools: readonly string[]): RunExpectation
  /** A call of the tool asked a person, with these reasons and by these rules, among others. */
  toAsk(
    tool: string,
    why?: { readonly reasons?: readonly (string | RegExp)[]; readonly rules?: readonly string[] },
  ): RunExpectation
  /** A call of the tool was denied, by the gate or a person. `code`: that of its failure. */
  toDeny(tool: string, code?: string): RunExpectation
  /** Its last message holds the text, or the JSON that was demanded the fields. */
  toAnswer(answer: string | RegExp | { readonly [field: string]: Expected }): RunExpectation
  /** It used no more of these: `steps`, `calls`, `tokens`, `scripts`, `bytes`, and milliseconds of `time`. */
  toStayWithin(most: Partial<Used>): RunExpectation
  /** No write was started twice with the same input. */
  notToRepeatWrites(): RunExpectation
}

/** A failed expectation, as every test runner knows it: one that can shows the difference of `actual` and `expected`. */
class AssertionError extends Error {
  override readonly name = 'AssertionError'

  constructor(
    message: string,
    readonly expected: unknown,
    readonly actual: unknown,
  ) {
    super(message)
  }
}

/** @throws {HandrailError} `invalid_recording`. */
export function expectRun(run: RecordedRun): RunExpectation {
  const { events } = toRecording(run)
  const calls = callsOf(events)
  const state = fold(events)
  const of = (tool: string) => calls.filter((call) => call.tool === tool)

  const must = (isSo: boolean, wanted: string, expected: unknown, actual: unknown): RunExpectation => {
    if (!isSo)
      throw new AssertionError(`Expected the run ${wanted}. It did this:\n${listingOf(events)}`, expected, actual)
    return expectation
  }
  const isCall = (call: ListedCall, tool: string, input: Expected | undefined) =>
    call.tool === tool && (input === undefined || matches(input, call.input))

  const expectation: RunExpectation = {
    toEnd: (outcome) =>
      must(state.status === outcome, `to end ${outcome}; it is ${state.status}`, outcome, state.status),

    toCall: (tool, input, outcome) =>
      must(
        calls.some((call) => isCall(call, tool, input) && (outcome === undefined || call.outcome === outcome)),
        `to call ${tool}${withInput(input)}${outcome === undefined ? '' : `, ending ${outcome}`}`,
        { tool, ...(input !== undefined && { input }), ...(outcome && { outcome }) },
        closest(of(tool), calls),
      ),

    notToCall(tool, input) {
      const wrong = calls.filter((call) => isCall(call, tool, input))
      return must(wrong.length === 0, `not to call ${tool}${withInput(input)}`, [], wrong.map(brief))
    },

    toCallInOrder(...tools) {
      let at = 0
      for (const { tool } of calls) if (tool === tools[at]) at++
      const missing =
        at < tools.length ? `; ${tools[at]} is missing after ${tools.slice(0, at).join(', ') || 'the start'}` : ''
      return must(
        missing === '',
        `to call in this order: ${tools.join(', ')}${missing}`,
        tools,
        calls.map((call) => call.tool),
      )
    },

    toAsk(tool, { reasons = [], rules = [] } = {}) {
      const asked = of(tool).flatMap((call) => call.asked)
      const isSo = asked.some(
        (ask) =>
          reasons.every((reason) => ask.reasons.some((given) => isIn(reason, given))) &&
          rules.every((rule) => ask.rules.includes(rule)),
      )
      const why = [...reasons.map(String), ...rules.map((rule) => `rule ${rule}`)].join(', ')
      return must(isSo, `to ask before ${tool}${why && ` (${why})`}`, { tool, reasons, rules }, asked)
    },

    toDeny(tool, code) {
      const denied = of(tool).filter(({ outcome }) => outcome === 'denied')
      const isSo = denied.some((call) => code === undefined || call.code === code)
      const actual = of(tool).map(({ outcome, code: own }) => ({ tool, outcome, code: own }))
      return must(
        isSo,
        `to deny ${tool}${code === undefined ? '' : ` with ${code}`}`,
        { tool, outcome: 'denied', code },
        actual,
      )
    },

    toAnswer(answer) {
      const isText = typeof answer === 'string' || answer instanceof RegExp
      const actual = isText ? answerText(events) : valueOf(events)
      const isSo = isText ? isIn(answer, String(actual)) : matches(answer, actual)
      return must(isSo, `to answer ${isText ? String(answer) : shown(answer)}`, answer, actual)
    },

    toStayWithin(most) {
      const over = (Object.entries(most) as [keyof Used, number][]).filter(
        ([name, amount]) => !(state.used[name] <= amount),
      )
      const list = over.map(([name, amount]) => `${name} ${amount}; it used ${state.used[name]}`).join(', ')
      const used = Object.fromEntries(Object.keys(most).map((name) => [name, state.used[name as keyof Used]]))
      return must(over.length === 0, `to stay within ${list}`, most, used)
    },

    notToRepeatWrites() {
      const seen = new Map<string, string>()
      const again = calls.flatMap((call) => {
        if (!call.isWrite || !call.isStarted || call.outcome === 'error') return []
        const key = `${call.tool} ${canonicalJson(call.input)}`
        const before = seen.get(key)
        seen.set(key, before ?? call.callId)
        return before === undefined ? [] : [`${call.tool} ${shown(call.input)}: ${before} and ${call.callId}`]
      })
      return must(again.length === 0, `not to repeat a write; it did: ${again.join(', ')}`, [], again)
    },
  }
  return expectation
}

const withInput = (input: Expected | undefined): string => (input === undefined ? '' : ` with ${shown(input)}`)

const isIn = (wanted: string | RegExp, text: string): boolean =>
  wanted instanceof RegExp ? found(wanted, text) : text.includes(wanted)

const brief = ({ tool, input, outcome }: ListedCall) => ({ tool, input, outcome })

/** What is compared with a call that is missing: the only other one of its tool, or all there are. */
function closest(ofTool: readonly ListedCall[], all: readonly ListedCall[]): unknown {
  if (ofTool.length === 1) return brief(ofTool[0]!)
  return (ofTool.length > 0 ? ofTool : all).map(brief)
}

/** The answer as JSON, when the run demanded some. */
function valueOf(events: readonly RunEvent[]): unknown {
  const accepted = events.findLast(
    (event): event is RunEvent & { type: 'answer-check' } & AnswerCheck =>
      event.type === 'answer-check' && event.verdict === 'accept',
  )
  return accepted?.value
}
