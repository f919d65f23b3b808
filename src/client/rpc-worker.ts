import type { AgentApi, PageApi } from '../runtime/protocol.js'
import { agentMethods, answerCalls, createCaller, greetingOf, pageMethods, type Greeting } from './wire.js'

/**
 * Makes this worker an agent worker: waits for its page, then answers it. To be called once, while the script is first run or
 * later. What `create` throws fails the page's connection.
 */
export function serveAgent(create: (page: PageApi) => AgentApi): void {
  const say = (handrail: 'ready' | 'connected') => self.postMessage({ handrail } satisfies Greeting)
  let connected = false
  self.addEventListener('message', (event: MessageEvent) => {
    const greeting = greetingOf(event)
    if (greeting === 'hello') say('ready')
    const [port] = event.ports
    if (greeting !== 'connect' || connected || !port) return
    connected = true
    holdLock(String((event.data as { lock: unknown }).lock))
      .then(() => {
        answerCalls(port, agentMethods, create(createCaller(port, pageMethods).api))
        say('connected')
      })
      .catch(reportError)
  })
  say('ready')
}

/** Until this thread ends, however it ends: what the page takes for its death. */
const holdLock = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const forever = () => {
      resolve()
      return new Promise(() => undefined)
    }
    navigator.locks.request(name, forever).catch(reject)
  })
