import { scriptToolName } from '../core/built-ins.js'
import { canonicalJson, deepestSchema, isDeeperThan, type Json } from '../core/json.js'
import type { Mode } from '../core/events.js'
import type { ScriptLimits } from '../core/script-limits.js'
import type { Grammar, ToolDefinition } from '../core/tool-definition.js'
import { builtInTools } from './built-in-tools.js'
import { checkDefinition } from './definition.js'
import type { Fault, Validate, Validator } from './fault.js'
import type { CheckText } from './grammar/compile.js'
import { sha256 } from './hash.js'
import { toOffered } from './offered-definition.js'
import { refuse } from './refuse.js'
import { nearest } from '../core/nearest.js'
import { scriptToolDefinition } from './script-tool.js'

/** The tools of an agent, on the side of its worker: what the gate looks a call up in. */
export interface ToolSet {
  /** What the model is told, in this order: the script tool if there are scripts, then the others as they were given. */
  readonly definitions: readonly ToolDefinition[]
  /** What a script can call as `tools.NAME`. */
  readonly scriptTools: readonly ToolDefinition[]
  get(name: string): ToolEntry | undefined
  /** The name that looks most like this one. */
  nearest(name: string): string | undefined
}

export interface ToolEntry {
  /** Whole, with the fields that the app fills. */
  readonly definition: ToolDefinition
  readonly mode: Mode
  /** SHA-256 of the definition, in hex. */
  readonly hash: string
  /** @throws {HandrailError} `invalid_schema` if the schema is not one. */
  validateInput(input: Json): readonly Fault[]
  /** With the fields that the app filled. @throws {HandrailError} `invalid_schema` if the schema is not one. */
  validateFilled(input: Json): readonly Fault[]
  /** Absent: the tool declares no output. @throws {HandrailError} `invalid_schema` if the schema is not one. */
  validateOutput?(output: Json): readonly Fault[]
  /** Of a text tool with a grammar. @throws {HandrailError} `input_too_complex` if the text takes too many steps. */
  readonly checkText?: CheckText
}

export interface ToolSetOptions {
  /** Whether the model may run scripts. Default true. */
  readonly scripts?: boolean
  /** Of scripts, which the model is told. Absent: the defaults. */
  readonly limits?: ScriptLimits
  /** Of the grammars of tools. Only an agent that has some loads it. */
  readonly compileGrammar?: (grammar: Grammar, toolName: string) => CheckText
}

/**
 * Looked up in a map and not in an object, because the name of a call is the model's: `constructor` is no tool. Schemas are
 * compiled when they are first needed, so that a bad one takes only its own tool away; grammars at once, as only their author
 * can mend them.
 * @throws {HandrailError} `invalid_tool` for a definition or a grammar that is wrong, for two of one name, and for a `from` that
 * names no tool of them.
 */
export function createToolSet(
  given: readonly ToolDefinition[],
  validator: Validator,
  { scripts = true, limits, compileGrammar }: ToolSetOptions = {},
): ToolSet {
  const names = new Set<string>()
  for (const definition of given) {
    checkDefinition(definition)
    checkDepth(definition)
    if (names.has(definition.name)) refuse(definition.name, 'there is another tool of that name')
    names.add(definition.name)
  }
  for (const definition of given) checkOrigins(definition, names)
  const offered = given.map(toOffered)
  const scriptTools = offered.filter(({ callers }) => callers === undefined || callers.includes('script'))
  const definitions = scripts ? [scriptToolDefinition(scriptTools, { limits }), ...offered] : offered
  const entries = new Map<string, ToolEntry>()
  const own = scripts ? [definitions[0]!] : []
  for (const definition of [...own, ...given, ...builtInTools])
    entries.set(definition.name, createEntry(definition, validator, compileGrammar))
  return {
    definitions,
    scriptTools,
    get: (name) => entries.get(name),
    nearest: (name) => nearest(name, scripts ? [scriptToolName, ...names] : names),
  }
}

/** From a tool that is not there, no value could ever come. */
function checkOrigins({ name, from = {} }: ToolDefinition, names: ReadonlySet<string>): void {
  for (const [path, origins] of Object.entries(from))
    for (const origin of origins) {
      const at = origin.indexOf(':')
      const tool = origin.slice(0, at)
      if (at === -1 || names.has(tool)) continue
      const near = nearest(tool, names)
      const hint = near === undefined ? '' : `; did you mean "${near}"?`
      refuse(name, `"from" of "${path}" has "${origin.slice(0, 80)}", and there is no tool "${tool}"${hint}`)
    }
}

/** Here alone, as the page reads no schema. */
function checkDepth({ name, input, output }: ToolDefinition): void {
  for (const [field, schema] of Object.entries({ input, output }))
    if (schema && isDeeperThan(schema, deepestSchema))
      refuse(name, `"${field}" must be nested no deeper than ${deepestSchema} levels`)
}

function createEntry(
  definition: ToolDefinition,
  validator: Validator,
  compileGrammar: ToolSetOptions['compileGrammar'],
): ToolEntry {
  const { name, input, output, risk, grammar, hostInput } = definition
  if (grammar && !compileGrammar) throw new Error(`Tool "${name}" has a grammar, and there is nothing to compile it`)
  const once = (place: 'input' | 'output', schema: ToolDefinition['input']): Validate => {
    let validate: Validate | undefined
    return (value) => (validate ??= validator.compile(schema, `${place} of tool "${name}"`))(value)
  }
  const validateInput = once('input', toOffered(definition).input)
  return {
    definition,
    mode: name === scriptToolName ? 'script' : risk === 'read' ? 'read' : 'write',
    hash: sha256(canonicalJson(definition as unknown as Json)),
    validateInput,
    validateFilled: hostInput ? once('input', input) : validateInput,
    ...(output && { validateOutput: once('output', output) }),
    ...(grammar && { checkText: compileGrammar!(grammar, name) }),
  }
}
