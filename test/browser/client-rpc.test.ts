import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, type Connection } from '../../src/client/rpc.js'
import { HandrailError } from '../../src/errors.js'
import type { PageApi } from '../../src/runtime/protocol.js'

const workers = {
  relay: () => new Worker(new URL('./fixtures/client/relay.worker.ts', import.meta.url), { type: 'module' }),
  late: () => new Worker(new URL('./fixtures/client/late.worker.ts', import.meta.url), { type: 'module' }),
  throwing: () => new Worker(new URL('./fixtures/client/throwing.worker.ts', import.meta.url), { type: 'module' }),
  silent: () => new Worker(new URL('./fixtures/client/silent.worker.ts', import.meta.url), { type: 'module' }),
  refusing: () => new Worker(new URL('./fixtures/client/refusing.worker.ts', import.meta.url), { type: 'module' }),
}

const nothing = async () => ({ ok: true as const, value: null as never })
const page: PageApi = {
  execute: nothing,
  check: nothing,
  preview: nothing,
  guard: nothing,
  reconcile: nothing,
  generate: nothing,
  abort() {},
  notify() {},
}

let open: Connection | undefined
afterEach(() => open?.close())

async function start(spawn = workers.relay, api = page) {
  const worker = spawn()
  open = await connect(worker, api)
  const ask = (task: string, rest: object = {}) =>
    open!.api.run('s', JSON.stringify({ task, ...rest }), { runId: 'r' }) as Promise<unknown>
  return { worker, connection: open, ask }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => `resolved: ${JSON.stringify(value)}`,
    (error: unknown) => (HandrailError.is(error) ? error.code : `not ours: ${String(error)}`),
  )

describe('connect()', () => {
  it('waits for a worker that serves late', async () => {
    const { ask } = await start(workers.late)
    expect(await ask('deltas')).toEqual({ ok: true, value: [] })
  })

  it('connects to a worker that was ready before anybody listened', async () => {
    const worker = workers.relay()
    await new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }))
    open = await connect(worker, page)
    expect((await open.api.sessions()).ok).toBe(true)
  })

  it('says that a script could not be loaded, and where to look', async () => {
    const missing = new Worker('/no/such/agent.worker.js?worker_file', { type: 'module' })
    await expect(connect(missing, page)).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringMatching(/could not be loaded.*URL.*Content-Security-Policy.*network/),
    })
  })

  it('says what a script threw while it was loaded', async () => {
    await expect(connect(workers.throwing(), page)).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining('no such setting'),
    })
  })

  it('says what the agent threw while it was made', async () => {
    await expect(connect(workers.refusing(), page)).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining('no sandbox here'),
    })
  })

  it('gives up a worker that never serves', async () => {
    await expect(connect(workers.silent(), page, { timeout: 400 })).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringMatching(/not ready after 400 ms.*serveAgent/),
    })
  })
})

describe('a dead worker', () => {
  /** The browser lets a script that spins go on for two seconds. */
  const deaths: Record<string, { within: number; kill: (started: Awaited<ReturnType<typeof start>>) => void }> = {
    'terminated from outside': { within: 1_000, kill: ({ worker }) => worker.terminate() },
    'closed by itself': { within: 1_000, kill: ({ ask }) => void ask('close').catch(() => undefined) },
    'terminated while it spins': {
      within: 5_000,
      kill: ({ worker, ask }) => {
        ask('spin').catch(() => undefined)
        setTimeout(() => worker.terminate(), 50)
      },
    },
  }
  it.each(Object.entries(deaths))('that was %s rejects open and later calls', async (_, { within, kill }) => {
    const started = await start()
    const pending = started.ask('hang')
    const at = performance.now()
    kill(started)
    expect(await codeOf(pending)).toBe('worker_died')
    expect(performance.now() - at).toBeLessThan(within)
    expect(await codeOf(started.ask('deltas'))).toBe('worker_died')
    expect((await started.connection.died).code).toBe('worker_died')
  })

  it('is not one that only threw an error nobody caught', async () => {
    const { ask, worker } = await start()
    const thrown = new Promise<ErrorEvent>((resolve) =>
      worker.addEventListener('error', (event) => {
        event.preventDefault()
        resolve(event)
      }),
    )
    await ask('later', { message: 'not caught' })
    expect((await thrown).message).toContain('not caught')
    expect(await ask('deltas')).toEqual({ ok: true, value: [] })
  })

  it('rejects its calls with agent_closed when it was closed here', async () => {
    const { ask, connection } = await start()
    const pending = ask('hang')
    connection.close()
    expect(await codeOf(pending)).toBe('agent_closed')
    expect(await codeOf(ask('deltas'))).toBe('agent_closed')
  })
})

