import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { PageHost } from '../../src/client/page-host.js'
import type { Json } from '../../src/core/json.js'
import type { CheckCall, PageCall } from '../../src/runtime/protocol.js'
import { defineTool, type Tool } from '../../src/tools/tool.js'

const call = (input: Json = {}, callId = '1.0'): PageCall & CheckCall => ({
  toolName: 'save',
  input,
  caller: 'script',
  session: 's',
  runId: 'r',
  callId,
  idempotencyKey: `r:${callId}`,
})
const text = { type: 'string' } as const
const tool = (more: object = {}): Tool =>
  defineTool({
    name: 'save',
    description: 'Saves',
    input: { type: 'object', properties: { order: text, owner: text, at: {} } },
    risk: 'reversible',
    run: () => 1,
    ...more,
  } as never) as Tool
const host = (tools: readonly Tool[], more: object = {}) =>
  new PageHost({ tools, onDelta: () => undefined, onNotice: () => undefined, ...more })
const check = async (more: object, input: Json = {}) =>
  (await host([tool(more)]).check(call(input))) as { value?: Json }

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('check()', () => {
  it('fills first, and asks the others of the filled input, each with what call it is about', async () => {
    const seen: unknown[] = []
    const see = (input: unknown, { signal, ...context }: { signal: AbortSignal }) =>
      void seen.push([input, signal instanceof AbortSignal, context])
    const about = { session: 's', runId: 'r', callId: '1.0' }
    const reply = await check(
      {
        hostInput: {
          owner: (context: { session: string }) => `C-${context.session}`,
          at: async () => new Date(0),
          order: () => undefined,
        },
        check: see,
        approval: { needed: (input: never, context: never) => (see(input, context), false) },
      },
      { order: 'O-1', owner: 'sent by the model' },
    )
    const filled = { owner: 'C-s', at: '1970-01-01T00:00:00.000Z' }
    expect(reply).toEqual({
      ok: true,
      value: { filled, answers: [{ rule: 'check', verdict: 'allow' }], needed: false },
    })
    expect(seen).toEqual([
      [{ order: 'O-1', ...filled }, true, about],
      [{ order: 'O-1', ...filled }, true, about],
    ])
  })

  it("says what the library's schema finds wrong, and asks nothing more of the tool", async () => {
    const own = vi.fn<() => undefined>()
    const input = z.object({ n: z.number().refine((n) => n < 10, 'is too much') })
    expect(await check({ input, check: own, approval: { needed: own } }, { n: 12 })).toEqual({
      ok: true,
      value: { answers: [{ rule: 'check', verdict: 'deny', reason: 'The input is not valid: /n is too much' }] },
    })
    expect(own).not.toHaveBeenCalled()
  })

  it.each<[unknown, object]>([
    [true, { answers: [{ rule: 'check', verdict: 'allow' }], needed: true }],
    [false, { answers: [{ rule: 'check', verdict: 'allow' }], needed: false }],
    [
      'It is a lot.',
      {
        answers: [
          { rule: 'check', verdict: 'allow' },
          { rule: 'risk', verdict: 'ask', reason: 'It is a lot.' },
        ],
      },
    ],
  ])('tells that %j is needed', async (needed, value) => {
    expect(await check({ approval: { needed: async () => needed } })).toEqual({ ok: true, value })
  })

  it.each([null, undefined, '', ' ', 1, { ask: 'x' }])('takes %j for no answer of "needed"', async (needed) => {
    expect(await check({ approval: { needed: () => needed } })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_check', message: expect.stringContaining('"approval.needed" of tool "save"') },
    })
  })

  it.each([null, true, 'deny', {}, { deny: '' }, { deny: 1 }, { ask: undefined }])(
    'takes %j for no answer of a check',
    async (answer) => {
      expect(await check({ check: () => answer })).toMatchObject({ ok: false, failure: { code: 'invalid_check' } })
    },
  )

  it('fails with whatever the functions throw, which the gate takes for a no', async () => {
    const offline = () => Promise.reject(new Error('offline'))
    for (const more of [{ check: offline }, { hostInput: { owner: offline } }, { approval: { needed: offline } }])
      expect(await check(more)).toMatchObject({ ok: false, failure: { message: 'offline' } })
    expect(await check({ hostInput: { owner: () => 1n } })).toMatchObject({ failure: { code: 'host_input_not_json' } })
  })

  it.each<[string, object]>([
    ['"hostInput.owner" of tool "save"', { hostInput: { owner: () => new Promise(() => undefined) } }],
    ['"check" of "save"', { check: () => new Promise(() => undefined) }],
    ['"approval.needed" of "save"', { approval: { needed: () => new Promise(() => undefined) } }],
  ])('does not wait for ever for %s', async (name, more) => {
    vi.useFakeTimers()
    const reply = check(more)
    await vi.advanceTimersByTimeAsync(9000)
    expect(await reply).toMatchObject({
      ok: false,
      failure: { code: 'check_timeout', message: `${name} gave no answer within 9000 ms` },
    })
  })
})

