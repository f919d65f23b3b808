import { HandrailError } from '../errors.js'
import type { AgentApi, PageApi } from '../runtime/protocol.js'
import { agentMethods, answerCalls, createCaller, greetingOf, pageMethods, type Greeting } from './wire.js'

export interface Connection {
  /** Its calls reject with `worker_died` when the worker is dead, and with `agent_closed` after `close`. */
  readonly api: AgentApi
  /** When the worker is found dead: terminated, crashed, closed by itself. Pending for ever after `close`. */
  readonly died: Promise<HandrailError>
  /** Ends the worker. */
  close(): void
}

/**
 * Waits until the worker answers, at most `timeout` milliseconds. A message to a worker whose script failed is lost without a
 * word, so nothing is asked of it before it has greeted.
 * @throws {HandrailError} `worker_failed` if it does not get ready; then it is ended.
 */
export async function connect(worker: Worker, page: PageApi, { timeout = 15_000 } = {}): Promise<Connection> {
  const lock = `handrail-worker-${crypto.randomUUID()}`
  const { port1: port, port2 } = new MessageChannel()
  try {
    await greet(worker, lock, port2, timeout)
  } catch (error) {
    worker.terminate()
    port.close()
    throw error
  }
  const caller = createCaller(port, agentMethods)
  answerCalls(port, pageMethods, page)
  const watch = new AbortController()
  const died = new Promise<HandrailError>((resolve) => {
    const end = (why: string) => {
      const error = new HandrailError('worker_died', `The agent worker died: ${why}`, { retryable: true })
      watch.abort()
      worker.terminate()
      resolve(error)
      caller.fail(error)
      port.close()
    }
    port.addEventListener('messageerror', () => end('it sent a message that cannot be read'))
    navigator.locks
      .request(lock, { signal: watch.signal }, () => end('it was terminated, or it crashed'))
      .catch((error: unknown) => {
        if (!watch.signal.aborted) end(`its lock cannot be watched (${String(error)})`)
      })
  })
  return {
    api: caller.api,
    died,
    close() {
      watch.abort()
      caller.fail(new HandrailError('agent_closed', 'The agent is closed'))
      worker.terminate()
      port.close()
    },
  }
}

function greet(worker: Worker, lock: string, port: MessagePort, timeout: number): Promise<void> {
  const say = (greeting: Greeting, transfer: Transferable[] = []) => worker.postMessage(greeting, transfer)
  const listeners = new AbortController()
  const { signal } = listeners
  const greeted = new Promise<void>((resolve, reject) => {
    const fail = (what: string) => reject(new HandrailError('worker_failed', `Cannot start the agent worker: ${what}`))
    const timer = setTimeout(() => fail(`it is not ready after ${timeout} ms. ${whatToLookAt}`), timeout)
    signal.addEventListener('abort', () => clearTimeout(timer))
    const onError = (event: ErrorEvent) => {
      event.preventDefault()
      fail(event.message ? `it failed with "${event.message}"` : `its script could not be loaded. ${whatToLookAt}`)
    }
    worker.addEventListener('error', onError, { signal })
    let asked = false
    worker.addEventListener(
      'message',
      (event) => {
        const greeting = greetingOf(event)
        if (greeting === 'connected') resolve()
        if (greeting !== 'ready' || asked) return
        asked = true
        say({ handrail: 'connect', lock }, [port])
      },
      { signal },
    )
    say({ handrail: 'hello' })
  })
  return greeted.finally(() => listeners.abort())
}

const whatToLookAt =
  'Look at its URL (is it served, as JavaScript?), at "worker-src" of the page\'s Content-Security-Policy, at the network, and whether its script calls serveAgent'
