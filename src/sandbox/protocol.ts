import type { Json } from '../core/json.js'
import type { FedResult, HostCall, ScriptFailure, ScriptOptions, ScriptTurn } from './script.js'

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
  | { readonly type: 'resume'; readonly fed: FedResult }
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
      return isFed(message.fed)
    case 'end':
      return true
    default:
      return false
  }
}

/** The sender runs code that nobody has read: nothing of its answer is taken on trust. */
export function isSandboxAnswer(message: unknown): message is SandboxAnswer {
  if (!isRecord(message) || !isCount(message.id)) return false
  switch (message.type) {
    case 'ready':
      return typeof message.engine === 'string' && (message.isolation === 'csp' || message.isolation === 'strip-only')
    case 'turns':
      return Array.isArray(message.turns) && message.turns.length > 0 && message.turns.every(isTurn)
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

function isTurn(value: unknown): value is ScriptTurn {
  if (!isRecord(value) || !isNumber(value.cpuMs) || !isCount(value.memoryBytes)) return false
  const { calls, prints, outcome, state, line } = value
  return (
    Array.isArray(calls) &&
    calls.every(isCall) &&
    Array.isArray(prints) &&
    prints.every((line) => typeof line === 'string') &&
    (outcome === undefined || isOutcome(outcome)) &&
    (state === undefined || (isRecord(state) && !Array.isArray(state) && isJson(state))) &&
    (line === undefined || isCount(line))
  )
}

const isCall = (value: unknown): value is HostCall =>
  isRecord(value) && isCount(value.n) && typeof value.toolName === 'string' && isJson(value.input)

function isOutcome(value: unknown): boolean {
  if (!isRecord(value)) return false
  return value.status === 'ok' ? isJson(value.value) : value.status === 'error' && isFailure(value.failure)
}

const isFailure = (value: unknown): value is ScriptFailure =>
  isRecord(value) &&
  typeof value.code === 'string' &&
  typeof value.message === 'string' &&
  typeof value.retryable === 'boolean' &&
  [value.line, value.column].every((at) => at === undefined || isCount(at)) &&
  [value.frame, value.hint].every((text) => text === undefined || typeof text === 'string')

/** How deep a value may be nested: a cycle is deeper than any limit. */
const depthLimit = 512

function isJson(value: unknown, depth = 0): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (depth > depthLimit) return false
      if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1))
      return isPlain(value) && Object.values(value).every((item) => isJson(item, depth + 1))
    default:
      return false
  }
}

const isPlain = (value: object) => Object.getPrototypeOf(value) === Object.prototype
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
