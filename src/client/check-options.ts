import { HandrailError } from '../errors.js'
import type { AttachedFile } from '../core/attached-file.js'
import type { Json } from '../core/json.js'
import type { ScriptLimits } from '../core/script-limits.js'
import type { ToolChoice } from '../core/tool-definition.js'
import type { Budget } from '../core/usage.js'
import type { Model, ModelConfig, Policy } from '../runtime/protocol.js'
import { nearest } from '../core/nearest.js'
import type { Schema } from '../tools/schema.js'
import type { Tool } from '../tools/tool.js'
import type { Guardrails } from './guardrails.js'

export interface AgentOptions {
  /** Where a model is, or a model that runs on this page, with a `generate` method. */
  readonly model: ModelConfig | Model
  /** The system prompt. */
  readonly instructions: string
  readonly tools: readonly Tool[]
  /** Whose sessions these are: another owner can neither list nor open them. */
  readonly owner: string
  /** The session of `agent.run`. Absent: a new one. */
  readonly session?: string
  /** Amounts that one run may use. */
  readonly budget?: Partial<Budget>
  /** Whether the model may write scripts. Default true. */
  readonly scripts?: boolean
  /** Of the scripts that the model writes. */
  readonly limits?: Partial<ScriptLimits>
  /** What each risk does. Default: reads `allow`, all others `ask`; what is sensitive asks also where it says `allow`. */
  readonly policy?: Partial<Policy>
  /** Functions of the app, asked about messages, calls and outputs. They run on this page. */
  readonly guardrails?: Guardrails
  /** Default `indexeddb`. */
  readonly store?: 'indexeddb' | 'memory'
  /** An own agent worker. A function can make another when one dies; it is ended with the agent. */
  readonly worker?: Worker | (() => Worker)
  /** Everybody who opens the page can read a key that is in it. */
  readonly dangerouslyAllowKeyInPage?: boolean
}

export interface RunRequest<Answer extends Schema | undefined = Schema | undefined> {
  /** Names of the only tools that may be called. */
  readonly allow?: readonly string[]
  /** Nothing but reads. */
  readonly readOnly?: boolean
  /** What the model is shown beside the message, if it can be. */
  readonly files?: readonly AttachedFile[]
  /** The app's, to the model, from this message on. Never what a user, a page or a tool says. */
  readonly instructions?: string
  /** Whether the model must, may or may not call tools, and which. `required` holds until it has called one. */
  readonly toolChoice?: ToolChoice
  /** What the answer must be. The model has two more tries when it is not. */
  readonly answer?: Answer
}

type Check = (value: unknown) => boolean
type Rule = readonly [is: Check, must: string]
type Rules<T> = Readonly<Record<keyof T & string, Rule>>

const isText: Check = (value) => typeof value === 'string' && value.trim() !== ''
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isBoolean: Check = (value) => typeof value === 'boolean'

const text: Rule = [isText, 'must be a text that is not empty']
const flag: Rule = [isBoolean, 'must be true or false']
const record: Rule = [isRecord, 'must be an object']
const names: Rule = [(value) => Array.isArray(value) && value.every(isText), 'must be an array of tool names']

const agentRules: Rules<AgentOptions> = {
  model: record,
  instructions: [(value) => typeof value === 'string', 'must be a text'],
  tools: [Array.isArray, 'must be an array of what defineTool returns'],
  owner: text,
  session: text,
  budget: record,
  scripts: flag,
  limits: record,
  policy: record,
  guardrails: record,
  store: [(value) => value === 'indexeddb' || value === 'memory', 'must be "indexeddb" or "memory"'],
  worker: [(value) => typeof value === 'function' || isRecord(value), 'must be a Worker or a function that makes one'],
  dangerouslyAllowKeyInPage: flag,
}
const guardrail: Rule = [
  (value) => [value].flat().every((each) => typeof each === 'function'),
  'must be a function, or an array of functions',
]
const guardrailRules: Rules<Guardrails> = { input: guardrail, call: guardrail, output: guardrail }
/** What is only the worker's is checked there: the rest of the model, budget, limits and policy. */
const modelRules: Rules<Pick<ModelConfig, 'provider' | 'model'>> = { provider: text, model: text }
const runRules: Rules<RunRequest> = {
  allow: names,
  readOnly: flag,
  files: [Array.isArray, 'must be an array'],
  instructions: text,
  toolChoice: record,
  answer: [(value) => typeof value === 'function' || isRecord(value), 'must be a schema'],
}
const approvalRules: Rules<{ readonly input?: Json; readonly hash?: string }> = {
  input: [() => true, ''],
  hash: text,
}

