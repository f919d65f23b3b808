import { isAttachedFile } from '../core/attached-file.js'
import type { Json } from '../core/json.js'
import { HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import type { RunOptions } from './protocol.js'

/**
 * What a run is started with, as far as the page does not check it.
 * @throws {HandrailError} `invalid_options`, naming the option and what it must be; `invalid_schema` for the answer's.
 */
export function checkRunOptions(
  { allow, toolChoice, files = [], answer }: RunOptions,
  { tools, validator }: Pick<Agent, 'tools' | 'validator'>,
): void {
  if (toolChoice !== undefined) checkToolChoice(toolChoice)
  for (const [option, names = []] of Object.entries({ allow, 'toolChoice.tools': toolChoice?.tools })) {
    const unknown = names.find((name) => !tools.get(name))
    if (unknown !== undefined) refuse(`"${option}" names "${unknown}", which is no tool here`)
  }
  const wrong = files.findIndex((file) => !isAttachedFile(file as unknown as Json))
  if (wrong !== -1)
    refuse(
      `"files[${wrong}]" must be { mediaType, data } with Base64, { mediaType, url } with http or https, or { mediaType, id, provider }`,
    )
  if (answer) validator.compile(answer.schema, 'the answer')
}

function checkToolChoice({ mode, tools, ...rest }: NonNullable<RunOptions['toolChoice']>): void {
  const [other] = Object.keys(rest)
  if (other !== undefined) refuse(`"toolChoice" has no "${other}", only "mode" and "tools"`)
  if (mode !== 'auto' && mode !== 'none' && mode !== 'required')
    refuse('"toolChoice.mode" must be one of auto, none, required')
  if (tools === undefined) return
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every((name) => typeof name === 'string'))
    refuse('"toolChoice.tools" must be an array of names of tools')
}

function refuse(why: string): never {
  throw new HandrailError('invalid_options', `Cannot start a run: ${why}`)
}
