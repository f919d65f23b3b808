import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { PageHost } from '../../src/client/page-host.js'
import { HandrailError, ToolError } from '../../src/errors.js'
import type { CheckCall, Model, ModelDelta, ModelRequest, PageCall } from '../../src/runtime/protocol.js'
import { defineTool, type Tool, type ToolContext } from '../../src/tools/tool.js'

const anything = { type: 'object' } as const
const write = (run: (input: never, context: ToolContext) => unknown, more: object = {}): Tool =>
  defineTool({
    name: 'save',
    description: 'Saves',
    input: anything,
    risk: 'reversible',
    run: run as never,
    ...more,
  }) as Tool
const read = (run: (input: never, context: ToolContext) => unknown): Tool =>
  defineTool({ name: 'look', description: 'Looks', input: anything, risk: 'read', run: run as never }) as Tool

const call = (toolName: string, input: PageCall['input'] = {}): PageCall => ({
  toolName,
  input,
  session: 's',
  runId: 'r',
  callId: '1.0',
  idempotencyKey: 'r:1.0',
})
const asked = (toolName: string, input: CheckCall['input'] = {}): CheckCall => ({
  toolName,
  input,
  caller: 'model',
  session: 's',
  runId: 'r',
  callId: '1.0',
})
const host = (
  tools: readonly Tool[],
  model?: Model,
  onDelta: (id: string, delta: ModelDelta) => void = () => undefined,
) => new PageHost({ tools, ...(model && { model }), onDelta, onNotice: () => undefined })

const refusal = (code: string) => ({ ok: false, failure: { code, refused: true } })

