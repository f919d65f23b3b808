import { isBuiltIn } from '../core/built-ins.js'
import type { Thrown } from './isolate/guest.js'
import { absentWay, syntaxWay, type Site } from './ways.js'
import type { Poisoned } from './isolate/poisoned.js'
import { positionIn, type Position, type Program } from './program.js'
import { scriptFailure, type ScriptFailure, type ScriptLimits, type ScriptOptions } from './script.js'

export const cpuFailure = (milliseconds: number, isTotal: boolean): ScriptFailure =>
  scriptFailure(
    'script_cpu',
    isTotal
      ? `The script used all of its CPU time. Let the tools filter and sum up, and work on less data.`
      : `The script computed for more than ${Math.round(milliseconds)} ms without waiting for a tool. Look for an endless loop, or work on less data.`,
  )

export const callsFailure = ({ calls }: ScriptLimits): ScriptFailure =>
  scriptFailure('script_calls', `The script made more than ${calls} tool calls. Ask for more with each call.`)

export const inputsFailure = (bytes: number): ScriptFailure =>
  scriptFailure('script_output', `The inputs of the script's tool calls have more than ${bytes} bytes together.`)

export const sourceFailure = ({ sourceBytes }: ScriptLimits): ScriptFailure =>
  scriptFailure(
    'script_syntax',
    `The script has more than ${sourceBytes} bytes. Let tools fetch data instead of writing it into the script.`,
  )

export const deadlockFailure = scriptFailure(
  'script_deadlock',
  'The script waits for a promise that nothing can settle: no tool call is open. Look for a promise that is never resolved.',
)

export const emptyFailure = scriptFailure('script_syntax', 'The script is empty.')

export const crashFailure = (message: string): ScriptFailure =>
  scriptFailure('script_crashed', `The script was ended because its sandbox failed: ${message}`)

export const divergedFailure = (n: number): ScriptFailure =>
  scriptFailure('script_diverged', `Cannot resume the script: it has no open call ${n}`)

const stackFailure = scriptFailure('script_stack', "The script's stack overflowed. Look for endless recursion.")

/** How one script ends that did not end well, in words for the model that wrote it, with the place in its own text. */
export class Failures {
  /** What runs, once it is known. */
  program?: Program

  constructor(private readonly options: Pick<ScriptOptions, 'limits' | 'tools'>) {}

  ofPoison({ reason, message }: Poisoned): ScriptFailure {
    const { memoryBytes } = this.options.limits
    if (reason === 'memory')
      return scriptFailure(
        'script_memory',
        `The script needed more than ${memoryBytes >> 20} MB of memory. Keep less data at once.`,
      )
    return reason === 'stack' ? stackFailure : crashFailure(message)
  }

  ofReturn(): ScriptFailure {
    const { returnBytes } = this.options.limits
    return scriptFailure(
      'script_output',
      `The script's return value has more than ${returnBytes} bytes as JSON. Return only what is needed.`,
    )
  }

  ofState(): ScriptFailure {
    const { stateBytes } = this.options.limits
    return scriptFailure(
      'script_output',
      `What the script left in "state" has more than ${stateBytes} bytes as JSON: it was not kept. Keep less there.`,
    )
  }

  ofSyntax(thrown: Thrown, program: Program): ScriptFailure {
    const place = this.placeOf(thrown, program)
    const { source } = program.reading
    const hint = place && syntaxWay(siteOf(source, place).line, place.column, isAtEnd(source, place))
    return scriptFailure('script_syntax', textOf(thrown), { ...place, ...(hint && { hint }) })
  }

  /** An exception that the script did not catch; some of its limits are exceptions too. */
  ofThrown(thrown: Thrown): ScriptFailure {
    const { name, message, code, stack = '' } = thrown
    if (name === 'InternalError' && message === 'stack overflow') return { ...stackFailure, ...this.placeOf(thrown) }
    const place = this.placeOf(thrown)
    if (name === 'ToolError' && code !== undefined) return ofToolError(thrown, place)
    const [, native] = /^\s*at ([\w$]+) \(native\)/.exec(stack) ?? []
    const site = place ? siteOf(this.program!.reading.source, place) : { line: '', before: '' }
    const hint = absentWay(message, { ...site, ...(native !== undefined && { native }) }, this.options.tools)
    const isLimit = code === 'script_calls' || code === 'script_output'
    return scriptFailure(isLimit ? code : 'script_thrown', textOf(thrown), { ...place, ...(hint && { hint }) })
  }

  /** Where an exception comes from; nothing when that is no line of the script. */
  placeOf({ stack = '' }: Thrown, program = this.program) {
    return program && positionIn(stack, program)
  }
}

function ofToolError({ message, code, tool, retryable }: Thrown, place: Partial<ScriptFailure> | undefined) {
  const what = tool === undefined ? 'A call' : `The call of ${isBuiltIn(tool) ? tool.slice('script.'.length) : tool}`
  const isDenied = code === 'denied'
  return scriptFailure(isDenied ? 'script_denied' : 'script_tool_error', `${what} failed: ${code}: ${message}`, {
    ...place,
    retryable: !isDenied && retryable === true,
  })
}

/** Characters around a place on which patterns are tried. */
const shownSite = 2_000

function siteOf(source: string, { line, column }: Place): Site {
  const lines = source.split('\n')
  const own = lines[line - 1] ?? ''
  const above = lines.slice(Math.max(0, line - 4), line - 1)
  return {
    line: own.slice(0, shownSite),
    before: [...above, own.slice(0, column - 1)].join('\n').slice(-shownSite),
  }
}

function isAtEnd(source: string, { line, column }: Place): boolean {
  const rest = source
    .split('\n')
    .slice(line - 1)
    .join('\n')
  return rest.slice(column - 1).trim() === ''
}

type Place = Pick<Position, 'line' | 'column'>

const textOf = ({ name, message }: Thrown): string => `${name ? `${name}: ` : ''}${message}`