describe('preview()', () => {
  it('gives what the dry run returns, and fails where there is none', async () => {
    const previews = tool({ approval: { preview: ({ order }: { order: string }) => ({ would: order }) } })
    expect(await host([previews]).preview(call({ order: 'O-1' }))).toEqual({ ok: true, value: { would: 'O-1' } })
    expect(await host([tool()]).preview(call())).toMatchObject({ failure: { code: 'no_preview' } })
    const odd = tool({ approval: { preview: () => 1n } })
    expect(await host([odd]).preview(call())).toMatchObject({ failure: { code: 'preview_not_json' } })
  })
})

describe('guardrails', () => {
  const subject = { session: 's', runId: 'r', callId: '1.0', toolName: 'save', output: { a: 1 } }

  it('see each call with what the app fills, and cannot change it', async () => {
    const seen: unknown[] = []
    const spoil = (given: { input: { owner: string } }) =>
      void (seen.push(structuredClone(given)), (given.input.owner = 'x'))
    const look = (given: unknown) => void seen.push(given)
    const page = host([tool({ hostInput: { owner: () => 'C-1' } })], { guardrails: { call: [spoil, look] } })
    expect(await page.check(call())).toMatchObject({ value: { filled: { owner: 'C-1' } } })
    const about = { session: 's', runId: 'r', callId: '1.0' }
    const expected = { ...about, toolName: 'save', input: { owner: 'C-1' }, caller: 'script' }
    expect(seen).toEqual([expected, expected])
  })

  it('all have their say beside the tool, also of what is no tool of the page', async () => {
    const guardrails = { call: [() => ({ ask: 'Sure?' }), () => 'allow', () => ({ deny: 'No.' })] }
    const own = [
      { rule: 'guardrail', verdict: 'ask', reason: 'Sure?' },
      { rule: 'guardrail', verdict: 'allow' },
      { rule: 'guardrail', verdict: 'deny', reason: 'No.' },
    ]
    expect(await host([tool()], { guardrails }).check(call())).toEqual({
      ok: true,
      value: { answers: [{ rule: 'check', verdict: 'allow' }, ...own] },
    })
    expect(await host([], { guardrails }).check(call())).toEqual({ ok: true, value: { answers: own } })
    expect(await host([]).check(call())).toMatchObject({ failure: { code: 'unknown_tool' } })
  })

  it('are over messages and outputs too', async () => {
    const guardrails = {
      input: ({ text: said }: { text: string }) => (said.includes('!') ? { ask: 'Loud.' } : undefined),
      output: ({ output }: { output: { a: number } }) => (output.a > 0 ? { deny: 'Secret.' } : 'allow'),
    }
    const page = host([], { guardrails })
    const message = { on: 'input', session: 's', runId: 'r', text: 'Hi!' } as const
    expect(await page.guard(message)).toEqual({
      ok: true,
      value: [{ rule: 'guardrail', verdict: 'ask', reason: 'Loud.' }],
    })
    expect(await page.guard({ on: 'output', ...subject })).toEqual({
      ok: true,
      value: [{ rule: 'guardrail', verdict: 'deny', reason: 'Secret.' }],
    })
    expect(await host([]).guard(message)).toEqual({ ok: true, value: [] })
  })

  it.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('offline'))],
    ['answers with what is none', () => false],
    ['hangs', () => new Promise(() => undefined)],
  ])('deny when one %s', async (_, output) => {
    vi.useFakeTimers()
    const reply = host([], { guardrails: { output } }).guard({ on: 'output', ...subject })
    await vi.advanceTimersByTimeAsync(9000)
    expect(await reply).toMatchObject({
      value: [{ rule: 'guardrail', verdict: 'deny', reason: expect.stringMatching(/^A guardrail failed: /) }],
    })
  })
})

