import { expose, wrap } from 'comlink'
import { toFailure, type HandrailError } from '../errors.js'
import type { AgentApi, PageApi, Reply } from '../runtime/protocol.js'

/** The names of an interface's methods, all of them, at run time. */
export type MethodsOf<Api> = Readonly<Record<keyof Api & string, true>>

export const agentMethods: MethodsOf<AgentApi> = {
  open: true,
  run: true,
  follow: true,
  unfollow: true,
  command: true,
  sessions: true,
  deleteSession: true,
  exportRun: true,
  importRun: true,
  deleteRun: true,
  prune: true,
  delta: true,
}

export const pageMethods: MethodsOf<PageApi> = {
  execute: true,
  check: true,
  preview: true,
  guard: true,
  reconcile: true,
  generate: true,
  abort: true,
  notify: true,
}

/** How a worker and its page find each other, before comlink. */
export type Greeting =
  /** From the worker, when its script has run, and for every `hello`. */
  | { readonly handrail: 'ready' }
  /** From the page, for a worker that was ready before anybody listened. */
  | { readonly handrail: 'hello' }
  /** From the page, with the port for comlink. The worker holds the Web Lock of this name for as long as it lives. */
  | { readonly handrail: 'connect'; readonly lock: string }
  /** From the worker: it holds the lock, and answers on the port. */
  | { readonly handrail: 'connected' }

export const greetingOf = (event: MessageEvent): Greeting['handrail'] | undefined =>
  typeof event.data === 'object' ? (event.data as Partial<Greeting> | null)?.handrail : undefined

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>

/**
 * Answers calls on a port. comlink by itself resolves any path of what it exposes, `run.constructor` too, and sets, constructs
 * and releases: only plain calls of the written methods reach it. What a method throws becomes a `Reply`.
 */
export function answerCalls<Api extends object>(port: MessagePort, names: MethodsOf<Api>, api: Api): void {
  const methods = Object.fromEntries(
    Object.keys(names).map((name) => [
      name,
      async (...args: readonly unknown[]) => {
        try {
          return await (api as Methods)[name]?.(...args)
        } catch (error) {
          return { ok: false, failure: toFailure(error) }
        }
      },
    ]),
  )
  expose(methods, {
    postMessage: (message, transfer) => port.postMessage(message, transfer ?? []),
    addEventListener: (type, listener) =>
      port.addEventListener(type, (event) => {
        // comlink listens with a function.
        if (isCall(event, names)) (listener as EventListener)(event)
      }),
    removeEventListener: (type, listener) => port.removeEventListener(type, listener),
  })
  port.start()
}

function isCall(event: Event, names: Readonly<Record<string, true>>): boolean {
  const data = (event as MessageEvent<{ type?: unknown; path?: unknown } | null>).data
  if (typeof data !== 'object' || data?.type !== 'APPLY' || !Array.isArray(data.path)) return false
  return data.path.length === 1 && Object.hasOwn(names, String(data.path[0]))
}

export interface Caller<Api> {
  readonly api: Api
  /** Rejects every open and later call. */
  fail(error: HandrailError): void
}

/** Calls what the other end answers. What can't be cloned, there or back, is a `Reply` that says so. */
export function createCaller<Api extends object>(port: MessagePort, names: MethodsOf<Api>): Caller<Api> {
  const proxy = wrap<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>(port)
  const open = new Set<(error: HandrailError) => void>()
  let failed: HandrailError | undefined
  const call =
    (name: string) =>
    (...args: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        if (failed) return reject(failed)
        open.add(reject)
        const reply = proxy[name]!(...args).catch((error: unknown) => notCloneable(name, error))
        void reply.then(resolve).finally(() => open.delete(reject))
      })
  const api = Object.fromEntries(Object.keys(names).map((name) => [name, call(name)]))
  return {
    api: api as Api,
    fail(error) {
      failed ??= error
      for (const reject of open) reject(failed)
      open.clear()
    },
  }
}

/** Engines quote the function that they cannot clone, and a key may be in it. */
const whyNot = (error: unknown): string =>
  error instanceof DOMException && error.name === 'DataCloneError'
    ? 'it holds what is no data, such as a function'
    : toFailure(error).message

const notCloneable = (name: string, error: unknown): Reply<never> => ({
  ok: false,
  failure: {
    code: 'not_cloneable',
    message: `Cannot send a call of ${name} or its reply to another thread: ${whyNot(error)}`,
    retryable: false,
  },
})
