import type { Effort } from '../model.js'

/** What a model of the Responses API takes. */
export interface OpenAICapabilities {
  /** It thinks, and may be asked for its thinking, encrypted. */
  readonly reasoning: boolean
  readonly efforts: readonly Effort[]
  /** `temperature` and `top_p`. `unthinking`: only with the effort `none`. */
  readonly sampling: 'always' | 'unthinking' | 'never'
  /** It thinks when no effort is said. */
  readonly thinksUnasked: boolean
  /** Answers that fit a schema. */
  readonly schemas: boolean
  /** `strict` of tools and answers. */
  readonly strict: boolean
  /** Tools that take a text, with a grammar. */
  readonly textTools: boolean
  /** It can be made to call a tool, or a certain one. */
  readonly forcedChoice: boolean
  /** A choice of some of the tools. */
  readonly allowedTools: boolean
  /** Its own search of deferred tools. */
  readonly toolSearch: boolean
  readonly namespaces: boolean
  /** Tools that it is told of in the middle of a conversation. */
  readonly addedTools: boolean
  /** Programs that it runs, in JavaScript. */
  readonly programs: boolean
  readonly images: boolean
  /** PDF, text and office files. */
  readonly documents: boolean
  /** Its thinking may be sent back. */
  readonly reasoningBack: boolean
  /** It tells comments from answers, also in what another model said. */
  readonly phases: boolean
  /** What it says and thinks in a turn stands before its calls. */
  readonly callsLast: boolean
  /** A response that it keeps may be referred to. */
  readonly stored: boolean
  /** It can be told whether a reply may have several calls. */
  readonly parallelCalls: boolean
  /** It finds its prompt cache by a key. */
  readonly cacheKey: boolean
  /** How its prompt cache is told to keep what it has for longer. */
  readonly longCache: 'options' | 'retention' | 'none'
}

export interface OpenAIRow extends OpenAICapabilities {
  /** The models whose name begins with it. Of several rows the longest holds. */
  readonly prefix: string
}

/** The newest models, and those that are not known yet. */
const newest: OpenAICapabilities = {
  reasoning: true,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'never',
  thinksUnasked: true,
  schemas: true,
  strict: true,
  textTools: true,
  forcedChoice: true,
  allowedTools: true,
  toolSearch: true,
  namespaces: true,
  addedTools: true,
  programs: true,
  images: true,
  documents: true,
  reasoningBack: true,
  phases: true,
  callsLast: false,
  stored: true,
  parallelCalls: true,
  cacheKey: true,
  longCache: 'options',
}
const unthinking: OpenAICapabilities = {
  ...newest,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'unthinking',
}
const gpt55: OpenAICapabilities = {
  ...unthinking,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  programs: false,
  longCache: 'retention',
}
const gpt54: OpenAICapabilities = { ...gpt55, thinksUnasked: false }
const gpt52: OpenAICapabilities = { ...gpt54, toolSearch: false, namespaces: false, addedTools: false }
const gpt51: OpenAICapabilities = { ...gpt52, efforts: ['none', 'low', 'medium', 'high'], phases: false }
const gpt5: OpenAICapabilities = {
  ...gpt51,
  efforts: ['minimal', 'low', 'medium', 'high'],
  sampling: 'never',
  thinksUnasked: true,
}
const gpt41: OpenAICapabilities = {
  ...gpt5,
  reasoning: false,
  thinksUnasked: false,
  efforts: [],
  sampling: 'always',
  textTools: false,
}
const gpt4o: OpenAICapabilities = { ...gpt41, longCache: 'none' }
const gpt4: OpenAICapabilities = { ...gpt4o, schemas: false, allowedTools: false, images: false, documents: false }
const oSeries: OpenAICapabilities = {
  ...gpt4o,
  reasoning: true,
  efforts: ['low', 'medium', 'high'],
  sampling: 'never',
  thinksUnasked: true,
}

/** A model that cannot do without thinking. */
const thinking = (model: OpenAICapabilities, ...efforts: readonly Effort[]): OpenAICapabilities => ({
  ...model,
  efforts,
  sampling: 'never',
  thinksUnasked: true,
})