/** Long enough for a call to reach its tool. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('execute()', () => {
  it('hands the tool its input, its key and its ids', async () => {
    const seen = vi.fn<(input: unknown, context: unknown) => void>()
    const reply = await host([
      write((input, { signal, ...context }) => (seen(input, context), { done: !signal.aborted })),
    ]).execute('x', call('save', { a: 1 }))
    expect(reply).toEqual({ ok: true, value: { done: true } })
    expect(seen).toHaveBeenCalledExactlyOnceWith({ a: 1 }, { runId: 'r', callId: '1.0', idempotencyKey: 'r:1.0' })
  })

  it.each(['constructor', '__proto__', 'toString', 'nope'])('finds no tool named %s', async (name) => {
    expect(await host([write(() => 1)]).execute('x', call(name))).toMatchObject(refusal('unknown_tool'))
  })

  it('gives the tool what its schema makes of the input, and refuses what it finds wrong', async () => {
    const id = z
      .string()
      .trim()
      .refine((text) => text !== 'O-0', 'is not an order')
    const schema = z.object({ id, n: z.number().default(7) })
    const run = vi.fn<(input: unknown) => unknown>((input) => input)
    const tools = [write(run, { input: schema })]
    expect(await host(tools).execute('x', call('save', { id: ' O-1 ' }))).toEqual({
      ok: true,
      value: { id: 'O-1', n: 7 },
    })
    expect(await host(tools).execute('x', call('save', { id: 'O-0' }))).toMatchObject({
      failure: { code: 'invalid_input', message: expect.stringContaining('/id is not an order'), refused: true },
    })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('marks only a ToolError as a refusal, also one of another copy of the library', async () => {
    const foreign = Object.assign(new Error('Sold out'), {
      [Symbol.for('handrail.error')]: true,
      name: 'ToolError',
      code: 'sold_out',
      retryable: true,
    })
    const failing = (error: unknown) => host([write(() => Promise.reject(error as Error))]).execute('x', call('save'))
    expect(await failing(new ToolError('sold_out', 'Sold out', { retryable: true }))).toEqual({
      ok: false,
      failure: { code: 'sold_out', message: 'Sold out', retryable: true, refused: true },
    })
    expect(await failing(foreign)).toMatchObject(refusal('sold_out'))
    expect(await failing(new HandrailError('odd', 'Odd'))).toEqual({
      ok: false,
      failure: { code: 'odd', message: 'Odd', retryable: false },
    })
    expect(await failing(new TypeError('x is not a function'))).toEqual({
      ok: false,
      failure: { code: 'failed', message: 'x is not a function', retryable: false },
    })
  })

  it('says of an output that is not JSON that the tool ran', async () => {
    expect(await host([write(() => ({ total: 3n }))]).execute('x', call('save'))).toEqual({
      ok: false,
      failure: {
        code: 'output_not_json',
        message: 'Cannot use the output of save: it must be JSON, and there is a bigint at /total',
        retryable: false,
        ran: true,
      },
    })
  })

  const untilAborted = (_: never, { signal }: ToolContext) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')))

  it('aborts the call of that id, and only that', async () => {
    const one = host([read(untilAborted)])
    const [first, second] = [one.execute('1', call('look')), one.execute('2', call('look'))]
    await soon()
    one.abort('3')
    one.abort('2')
    expect(await second).toEqual({ ok: true, value: 'stopped' })
    expect(await Promise.race([first, Promise.resolve('open')])).toBe('open')
    one.abort('1')
    expect(await first).toEqual({ ok: true, value: 'stopped' })
  })

  it('does not run a tool whose call was aborted before', async () => {
    const run = vi.fn<() => unknown>()
    const one = host([write(run)])
    const reply = one.execute('1', call('save'))
    one.abort('1')
    expect(await reply).toMatchObject(refusal('aborted'))
    expect(run).not.toHaveBeenCalled()
  })

  it('aborts the newest of two calls with one id', async () => {
    const signals: AbortSignal[] = []
    const one = host([
      write((_, { signal }) => (signals.push(signal), signals.length === 1 ? 'late' : new Promise(() => undefined))),
    ])
    const first = one.execute('1', call('save'))
    void one.execute('1', call('save'))
    await first
    one.abort('1')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true])
  })

  it('ends reads and leaves writes to finish when its worker is dead', async () => {
    const one = host([read(untilAborted), write(untilAborted)])
    const [reading, writing] = [one.execute('1', call('look')), one.execute('2', call('save'))]
    await soon()
    one.end()
    expect(await reading).toEqual({ ok: true, value: 'stopped' })
    expect(await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 20, 'open'))])).toBe('open')
  })
})

describe('check() and reconcile()', () => {
  it('answer what the tool answers', async () => {
    const tool = write(() => 1, {
      check: (input: { n: number }) => (input.n > 1 ? { ask: 'That is a lot' } : undefined),
      once: {
        reconcile: ({ idempotencyKey }: { idempotencyKey: string }) => ({ state: 'done', output: idempotencyKey }),
      },
    })
    expect(await host([tool]).check(asked('save', { n: 1 }))).toEqual({
      ok: true,
      value: { answers: [{ rule: 'check', verdict: 'allow' }] },
    })
    expect(await host([tool]).check(asked('save', { n: 2 }))).toEqual({
      ok: true,
      value: { answers: [{ rule: 'check', verdict: 'ask', reason: 'That is a lot' }] },
    })
    expect(await host([tool]).reconcile(call('save'))).toEqual({ ok: true, value: { state: 'done', output: 'r:1.0' } })
    expect(await host([write(() => 1)]).reconcile(call('save'))).toEqual({ ok: true, value: { state: 'unknown' } })
  })

  it('fail when the answer is none, and never guess', async () => {
    const odd = (answer: unknown) => write(() => 1, { check: () => answer, once: { reconcile: () => answer } })
    for (const answer of ['done', { state: 'finished' }, { state: 'done', output: 1n }, null]) {
      expect(await host([odd(answer)]).reconcile(call('save'))).toMatchObject({ ok: false })
      expect(await host([odd(answer)]).check(asked('save', {}))).toMatchObject({ ok: false })
    }
    expect(await host([]).check(asked('constructor', {}))).toMatchObject({
      ok: false,
      failure: { code: 'unknown_tool' },
    })
  })
})

describe('generate()', () => {
  const request: ModelRequest = { instructions: '', tools: [], messages: [], cacheKey: 's' }
  const model = (generate: Model['generate']): Model => ({ provider: 'page', model: 'm', generate })

  it('sends deltas with the id of the request, then the reply', async () => {
    const sent: unknown[] = []
    const hosted = model(async (_, { onDelta }) => {
      onDelta({ type: 'text', index: 0, text: 'Hel' })
      onDelta({ type: 'text', index: 0, text: 'lo' })
      return { parts: [{ type: 'text', text: 'Hello' }], finish: 'stop' }
    })
    const reply = await host([], hosted, (id, delta) => sent.push([id, delta])).generate('g', request)
    expect(sent).toEqual([
      ['g', { type: 'text', index: 0, text: 'Hel' }],
      ['g', { type: 'text', index: 0, text: 'lo' }],
    ])
    expect(reply).toEqual({ ok: true, value: { parts: [{ type: 'text', text: 'Hello' }], finish: 'stop' } })
  })

  it('keeps code and retryable of what the model throws', async () => {
    const busy = model(() => Promise.reject(new HandrailError('model_rate_limit', 'Too fast', { retryable: true })))
    expect(await host([], busy).generate('g', request)).toEqual({
      ok: false,
      failure: { code: 'model_rate_limit', message: 'Too fast', retryable: true },
    })
    expect(await host([]).generate('g', request)).toMatchObject({ failure: { code: 'no_hosted_model' } })
  })

  it('aborts the request of that id', async () => {
    const waiting = model(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new HandrailError('model_aborted', 'Stopped'))),
        ),
    )
    const one = host([], waiting)
    const reply = one.generate('g', request)
    one.abort('g')
    expect(await reply).toMatchObject({ failure: { code: 'model_aborted' } })
  })
})
