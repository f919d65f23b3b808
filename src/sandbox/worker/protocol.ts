import type { FedResult, ScriptOptions, ScriptTurn } from '../script.js'

/** Agent worker to sandbox worker. Each gets exactly one answer with its id. */
export type SandboxRequest = { readonly id: number } & (
  | { readonly type: 'load'; readonly module: WebAssembly.Module }
  | { readonly type: 'start'; readonly options: ScriptOptions; readonly at: number }
  | {
      readonly type: 'replay'
      readonly options: ScriptOptions
      readonly at: number
      readonly results: readonly FedResult[]
    }
  /** Is answered with fewer turns than results, when they take long: the rest is asked for again. */
  | { readonly type: 'resume'; readonly results: readonly FedResult[] }
  | { readonly type: 'end' }
)

export type SandboxAnswer = { readonly id: number } & (
  | { readonly type: 'ready'; readonly engine: string; readonly isolation: Isolation }
  | { readonly type: 'turns'; readonly turns: readonly ScriptTurn[] }
  | { readonly type: 'ended' }
  | { readonly type: 'failed'; readonly message: string }
)

/** `csp`: the worker's policy forbids imports, so not even an escape from the engine has a network. */
export type Isolation = 'csp' | 'strip-only'

export function isSandboxRequest(message: unknown): message is SandboxRequest {
  if (!isRecord(message) || !isCount(message.id)) return false
  switch (message.type) {
    case 'load':
      return message.module instanceof WebAssembly.Module
    case 'start':
      return isRecord(message.options) && isNumber(message.at)
    case 'replay':
      return (
        isRecord(message.options) &&
        isNumber(message.at) &&
        Array.isArray(message.results) &&
        message.results.every(isFed)
      )
    case 'resume':
      return Array.isArray(message.results) && message.results.length > 0 && message.results.every(isFed)
    case 'end':
      return true
    default:
      return false
  }
}

/** Of turns only that they are a list: what a script may send depends on its limits, and a `TurnReader` knows them. */
export function isSandboxAnswer(message: unknown): message is SandboxAnswer {
  if (!isRecord(message) || !isCount(message.id)) return false
  switch (message.type) {
    case 'ready':
      return typeof message.engine === 'string' && (message.isolation === 'csp' || message.isolation === 'strip-only')
    case 'turns':
      return Array.isArray(message.turns)
    case 'ended':
      return true
    case 'failed':
      return typeof message.message === 'string'
    default:
      return false
  }
}

const isFed = (value: unknown): value is FedResult =>
  isRecord(value) && isCount(value.n) && isNumber(value.at) && isRecord(value.result)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
