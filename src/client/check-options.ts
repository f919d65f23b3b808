import { HandrailError } from '../errors.js'
import type { AttachedFile } from '../core/attached-file.js'
import type { ScriptLimits } from '../core/script-limits.js'
import type { ToolChoice } from '../core/tool-definition.js'
import type { Budget } from '../core/usage.js'
import type { Model, ModelConfig, Policy } from '../runtime/protocol.js'
import type { Schema } from '../tools/schema.js'
import type { Tool } from '../tools/tool.js'
import { checkFields, isRecord, isRule, isText, refuse, shown, type Rule, type Rules } from './check-fields.js'
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
  /** Every call asks, reads too. */
  readonly askAll?: boolean
  /** What the model is shown beside the message, if it can be. */
  readonly files?: readonly AttachedFile[]
  /** The app's, to the model, from this message on. Never what a user, a page or a tool says. */
  readonly instructions?: string
  /** Whether the model must, may or may not call tools, and which. `required` holds until it has called one. */
  readonly toolChoice?: ToolChoice
  /** What the answer must be. The model has two more tries when it is not. */
  readonly answer?: Answer
}

const agentRules: Rules<AgentOptions> = {
  model: isRule.record,
  instructions: [(value) => typeof value === 'string', 'must be a text'],
  tools: [Array.isArray, 'must be an array of what defineTool returns'],
  owner: isRule.text,
  session: isRule.text,
  budget: isRule.record,
  scripts: isRule.flag,
  limits: isRule.record,
  policy: isRule.record,
  guardrails: isRule.record,
  store: [(value) => value === 'indexeddb' || value === 'memory', 'must be "indexeddb" or "memory"'],
  worker: [(value) => typeof value === 'function' || isRecord(value), 'must be a Worker or a function that makes one'],
  dangerouslyAllowKeyInPage: isRule.flag,
}
const guardrail: Rule = [
  (value) => [value].flat().every((each) => typeof each === 'function'),
  'must be a function, or an array of functions',
]
const guardrailRules: Rules<Guardrails> = { input: guardrail, call: guardrail, output: guardrail }
/** What is only the worker's is checked there: the rest of the model, budget, limits and policy. */
const modelRules: Rules<Pick<ModelConfig, 'provider' | 'model'>> = { provider: isRule.text, model: isRule.text }
const runRules: Rules<RunRequest> = {
  allow: isRule.texts,
  readOnly: isRule.flag,
  askAll: isRule.flag,
  files: [Array.isArray, 'must be an array'],
  instructions: isRule.text,
  toolChoice: isRule.record,
  answer: [(value) => typeof value === 'function' || isRecord(value), 'must be a schema'],
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

const isTool = (value: unknown): boolean =>
  isRecord(value) && isRecord(value.definition) && isText(value.definition.name) && typeof value.run === 'function'