describe('locks', () => {
  /** What the browser does, for one page. */
  function stubLocks() {
    const held = new Map<string, Promise<unknown>>()
    const order: string[] = []
    const request = async (name: string, { signal }: { signal: AbortSignal }, work: () => Promise<unknown>) => {
      const before = held.get(name)
      if (before)
        await Promise.race([
          before.catch(() => undefined),
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
        ])
      signal.throwIfAborted()
      order.push(name)
      const done = work()
      held.set(name, done)
      return done
    }
    vi.stubGlobal('navigator', { locks: { request } })
    return order
  }

  it('are held around the act, in one order, once each', async () => {
    const order = stubLocks()
    const locked = tool({
      once: { locks: ({ order: id }: { order: string }) => ['b', id, 'b'] },
      run: () => order.length,
    })
    expect(await host([locked]).execute('1', call({ order: 'a' }))).toEqual({ ok: true, value: 2 })
    expect(order).toEqual(['handrail-tool:a', 'handrail-tool:b'])
  })

  it('let one call wait for another', async () => {
    stubLocks()
    const events: string[] = []
    let finish: () => void = () => undefined
    const run = async (_: unknown, { callId }: { callId: string }) => {
      events.push(`begin ${callId}`)
      if (callId === '1.0') await new Promise<void>((resolve) => (finish = resolve))
      events.push(`end ${callId}`)
    }
    const page = host([tool({ once: { locks: ['desk'] }, run })])
    const first = page.execute('1', call({}, '1.0'))
    await vi.waitFor(() => expect(events).toEqual(['begin 1.0']))
    const second = page.execute('2', call({}, '1.1'))
    finish()
    await Promise.all([first, second])
    expect(events).toEqual(['begin 1.0', 'end 1.0', 'begin 1.1', 'end 1.1'])
  })

  it('that cannot be had within half of the timeout are a refusal, which can be tried again', async () => {
    vi.useFakeTimers()
    stubLocks()
    const run = vi.fn<() => Promise<unknown>>(() => new Promise(() => undefined))
    const page = host([tool({ once: { locks: ['desk'] }, limits: { timeout: 2000 }, run })])
    void page.execute('1', call({}, '1.0'))
    await vi.advanceTimersByTimeAsync(1)
    const second = page.execute('2', call({}, '1.1'))
    await vi.advanceTimersByTimeAsync(1000)
    expect(await second).toMatchObject({ failure: { code: 'locked', retryable: true, refused: true } })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('are not waited for by a call that was aborted', async () => {
    stubLocks()
    const run = vi.fn<() => Promise<unknown>>(() => new Promise(() => undefined))
    const page = host([tool({ once: { locks: ['desk'] }, run })])
    void page.execute('1', call({}, '1.0'))
    await vi.waitFor(() => expect(run).toHaveBeenCalled())
    const second = page.execute('2', call({}, '1.1'))
    page.abort('2')
    expect(await second).toMatchObject({ failure: { code: 'aborted', refused: true } })
  })

  it('whose names are none are a refusal, and so is a browser that gives none', async () => {
    stubLocks()
    for (const locks of [() => 'desk', () => [1], () => [''], () => Promise.resolve(['desk'])])
      expect(await host([tool({ once: { locks } })]).execute('1', call())).toMatchObject({
        failure: { code: 'invalid_locks', refused: true },
      })
    vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(new Error('insecure')) } })
    expect(await host([tool({ once: { locks: ['a'] } })]).execute('1', call())).toMatchObject({
      failure: { code: 'locked', refused: true, message: expect.stringContaining('insecure') },
    })
  })

  it('do not hide what the tool itself throws', async () => {
    stubLocks()
    const run = () => Promise.reject(new Error('Broken'))
    expect(await host([tool({ once: { locks: ['a'] }, run })]).execute('1', call())).toEqual({
      ok: false,
      failure: { code: 'failed', message: 'Broken', retryable: false },
    })
  })
})
