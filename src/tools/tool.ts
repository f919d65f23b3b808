import type { Json } from '../core/json.js'
import type { Caller, Grammar, Risk, ToolDefinition } from '../core/tool-definition.js'
import type {
  Approval,
  CheckContext,
  HostInput,
  OnFailure,
  Once,
  PageFunctions,
  Secret,
  ToolContext,
  Trust,
} from './declared.js'
import { toDeclared } from './declare.js'
import { checkDefinition } from './definition.js'
import { refuse, refuseUnknownFields } from './refuse.js'
import { isStandardSchema, toJsonSchema } from './schema.js'
import type { InputOf, OutputOf, Schema } from './schema.js'

export type { Risk, Schema }
export type { CheckContext, Once, ToolContext } from './declared.js'

/** What a tool's own check says. Nothing is `allow`, which does not outvote the other rules of the gate. */
export type CheckResult = void | undefined | 'allow' | { readonly deny: string } | { readonly ask: string }
export type CheckAnswer = { readonly verdict: 'allow' } | { readonly verdict: 'deny' | 'ask'; readonly reason: string }

export type ReconcileAnswer =
  | { readonly state: 'done'; readonly output: Json }
  /** Not done, and made impossible: a late request with this key is refused. */
  | { readonly state: 'void' }
  | { readonly state: 'unknown' }

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
  /** Fields of `input` that the app fills: the model is not told of them, and may not send them. */
  readonly hostInput?: HostInput<InputOf<I>>
  /**
   * By path of the input (a JSON Pointer, `*` for every item): where the value must have come from. `user`: the user's words;
   * `app`: the instructions; `TOOL:PATH`: a tool's output, as in `search_orders:/*\/order_id`.
   */
  readonly from?: Readonly<Record<string, string | readonly string[]>>
  /** Values that the model, scripts and the log get opaque references of. */
  readonly secret?: Secret
  readonly approval?: Approval<InputOf<I>>
  readonly trust?: Trust
  readonly onFailure?: OnFailure
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
  /**
   * `timeout`: milliseconds a call may take, 30,000 if absent. `retries`: requests more that a read, or an idempotent write, may
   * take, 0 if absent. `output`: bytes of its output as JSON, 16 MiB if absent.
   */
  readonly limits?: { readonly timeout?: number; readonly retries?: number; readonly output?: number }
}

/** A page tool: its serialisable half, and the functions that stay on the page. */
export interface Tool<Input = unknown> extends PageFunctions<Input> {
  readonly definition: ToolDefinition
  readonly input: Schema
  run(input: Input, context: ToolContext): unknown
  check?(input: Input, context: CheckContext): CheckResult | Promise<CheckResult>
}

const passed = ['grammar', 'callers', 'deferred', 'namespace', 'strict', 'returnsFiles', 'returnsTools'] as const
const declared = ['hostInput', 'from', 'secret', 'approval', 'trust', 'onFailure'] as const
const fields = [
  'name',
  'description',
  'input',
  'output',
  'risk',
  'run',
  'check',
  'once',
  'limits',
  ...passed,
  ...declared,
]

/**
 * Describes a page tool. The types of `run`, `check` and `reconcile` follow from the schemas.
 * @throws {HandrailError} `invalid_tool`, naming the field that is wrong and what it must be.
 */
export function defineTool<const I extends Schema, const O extends Schema | undefined = undefined>(
  tool: ToolFields<I, O>,
): Tool<InputOf<I>> {
  const name = tool?.name
  refuseUnknownFields(name, tool, fields)
  for (const [field, kind] of Object.entries({ run: typeof tool.run, check: typeof tool.check }))
    if (kind !== 'function' && (field === 'run' || kind !== 'undefined'))
      refuse(name, `"${field}" must be a function; it is ${kind}`)
  const input = convert(name, 'input', tool.input)
  const output = tool.output === undefined ? undefined : convert(name, 'output', tool.output)
  const { definition, functions } = toDeclared(tool, { input, output })
  const isChecked = typeof tool.check === 'function' || isStandardSchema(tool.input) || functions.isAsked
  const whole: ToolDefinition = {
    name,
    description: tool.description,
    risk: tool.risk,
    ...(isChecked && { checked: true }),
    ...definition,
    ...Object.fromEntries(passed.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]]))),
  }
  checkDefinition(whole)
  return {
    definition: whole,
    input: tool.input,
    run: (given, context) => tool.run(given, context),
    ...(tool.check && { check: (given, context) => tool.check!(given, context) }),
    ...functions.page,
  }
}

function convert(name: string, field: string, schema: Schema) {
  try {
    return toJsonSchema(schema)
  } catch (error) {
    return refuse(name, `"${field}" cannot be used: ${(error as Error).message}`)
  }
}
