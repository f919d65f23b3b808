import { scriptToolName } from '../core/built-ins.js'
import { isJsonObject } from '../core/json.js'
import { isTextTool, type Caller, type Risk, type ToolDefinition } from '../core/tool-definition.js'
import { spacedName } from '../core/tool-space.js'
import { checkDeclarations } from './check-declarations.js'
import { refuse, refuseUnknownFields, shown } from './refuse.js'

const risks: readonly Risk[] = ['read', 'reversible', 'irreversible', 'sensitive']
/** `__proto__` cannot be a property that a script reads as `tools.NAME`. */
const reserved = [scriptToolName, '__proto__']
/** The most that a timer takes. */
const longest = 2 ** 31 - 1
const callers: readonly Caller[] = ['model', 'script', 'program']
const flags = [
  'checked',
  'idempotent',
  'reconciles',
  'strict',
  'deferred',
  'returnsFiles',
  'returnsTools',
  'trusted',
  'safe',
  'openWorld',
] as const
const fields = [
  'name',
  'description',
  'input',
  'output',
  'risk',
  'timeout',
  'grammar',
  'callers',
  'namespace',
  'hostInput',
  'from',
  'secret',
  'approval',
  'repeat',
  'retries',
  'largestOutput',
  'onFailure',
  ...flags,
]

/**
 * What comes from another thread is checked as what an author writes.
 * @throws {HandrailError} `invalid_tool`, naming the field that is wrong and what it must be.
 */
export function checkDefinition(definition: ToolDefinition): void {
  const name = definition?.name
  refuseUnknownFields(name, definition, fields)
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    refuse(name, `"name" must be 1 to 64 letters, digits, "_" or "-"; it is ${shown(name)}`)
  if (reserved.includes(name)) refuse(name, 'that name is reserved')
  const { description, input, output, risk, timeout } = definition
  if (typeof description !== 'string' || description.trim() === '')
    refuse(name, `"description" must be a text that tells the model what the tool is for; it is ${shown(description)}`)
  if (!risks.includes(risk)) refuse(name, `"risk" must be one of ${risks.join(', ')}; it is ${shown(risk)}`)
  if (!isJsonObject(input) || (input.type !== 'object' && input.type !== 'string'))
    refuse(
      name,
      `"input" must be a schema of type "object", or "string" for one text; its type is ${shown(input?.type)}`,
    )
  if (output !== undefined && !isJsonObject(output)) refuse(name, '"output" must be a JSON Schema object')
  for (const field of flags) {
    const value: unknown = definition[field]
    if (value !== undefined && typeof value !== 'boolean')
      refuse(name, `"${field === 'trusted' ? 'trust.output' : field}" must be true or false; it is ${shown(value)}`)
  }
  checkOptions(definition)
  checkDeclarations(definition)
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= longest))
    refuse(name, `"limits.timeout" must be a number of milliseconds from 1 to ${longest}; it is ${shown(timeout)}`)
}

function checkOptions(definition: ToolDefinition): void {
  const { name, grammar, callers: may, namespace } = definition
  if (grammar !== undefined) {
    refuseUnknownFields(name, grammar, ['syntax', 'definition'], 'grammar')
    if (!isTextTool(definition)) refuse(name, '"grammar" is for tools whose "input" is of type "string"')
    if (grammar.syntax !== 'regex' && grammar.syntax !== 'lark')
      refuse(name, `"grammar.syntax" must be "regex" or "lark"; it is ${shown(grammar.syntax)}`)
    if (typeof grammar.definition !== 'string' || grammar.definition.trim() === '')
      refuse(name, `"grammar.definition" must be a text that is not empty; it is ${shown(grammar.definition)}`)
  }
  if (may !== undefined && !(Array.isArray(may) && may.length > 0 && may.every((one) => callers.includes(one))))
    refuse(name, `"callers" must be an array with some of ${callers.join(', ')}; it is ${shown(may)}`)
  if (namespace !== undefined && (typeof namespace !== 'string' || namespace.trim() === '' || !spacedName(name)))
    refuse(name, '"namespace" must be a text about what stands before "__" in the name of the tool')
}