/** Of other makers, and of names that an app gave: what was asked for is tried, and nothing else. */
const unknown: OpenAICapabilities = {
  ...unthinking,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  sampling: 'always',
  textTools: false,
  allowedTools: false,
  namespaces: false,
  addedTools: false,
  phases: false,
  longCache: 'none',
}

export const openAIRows: readonly OpenAIRow[] = [
  { prefix: 'gpt-', ...newest },
  { prefix: 'gpt-6-sol', ...unthinking },
  { prefix: 'gpt-6-luna', ...unthinking },
  { prefix: 'gpt-6.1-sol', ...unthinking },
  { prefix: 'gpt-6.1-terra', ...unthinking },
  { prefix: 'gpt-6.2-sol', ...unthinking },
  { prefix: 'gpt-5.', ...unthinking },
  { prefix: 'gpt-5.5', ...gpt55 },
  { prefix: 'gpt-5.5-pro', ...thinking(gpt55, 'medium', 'high', 'xhigh') },
  { prefix: 'gpt-5.4', ...gpt54 },
  { prefix: 'gpt-5.4-pro', ...thinking(gpt54, 'medium', 'high', 'xhigh') },
  { prefix: 'gpt-5.3', ...gpt52 },
  { prefix: 'gpt-5.3-chat', ...gpt41 },
  { prefix: 'gpt-5.3-codex', ...thinking(gpt52, 'low', 'medium', 'high', 'xhigh') },
  { prefix: 'gpt-5.2', ...gpt52 },
  { prefix: 'gpt-5.2-chat', ...gpt41 },
  { prefix: 'gpt-5.2-codex', ...thinking(gpt52, 'low', 'medium', 'high', 'xhigh') },
  { prefix: 'gpt-5.2-pro', ...thinking(gpt52, 'medium', 'high', 'xhigh') },
  { prefix: 'gpt-5.1', ...gpt51 },
  { prefix: 'gpt-5.1-chat', ...gpt41 },
  { prefix: 'gpt-5.1-codex', ...thinking(gpt51, 'low', 'medium', 'high') },
  { prefix: 'gpt-5.1-codex-max', ...thinking(gpt51, 'low', 'medium', 'high', 'xhigh') },
  { prefix: 'gpt-5', ...gpt5 },
  { prefix: 'gpt-5-chat', ...gpt41 },
  { prefix: 'gpt-5-codex', ...gpt5, efforts: ['low', 'medium', 'high'] },
  { prefix: 'gpt-5-pro', ...gpt5, efforts: ['high'] },
  { prefix: 'gpt-4.1', ...gpt41 },
  { prefix: 'gpt-4.5', ...gpt4o },
  { prefix: 'gpt-4o', ...gpt4o },
  { prefix: 'gpt-4o-2024-05-13', ...gpt4o, schemas: false },
  { prefix: 'chatgpt-', ...gpt4o },
  { prefix: 'gpt-4', ...gpt4 },
  { prefix: 'gpt-4-turbo', ...gpt4, images: true },
  { prefix: 'gpt-3', ...gpt4 },
  { prefix: 'o1', ...oSeries },
  { prefix: 'o3', ...oSeries },
  { prefix: 'o3-mini', ...oSeries, images: false, documents: false },
  { prefix: 'o4', ...oSeries },
  { prefix: 'codex-mini', ...oSeries },
  { prefix: 'gpt-oss', ...oSeries, sampling: 'always', allowedTools: false, images: false, documents: false },
  { prefix: 'deepseek', ...unknown, callsLast: true },
]

/** @param model also with its maker before it, as in `openai/gpt-4o`, or tuned, as in `ft:gpt-4o:…` */
export function openAICapabilities(model: string): OpenAICapabilities {
  const name = model.replace(/^.*\//s, '').replace(/^ft:/, '')
  const isOf = ({ prefix }: OpenAIRow) => name.startsWith(prefix) && !/^\d\d/.test(name.slice(prefix.length - 1))
  const rows = openAIRows.filter(isOf)
  return rows.toSorted((a, b) => b.prefix.length - a.prefix.length)[0] ?? unknown
}
