import type { AgentOptions } from 'handrail'
import { promptApiModel } from 'handrail/prompt-api'
import { scriptedDesk } from './scripted-desk.js'

export const providers = ['openai', 'anthropic', 'gemini', 'openai-compatible'] as const
export type Provider = (typeof providers)[number]

export const providerNames: Readonly<Record<Provider, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  'openai-compatible': 'another server with the API of OpenAI',
}

/** An endpoint of the person's own. */
export interface Endpoint {
  readonly provider: Provider
  readonly baseURL: string
  readonly model: string
  /** Empty: the endpoint needs none, or adds it itself. */
  readonly apiKey: string
}

/** Kept for this tab only, because of the key. */
const place = 'order-desk.endpoint'

export function loadEndpoint(): Endpoint | undefined {
  const stored = sessionStorage.getItem(place)
  if (stored === null) return undefined
  try {
    return toEndpoint(JSON.parse(stored))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function saveEndpoint(endpoint: Endpoint | undefined): void {
  if (endpoint) sessionStorage.setItem(place, JSON.stringify(endpoint))
  else sessionStorage.removeItem(place)
}

export function toEndpoint(value: unknown): Endpoint | undefined {
  const { provider, baseURL, model, apiKey } = (value ?? {}) as Partial<Record<keyof Endpoint, unknown>>
  const known = providers.find((name) => name === provider)
  if (!known || typeof baseURL !== 'string' || typeof model !== 'string' || typeof apiKey !== 'string') return undefined
  if (!URL.canParse(baseURL) || model.trim() === '') return undefined
  return { provider: known, baseURL, model, apiKey }
}

/** The address asks for the model that the browser has built in. */
export const isBuiltIn = new URLSearchParams(location.search).get('model') === 'prompt-api'
/** Where that is asked for; undefined in a browser without one. */
export const builtInAddress = 'LanguageModel' in globalThis && !isBuiltIn ? '?model=prompt-api' : undefined

/** What `createAgent` needs to know of the model. */
export function toAgentModel(
  endpoint: Endpoint | undefined,
): Pick<AgentOptions, 'model' | 'scripts' | 'dangerouslyAllowKeyInPage'> {
  // What scripts are would fill half of its window.
  if (!endpoint && isBuiltIn) return { model: promptApiModel(), scripts: false }
  if (!endpoint) return { model: scriptedDesk }
  const { provider, baseURL, model, apiKey } = endpoint
  if (apiKey === '') return { model: { provider, baseURL, model } }
  return { model: { provider, baseURL, model, apiKey }, dangerouslyAllowKeyInPage: true }
}
