import { afterEach, describe, expect, it } from 'vitest'
import { compileEngine } from '../../src/sandbox/worker/compile.js'
import { createRemoteSandbox } from '../../src/sandbox/worker/remote.js'
import { at, failureOf, ok, startScript, valueOf } from '../conformance/run-script.js'
import { createBrowserSandbox, engineModule } from './sandbox-workers.js'

/** Loops of the engine in C, which never ask whether to stop. */
const endlessInC = [
  ['reverse', `Array.prototype.reverse.call({ length: 2 ** 53 - 1 })`],
  ['copyWithin', `Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0)`],
  ['unshift', `Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1)`],
  ['indexOf', `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`],
  ['splice', `Array.prototype.splice.call({ length: 2 ** 53 - 2 }, 0, 0, 1)`],
] as const

const fromSource = (source: string) =>
  new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type: 'module' })

const started: { end(): void }[] = []
afterEach(() => {
  for (const script of started.splice(0)) script.end()
})
function start(...args: Parameters<typeof startScript>) {
  const script = startScript(...args)
  started.push(script)
  return script
}

describe('the watchdog', () => {
  it.each(endlessInC)('ends a loop of the engine that cannot be interrupted: %s', async (_, code) => {
    const { sandbox, workers } = createBrowserSandbox()
    await valueOf(sandbox, 'return 1')
    expect(await failureOf(sandbox, code, { limits: { cpuMs: 100 } })).toMatch(/^script_cpu/)
    expect(await valueOf(sandbox, 'return 1')).toBe(1)
    expect(workers.length).toBeGreaterThan(1)
  })

  it('lets a warm worker take over at once', async () => {
    const { sandbox } = createBrowserSandbox()
    const waiting = start(sandbox, 'await tools.echo()')
    await waiting.start(at)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const hung = start(sandbox, endlessInC[0][1], { limits: { cpuMs: 1 } })
    expect((await hung.start(at)).outcome).toMatchObject({ failure: { code: 'script_cpu' } })
    expect(await valueOf(sandbox, 'return 1')).toBe(1)
    expect((await waiting.resume({ n: 0, at, result: ok(1) })).outcome).toEqual(ok(1))
  })
})

describe('the workers', () => {
  it('run four scripts at a time', async () => {
    const { sandbox, workers } = createBrowserSandbox()
    const scripts = Array.from({ length: 5 }, () => start(sandbox, 'return await tools.echo()'))
    let isFifthRunning = false
    const turns = scripts.map((script) => script.start(at))
    void turns[4]!.then(() => (isFifthRunning = true))
    await Promise.all(turns.slice(0, 4))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isFifthRunning).toBe(false)
    scripts[0]!.end()
    expect(await turns[4]).toMatchObject({ calls: [{ n: 0 }] })
    expect(workers.length).toBe(4)
  })

  it('take the scripts that wait in the order in which they came', async () => {
    const { sandbox } = createBrowserSandbox({ maxWorkers: 1 })
    const ended: number[] = []
    await Promise.all(
      [0, 1, 2, 3].map(async (i) => {
        await start(sandbox, 'return 1').start(at)
        ended.push(i)
      }),
    )
    expect(ended).toEqual([0, 1, 2, 3])
  })

  it('are used again by a hundred scripts one after the other', async () => {
    const { sandbox, workers } = createBrowserSandbox()
    for (let i = 0; i < 100; i++) expect(await valueOf(sandbox, `return await tools.echo({ i: ${i} })`)).toEqual({ i })
    expect(workers.length).toBeLessThanOrEqual(2)
  })

  it('are free again when a script that waits is ended', async () => {
    const { sandbox, workers } = createBrowserSandbox({ maxWorkers: 1 })
    const script = start(sandbox, 'await tools.echo()')
    await script.start(at)
    script.end()
    expect(await valueOf(sandbox, 'return 1')).toBe(1)
    expect(workers.length).toBe(1)
    expect(await script.resume({ n: 0, at, result: ok(1) })).toMatchObject({
      outcome: { failure: { code: 'script_crashed' } },
    })
  })

  it('are terminated when a script that computes is ended', async () => {
    const { sandbox } = createBrowserSandbox({ maxWorkers: 1 })
    const script = start(sandbox, 'for (;;);', { limits: { cpuMs: 60_000 } })
    const turn = script.start(at)
    await new Promise((resolve) => setTimeout(resolve, 500))
    script.end()
    expect(await turn).toMatchObject({ outcome: { failure: { code: 'script_crashed' } } })
    expect(await valueOf(sandbox, 'return 1')).toBe(1)
  })

  it('let a script that stands in line be ended', async () => {
    const { sandbox } = createBrowserSandbox({ maxWorkers: 1 })
    const first = start(sandbox, 'await tools.echo()')
    await first.start(at)
    const second = start(sandbox, 'return 2')
    const turn = second.start(at)
    second.end()
    expect(await turn).toMatchObject({ outcome: { failure: { code: 'script_crashed' } } })
    expect((await first.resume({ n: 0, at, result: ok(1) })).outcome).toEqual(ok(1))
  })
})

