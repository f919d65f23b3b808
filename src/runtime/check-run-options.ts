import { isAttachedFile } from '../core/attached-file.js'
import { isBuiltIn } from '../core/built-ins.js'
import { deepestSchema, isDeeperThan, type Json } from '../core/json.js'
import { HandrailError } from '../errors.js'
import type { ToolSet } from '../tools/tool-set.js'
import type { Agent } from './agent.js'
import { modesFault } from './check-modes.js'
import type { RunOptions } from './protocol.js'

/**
 * What a run is started with, as far as the page does not check it.
 * @throws {HandrailError} `invalid_options`, naming the option and what it must be; `invalid_schema` for the answer's.
 */
export function checkRunOptions(options: RunOptions, { tools, validator }: Pick<Agent, 'tools' | 'validator'>): void {
  const { allow, readOnly, askAll, toolChoice, files = [], answer } = options
  const fault = modesFault({ allow, readOnly, askAll }, tools)
  if (fault) refuse(fault)
  if (toolChoice !== undefined) checkToolChoice(toolChoice)
  const unknown = toolChoice?.tools?.find((name) => !tools.get(name) || isBuiltIn(name))
  if (unknown !== undefined) refuse(`"toolChoice.tools" names "${unknown}", which is no tool here`)
  if (toolChoice?.mode === 'required') checkDemand(toolChoice.tools, options, tools)
  const wrong = files.findIndex((file) => !isAttachedFile(file as unknown as Json))
  if (wrong !== -1)
    refuse(
      `"files[${wrong}]" must be { mediaType, data } with Base64, { mediaType, url } with http or https, or { mediaType, id, provider }`,
    )
  if (!answer) return
  if (isDeeperThan(answer.schema, deepestSchema))
    refuse(`the schema of "answer" must be nested no deeper than ${deepestSchema} levels`)
  validator.compile(answer.schema, 'the answer')
}

function checkToolChoice({ mode, tools, ...rest }: NonNullable<RunOptions['toolChoice']>): void {
  const [other] = Object.keys(rest)
  if (other !== undefined) refuse(`"toolChoice" has no "${other}", only "mode" and "tools"`)
  if (mode !== 'auto' && mode !== 'none' && mode !== 'required')
    refuse('"toolChoice.mode" must be one of auto, none, required')
  if (tools === undefined) return
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every((name) => typeof name === 'string'))
    refuse('"toolChoice.tools" must be an array of names of tools')
  if (mode === 'none') refuse('"toolChoice.tools" is not for "none", which forbids every tool')
}

/** What the gate would refuse whenever it is called must not be demanded. */
function checkDemand(names: readonly string[] | undefined, { allow, readOnly }: RunOptions, tools: ToolSet): void {
  const whyNot = (name: string): string | undefined => {
    const { mode, definition } = tools.get(name)!
    if (definition.callers && !definition.callers.includes('model')) return 'which the model may not call itself'
    if (mode === 'script') return undefined
    if (allow && !allow.includes(name)) return 'which "allow" does not name'
    return readOnly && mode === 'write' ? 'which is a write, and the run only reads' : undefined
  }
  for (const name of names ?? []) {
    const why = whyNot(name)
    if (why) refuse(`"toolChoice" demands a call of "${name}", ${why}`)
  }
  if (!names && tools.definitions.every(({ name }) => whyNot(name)))
    refuse('"toolChoice" demands a call, and there is no tool that the model may call in this run')
}

function refuse(why: string): never {
  throw new HandrailError('invalid_options', `Cannot start a run: ${why}`)
}
