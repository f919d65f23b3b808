import type { Json } from '../core/json.js'
import type { Caller, Grammar, Risk, ToolDefinition } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { checkDefinition, refuse, refuseUnknownFields } from './definition.js'
import { describeFaults, isStandardSchema, parseValue, toJsonSchema } from './schema.js'
import type { InputOf, OutputOf, Parsed, Schema } from './schema.js'

export type { Risk, Schema }

export interface ToolContext {
  /** Aborted when the run is cancelled or the call takes longer than its timeout. */
  readonly signal: AbortSignal
  readonly runId: string
  readonly callId: string
  /** The same for every attempt at this call: hand it to a server that keeps a ledger of keys. */
  readonly idempotencyKey: string
}
export type CheckContext = Pick<ToolContext, 'signal'>

/** What a tool's own check says. Nothing is `allow`, which does not outvote the other rules of the gate. */
export type CheckResult = void | undefined | 'allow' | { readonly deny: string } | { readonly ask: string }
export type CheckAnswer = { readonly verdict: 'allow' } | { readonly verdict: 'deny' | 'ask'; readonly reason: string }

export type ReconcileResult =
  | { readonly state: 'done'; readonly output: unknown }
  | { readonly state: 'void' | 'unknown' }
export type ReconcileAnswer =
  | { readonly state: 'done'; readonly output: Json }
  /** Not done, and made impossible: a late request with this key is refused. */
  | { readonly state: 'void' }
  | { readonly state: 'unknown' }

/** How a write keeps to at most one effect when it is interrupted. Without it, its outcome is then unknown. */
export interface Once<Input> {
  /** The same key never has a second effect: an interrupted call is sent again. */
  readonly idempotent?: boolean
  /** Looks for the effect of an earlier call. */
  reconcile?(call: {
    readonly idempotencyKey: string
    readonly input: Input
  }): ReconcileResult | Promise<ReconcileResult>
}

export interface ToolFields<I extends Schema, O extends Schema | undefined> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly description: string
  readonly input: I
  readonly output?: O
  /** `read` runs at once; every other is a write: it asks a person, and runs alone. */
  readonly risk: Risk
  /** Throw a `ToolError` to say that nothing was done; any other error of a write leaves its outcome unknown. */
  run(input: InputOf<I>, context: ToolContext): OutputOf<O> | Promise<OutputOf<O>>
  /** A business rule, asked before a person is and again right before the start. An error is a no. */
  check?(input: InputOf<I>, context: CheckContext): CheckResult | Promise<CheckResult>
  readonly once?: Once<InputOf<I>>
  /** Of a text tool, whose `input` is of type `string`: what the whole text must match. */
  readonly grammar?: Grammar
  /** Who may call it. Absent: everybody. */
  readonly callers?: readonly Caller[]
  /** The model is told of it only when it searches for it. */
  readonly deferred?: boolean
  /** What the tools of its namespace are for, which is named by what stands before `__` in its name. One of them has to say it. */
  readonly namespace?: string
  /** Asks the provider to hold the model to the schema. */
  readonly strict?: boolean
  /** `files` of its output, an array of `AttachedFile`, is given to the model as files. */
  readonly returnsFiles?: boolean
  /** `tools` of its output, an array of names, are deferred tools that the model is told of where its provider can. */
  readonly returnsTools?: boolean
  /** `timeout`: milliseconds a call may take. */
  readonly limits?: { readonly timeout?: number }
}

/** A page tool: its serialisable half, and the functions that stay on the page. */
export interface Tool<Input = unknown> {
  readonly definition: ToolDefinition
  readonly input: Schema
  run(input: Input, context: ToolContext): unknown
  check?(input: Input, context: CheckContext): CheckResult | Promise<CheckResult>
  reconcile?: Once<Input>['reconcile']
}

const passed = ['grammar', 'callers', 'deferred', 'namespace', 'strict', 'returnsFiles', 'returnsTools'] as const
const fields = ['name', 'description', 'input', 'output', 'risk', 'run', 'check', 'once', 'limits', ...passed]

/**
 * Describes a page tool. The types of `run`, `check` and `reconcile` follow from the schemas.
 * @throws {HandrailError} `invalid_tool`, naming the field that is wrong and what it must be.
 */
export function defineTool<const I extends Schema, const O extends Schema | undefined = undefined>(
  tool: ToolFields<I, O>,
): Tool<InputOf<I>> {
  const name = tool?.name
  refuseUnknownFields(name, tool, fields)
  const { once = {}, limits = {} } = tool
  refuseUnknownFields(name, once, ['idempotent', 'reconcile'], 'once')
  refuseUnknownFields(name, limits, ['timeout'], 'limits')
  const kinds = { run: typeof tool.run, check: typeof tool.check, 'once.reconcile': typeof once.reconcile }
  for (const [field, kind] of Object.entries(kinds))
    if (kind !== 'function' && (field === 'run' || kind !== 'undefined'))
      refuse(name, `"${field}" must be a function; it is ${kind}`)
  const checks = kinds.check === 'function'
  const reconciles = kinds['once.reconcile'] === 'function'
  if (tool.risk === 'read' && tool.once) refuse(name, `"once" is for writes; "risk" is "read"`)
  const definition: ToolDefinition = {
    name,
    description: tool.description,
    input: convert(name, 'input', tool.input),
    ...(tool.output !== undefined && { output: convert(name, 'output', tool.output) }),
    risk: tool.risk,
    ...((checks || isStandardSchema(tool.input)) && { checked: true }),
    ...(once.idempotent !== undefined && { idempotent: once.idempotent }),
    ...(reconciles && { reconciles: true }),
    ...(limits.timeout !== undefined && { timeout: limits.timeout }),
    ...Object.fromEntries(passed.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]]))),
  }
  checkDefinition(definition)
  return {
    definition,
    input: tool.input,
    run: (input, context) => tool.run(input, context),
    ...(checks && { check: (input, context) => tool.check!(input, context) }),
    ...(reconciles && { reconcile: (call) => once.reconcile!(call) }),
  }
}

function convert(name: string, field: string, schema: Schema) {
  try {
    return toJsonSchema(schema)
  } catch (error) {
    return refuse(name, `"${field}" cannot be used: ${(error as Error).message}`)
  }
}

/** What a tool's functions get of an input, or what its schema's own rules find wrong with it. */
export const parseInput = (tool: Tool, input: Json): Promise<Parsed> => parseValue(tool.input, input)

/**
 * The page's half of the gate: the rules of the library's schema, then the tool's own check.
 * @throws whatever the check throws, and {HandrailError} `invalid_check` if its answer is none of the four.
 */
export async function checkInput(tool: Tool, input: Json, context: CheckContext): Promise<CheckAnswer> {
  const parsed = await parseInput(tool, input)
  if ('faults' in parsed) return { verdict: 'deny', reason: `The input is not valid: ${describeFaults(parsed.faults)}` }
  const result: unknown = await tool.check?.(parsed.value, context)
  if (result === undefined || result === 'allow') return { verdict: 'allow' }
  for (const verdict of ['deny', 'ask'] as const) {
    const reason = typeof result === 'object' && result !== null && (result as Record<string, unknown>)[verdict]
    if (typeof reason === 'string' && reason !== '') return { verdict, reason }
  }
  throw new HandrailError(
    'invalid_check',
    `Cannot use the answer of the check of tool "${tool.definition.name}": it must be nothing, "allow", { deny: reason } or { ask: reason }`,
  )
}