export const isHosted = (model: ModelConfig | Model): model is Model => 'generate' in model

/** @throws {HandrailError} `invalid_options`, naming the field that is wrong and what it must be; `key_in_page`. */
export function checkAgent(options: AgentOptions): void {
  const what = 'create an agent'
  checkFields(what, '', options, agentRules, ['model', 'instructions', 'tools', 'owner'])
  const { model, tools } = options
  const known = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    if (!isTool(tool)) refuse(what, `"tools[${index}]" must be what defineTool returns; it is ${shown(tool)}`)
    const { definition } = tool
    if (known.has(definition.name)) refuse(what, `there are two tools named "${definition.name}" in "tools"`)
    known.add(definition.name)
  }
  checkFields(what, 'guardrails.', options.guardrails ?? {}, guardrailRules)
  const { provider, model: name } = model
  checkFields(what, 'model.', { provider, model: name }, modelRules, ['provider', 'model'])
  if (!isHosted(model)) {
    if (!options.dangerouslyAllowKeyInPage) checkKeys(model)
  } else if (typeof model.generate !== 'function') refuse(what, '"model.generate" must be a function')
}

export function checkRun(message: string, options: RunRequest): void {
  if (!isText(message)) refuse('start a run', 'the message must be a text that is not empty')
  checkFields('start a run', '', options, runRules)
}

/** An edit under a misspelt name must not become an approval of what was asked. */
export function checkApproval(options: { readonly input?: Json; readonly hash?: string }): void {
  checkFields('approve a call', '', options, approvalRules)
}

export function checkReason(reason: unknown): void {
  if (reason !== undefined && typeof reason !== 'string')
    refuse('deny a call', `the reason must be a text; it is ${shown(reason)}`)
}

export function checkDone(done: unknown): void {
  if (!isBoolean(done)) refuse('reconcile a call', `"done" must be true or false; it is ${shown(done)}`)
}

const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

function checkKeys({ apiKey, headers = {} }: ModelConfig): void {
  const header = Object.keys(headers ?? {}).find((name) => keyHeaders.includes(name.toLowerCase()))
  const field = apiKey === undefined ? header && `model.headers.${header}` : 'model.apiKey'
  if (!field) return
  throw new HandrailError(
    'key_in_page',
    `Cannot create an agent: "${field}" is a key, and everybody who opens the page can read it. Keep it on a server and set "model.baseURL" to that; or set "dangerouslyAllowKeyInPage" for a page that only you open`,
  )
}

function checkFields<T>(
  what: string,
  place: string,
  value: T,
  rules: Rules<T>,
  required: readonly string[] = [],
): void {
  if (!isRecord(value)) return refuse(what, 'the options must be an object')
  const known = Object.keys(rules)
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(rules, key)) {
      const near = nearest(key, known)
      refuse(
        what,
        `"${place}${key}" is not an option; ${near ? `did you mean "${near}"?` : `there are ${known.join(', ')}`}`,
      )
    }
    const [is, must] = (rules as Readonly<Record<string, Rule>>)[key]!
    if (item !== undefined && !is(item)) refuse(what, `"${place}${key}" ${must}; it is ${shown(item)}`)
  }
  for (const key of required) if (value[key] === undefined) refuse(what, `"${place}${key}" is missing`)
}

const isTool = (value: unknown): boolean =>
  isRecord(value) && isRecord(value.definition) && isText(value.definition.name) && typeof value.run === 'function'

/** Never a whole value: it may hold a secret. */
const shown = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'number'
        ? String(value)
        : value === ''
          ? 'empty'
          : `of type ${typeof value}`

function refuse(what: string, why: string): never {
  throw new HandrailError('invalid_options', `Cannot ${what}: ${why}`)
}