describe('the wire', () => {
  it('makes a value that cannot be cloned an error reply, in every direction', async () => {
    const uncloneable = { ok: true, value: () => 1 } as never
    const { ask, connection } = await start(workers.relay, { ...page, check: async () => uncloneable })
    const notCloneable = { ok: false, failure: { code: 'not_cloneable' } }
    expect(await ask('function')).toMatchObject(notCloneable)
    expect(await connection.api.run('s', (() => 1) as never, { runId: 'r' })).toMatchObject(notCloneable)
    expect(await ask('call', { method: 'check', args: ['t', null] })).toMatchObject({ value: notCloneable })
  })

  it('makes what a method throws an error reply, in both directions', async () => {
    const broken = async () => {
      throw new HandrailError('broken', 'It is broken', { retryable: true })
    }
    const { ask } = await start(workers.relay, { ...page, reconcile: broken })
    expect(await ask('fail')).toMatchObject({ ok: false, failure: { message: 'out of order' } })
    expect(await ask('call', { method: 'reconcile', args: [{}] })).toMatchObject({
      value: { ok: false, failure: { code: 'broken', message: 'It is broken', retryable: true } },
    })
  })

  it('answers no path but the written methods', async () => {
    const { port1, port2 } = new MessageChannel()
    const worker = new MessagePortWorker(port1)
    const notified = vi.fn<(notice: unknown) => void>()
    const connecting = connect(worker as unknown as Worker, { ...page, notify: notified })
    const port = await worker.connected
    open = await connecting
    const answers: unknown[] = []
    port.addEventListener('message', ({ data }) => answers.push(data))
    port.start()
    const forge = (id: string, rest: object) => port.postMessage({ id, argumentList: [], ...rest })
    forge('1', { type: 'APPLY', path: ['notify', 'constructor'] })
    forge('2', { type: 'APPLY', path: ['constructor'] })
    forge('3', { type: 'APPLY', path: ['__proto__', 'toString'] })
    forge('4', { type: 'GET', path: ['notify'] })
    forge('5', { type: 'SET', path: ['notify'], value: { type: 'RAW', value: 1 } })
    forge('6', { type: 'CONSTRUCT', path: ['notify', 'constructor'] })
    forge('7', { type: 'ENDPOINT', path: [] })
    forge('8', { type: 'RELEASE', path: [] })
    forge('9', { type: 'APPLY', path: ['notify'], argumentList: [{ type: 'RAW', value: 'hello' }] })
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    expect(answers).toMatchObject([{ id: '9' }])
    expect(notified).toHaveBeenCalledExactlyOnceWith('hello')
    port2.close()
  })
})

/** The other end of a connection, in this thread: what an agent worker that was taken over could send. */
class MessagePortWorker extends EventTarget {
  #found!: (port: MessagePort) => void
  readonly connected = new Promise<MessagePort>((resolve) => (this.#found = resolve))

  constructor(readonly port: MessagePort) {
    super()
  }
  postMessage({ handrail, lock }: { handrail: string; lock: string }, [port]: MessagePort[]): void {
    if (handrail === 'hello') return this.#say('ready')
    void navigator.locks.request(lock, () => {
      this.#found(port!)
      this.#say('connected')
      return new Promise(() => undefined)
    })
  }
  terminate(): void {
    this.port.close()
  }
  #say(handrail: string): void {
    this.dispatchEvent(new MessageEvent('message', { data: { handrail } }))
  }
}
