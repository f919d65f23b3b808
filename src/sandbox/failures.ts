import type { Thrown } from './guest.js'
import { positionIn } from './program.js'
import type { Program } from './program.js'
import type { ScriptFailure, ScriptFailureCode, ScriptLimits } from './script.js'

/** How a script ends that did not end well, in words for the model that wrote it. */
export const toScriptFailure = (code: ScriptFailureCode, message: string): ScriptFailure => ({
  code,
  message,
  retryable: false,
})

export const cpuFailure = (milliseconds: number, isTotal: boolean): ScriptFailure =>
  toScriptFailure(
    'script_cpu',
    isTotal
      ? `The script used all of its CPU time. Let the tools filter and sum up, and work on less data.`
      : `The script computed for more than ${Math.round(milliseconds)} ms without waiting for a tool. Look for an endless loop, or work on less data.`,
  )

export const callsFailure = ({ calls }: ScriptLimits): ScriptFailure =>
  toScriptFailure('script_calls', `The script made more than ${calls} tool calls. Ask for more with each call.`)

export const inputsFailure = (bytes: number): ScriptFailure =>
  toScriptFailure('script_output', `The inputs of the script's tool calls have more than ${bytes} bytes together.`)

export const deadlockFailure = toScriptFailure(
  'script_deadlock',
  'The script waits for a promise that nothing can settle: no tool call is open. Look for a promise that is never resolved.',
)

export const emptyFailure = toScriptFailure('script_syntax', 'The script is empty.')

export const memoryFailure = ({ memory }: ScriptLimits): ScriptFailure =>
  toScriptFailure('script_memory', `The script needed more than ${memory >> 20} MB of memory. Keep less data at once.`)

export const stackFailure = toScriptFailure(
  'script_stack',
  "The script's stack overflowed. Look for endless recursion.",
)

export const crashFailure = (message: string): ScriptFailure =>
  toScriptFailure('script_crashed', `The script was ended because its sandbox failed: ${message}`)

export const divergedFailure = (n: number): ScriptFailure =>
  toScriptFailure('script_diverged', `Cannot resume the script: it has no open call ${n}`)

export const returnFailure = ({ output }: ScriptLimits): ScriptFailure =>
  toScriptFailure(
    'script_output',
    `The script's return value has more than ${output} bytes as JSON. Return only what is needed.`,
  )

export function syntaxFailure(thrown: Thrown, program: Program): ScriptFailure {
  const way = syntaxWays.find(([pattern]) => pattern.test(program.reading.source))?.[1]
  return toScriptFailure('script_syntax', `${toText(thrown, program)}${way ? `. ${way}` : ''}`)
}

/** What models write that no script can be, and what to write instead. */
const syntaxWays: readonly (readonly [pattern: RegExp, way: string])[] = [
  [
    /^[ \t]*import\b/m,
    'A script has no import: the tools are there as tools.NAME(input), and JavaScript is all there is.',
  ],
  [/<([A-Za-z][\w.]*)[^<>]*>[^]*<\/\1>|<[A-Za-z][\w.]*[^<>]*\/>/, 'A script has no JSX: return plain data.'],
]

/** Globals that models expect, and what a script has instead of them. */
const absentWays: Readonly<Record<string, string>> = {
  fetch: 'A script has no network: call a tool.',
  XMLHttpRequest: 'A script has no network: call a tool.',
  WebSocket: 'A script has no network: call a tool.',
  require: 'A script has no modules: call a tool.',
  module: 'A script has no modules: return the result.',
  exports: 'A script has no modules: return the result.',
  process: 'A script is not in Node: what it needs comes from tools.',
  Buffer: 'A script is not in Node: use strings and arrays.',
  document: 'A script does not see the page: call a tool.',
  window: 'A script does not see the page: call a tool.',
  localStorage: 'A script keeps nothing: return what is needed later.',
  sessionStorage: 'A script keeps nothing: return what is needed later.',
  setTimeout: 'A script has no timers: await a tool call.',
  setInterval: 'A script has no timers: await a tool call.',
}

function absentWay(message: string): string {
  const [, name = ''] = /^'?([\w$]+)'? is not defined$/.exec(message) ?? []
  return Object.hasOwn(absentWays, name) ? `. ${absentWays[name]}` : ''
}

/** An exception that the script did not catch; some of its limits are exceptions too. */
export function thrownFailure(thrown: Thrown, program: Program): ScriptFailure {
  const { name, message, code } = thrown
  if (name === 'InternalError' && message === 'stack overflow') return stackFailure
  const isLimit = code === 'script_calls' || code === 'script_output'
  return toScriptFailure(isLimit ? code : 'script_thrown', toText(thrown, program) + absentWay(message))
}

function toText({ name, message, stack = '' }: Thrown, program: Program): string {
  const position = positionIn(stack, program)
  return `${name ? `${name}: ` : ''}${message}${position ? ` (${position})` : ''}`
}