describe('a worker that cannot be used ends the script, and never hangs', () => {
  it('when its file is not there', async () => {
    const { sandbox } = createBrowserSandbox({ spawn: () => new Worker('/no-such-worker.js', { type: 'module' }) })
    expect(await failureOf(sandbox, 'return 1')).toMatch(/^script_crashed: .*The sandbox worker failed/)
  })

  it('when it throws at its start', async () => {
    const { sandbox } = createBrowserSandbox({ spawn: () => fromSource('throw new Error("no")') })
    expect(await failureOf(sandbox, 'return 1')).toMatch(/^script_crashed: .*The sandbox worker failed/)
  })

  it('when it may not be made', async () => {
    const refuse = () => {
      throw new TypeError('This policy allows no workers')
    }
    expect(await failureOf(createRemoteSandbox({ spawn: refuse, module: engineModule }), 'return 1')).toMatch(
      /^script_crashed: .*no workers/,
    )
  })

  it('and says nothing of a script that is to be replayed', async () => {
    const { sandbox } = createBrowserSandbox({ spawn: () => new Worker('/no-such-worker.js', { type: 'module' }) })
    await expect(start(sandbox, 'await tools.echo()').replay(at, [{ n: 0, at, result: ok(1) }])).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      retryable: true,
    })
  })

  it('when the engine cannot be had, until it can', async () => {
    let isThere = false
    const module = () => (isThere ? engineModule() : compileEngine('/index.html?no-wasm'))
    const { sandbox } = createBrowserSandbox({ module })
    expect(await failureOf(sandbox, 'return 1')).toMatch(
      /^script_crashed: .*Cannot load the sandbox engine from \/index.html/,
    )
    isThere = true
    expect(await valueOf(sandbox, 'return 1')).toBe(1)
  })

  it.each([
    ['answers what is no answer', `onmessage = ({ data }) => postMessage('hello')`],
    [
      'runs another engine',
      `onmessage = ({ data: { id } }) => postMessage({ id, type: 'ready', engine: 'other', isolation: 'csp' })`,
    ],
    ['answers nobody', `onmessage = () => postMessage({ id: 77, type: 'ended' })`],
  ])('when it %s', async (_, source) => {
    const { sandbox } = createBrowserSandbox({ spawn: () => fromSource(source) })
    expect(await failureOf(sandbox, 'return 1')).toMatch(/^script_crashed/)
  })

  it.each([
    ['a tool that the script does not have', `{ n: 0, toolName: 'delete_all', input: {} }`],
    ['a number out of order', `{ n: 5, toolName: 'echo', input: {} }`],
    ['an input that is not JSON', `{ n: 0, toolName: 'echo', input: { a: new Map() } }`],
    [
      'an input in a cycle',
      `(() => { const c = { n: 0, toolName: 'echo', input: {} }; c.input.c = c.input; return c })()`,
    ],
  ])('when it claims a call of %s', async (_, call) => {
    const source = `onmessage = ({ data: { id, type } }) => postMessage(type === 'load'
      ? { id, type: 'ready', engine: ${JSON.stringify(createBrowserSandbox().sandbox.engine)}, isolation: 'csp' }
      : { id, type: 'turns', turns: [{ calls: [${call}], prints: [], cpuMs: 0, memoryBytes: 0 }] })`
    const { sandbox } = createBrowserSandbox({ spawn: () => fromSource(source) })
    expect(await start(sandbox, 'return 1').start(at)).toMatchObject({
      calls: [],
      outcome: { failure: { code: 'script_crashed' } },
    })
  })
})

describe('the engine', () => {
  it('is refused when its URL answers with a page', async () => {
    await expect(compileEngine('/')).rejects.toThrow(/begins with "3c 21 64 6f", not with wasm/)
  })

  it('is refused when its URL is not there', async () => {
    await expect(compileEngine('http://127.0.0.1:9/x.wasm')).rejects.toThrow('it cannot be reached')
  })
})

describe('isolation', () => {
  it('is told as strip-only where the worker has no policy', async () => {
    const { sandbox } = createBrowserSandbox()
    await valueOf(sandbox, 'return 1')
    expect(sandbox.isolation).toBe('strip-only')
  })

  it('leaves a worker no way to network, storage or other workers', async () => {
    const names = [
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'indexedDB',
      'caches',
      'navigator',
      'Worker',
      'BroadcastChannel',
      'URL',
      'Blob',
      'importScripts',
      'setInterval',
      'WebTransport',
      'EventSource',
      'crypto',
    ]
    const entry = new URL('../../src/sandbox/worker/strip-globals.ts', import.meta.url).href
    const worker = fromSource(`import { stripGlobals } from ${JSON.stringify(entry)}
      const left = stripGlobals()
      postMessage([left, ${JSON.stringify(names)}.filter((name) => globalThis[name] !== undefined), location])`)
    const [left, found, location] = await new Promise<[string[], string[], unknown]>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data as [string[], string[], unknown])
      worker.onerror = (event) => reject(new Error(event.message))
    })
    worker.terminate()
    expect(found).toEqual([])
    expect(location).toEqual({ href: '' })
    expect(left.filter((name) => !['TEMPORARY', 'PERSISTENT'].includes(name))).toEqual([])
  })
})
