import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PageHost } from '../../src/client/page-host.js'
import type { Json } from '../../src/core/json.js'
import { toJson } from '../../src/core/json.js'
import { ToolError } from '../../src/errors.js'
import type { CheckCall, PageCall } from '../../src/runtime/protocol.js'
import { defineTool, type Tool, type ToolContext } from '../../src/tools/tool.js'

const secret = 'S3cr3t "key" /ü 99'
const call = (toolName: string, input: Json = {}): PageCall & CheckCall => ({
  toolName,
  input,
  caller: 'model',
  session: 's',
  runId: 'r',
  callId: '1.0',
  idempotencyKey: 'r:1.0',
})
const host = (tools: readonly Tool[], before?: PageHost, more: object = {}) =>
  new PageHost({ tools, onDelta: () => undefined, onNotice: () => undefined, ...more }, before)

const text = { type: 'string' } as const
const login = defineTool({
  name: 'login',
  description: 'Logs in',
  input: { type: 'object' },
  output: { type: 'object', properties: { token: text, note: text, pins: { type: 'array', items: text } } },
  risk: 'read',
  secret: { output: ['/token', '/pins/*'] },
  run: () => ({ token: secret, note: `use ${secret} now`, pins: ['pin-4711', 'pin-4712'] }),
}) as Tool
const sending = (run: (input: never, context: ToolContext) => unknown, more: object = {}): Tool =>
  defineTool({
    name: 'send',
    description: 'Sends',
    input: { type: 'object', properties: { token: text, note: text } },
    risk: 'irreversible',
    secret: { input: ['/token'] },
    run: run as never,
    ...more,
  }) as Tool

const valueOf = <T = unknown>(reply: { ok: boolean; value?: unknown }): T => {
  expect(reply).toMatchObject({ ok: true })
  return reply.value as T
}
const tokenOf = async (page: PageHost): Promise<string> =>
  valueOf<{ token: string }>(await page.execute('0', call('login'))).token

/** Everything that a text can be when it is read by who knows how texts are written. */
const leaks = (value: unknown, hidden: string): boolean => {
  const written = JSON.stringify(value)
  return [hidden, JSON.stringify(hidden).slice(1, -1), encodeURIComponent(hidden)].some(
    (form) => written.includes(form) || written.includes(JSON.stringify(form).slice(1, -1)),
  )
}

describe('a secret', () => {
  it('leaves the page as a reference, the same one for the same value', async () => {
    const page = host([login])
    const first = valueOf<{ token: string }>(await page.execute('1', call('login')))
    expect(first).toEqual({
      token: expect.stringMatching(/^secret:[0-9a-f-]{36}$/),
      note: `use ${first.token} now`,
      pins: [expect.stringMatching(/^secret:/), expect.stringMatching(/^secret:/)],
    })
    expect(valueOf(await page.execute('2', call('login')))).toEqual(first)
  })

  it('comes back to the tool that expects it, in run, check, needed, preview and reconcile alike', async () => {
    const seen: unknown[] = []
    const see = (input: { token: string }) => void seen.push(input.token)
    const tool = sending(see as never, {
      check: see,
      approval: { needed: (input: { token: string }) => (see(input), true), preview: see },
      once: {
        reconcile: ({ input }: { input: { token: string } }) => (see(input), { state: 'done', output: input.token }),
      },
    })
    const page = host([login, tool])
    const input = { token: await tokenOf(page) }
    const said = [
      await page.check(call('send', input)),
      await page.preview(call('send', input)),
      await page.execute('1', call('send', input)),
      await page.reconcile(call('send', input)),
    ]
    expect(said.every(({ ok }) => ok)).toBe(true)
    expect(seen).toEqual([secret, secret, secret, secret, secret])
    expect(leaks(said, secret)).toBe(false)
  })

  it('stays a reference where no secret is expected', async () => {
    const seen: unknown[] = []
    const page = host([login, sending((input) => void seen.push(input))])
    const token = await tokenOf(page)
    await page.execute('1', call('send', { note: token }))
    expect(seen).toEqual([{ note: token }])
  })

  it('is gone with the page that knew it, and nothing is done', async () => {
    let runs = 0
    const tools = [login, sending(() => void runs++)]
    const first = host(tools)
    const input = { token: await tokenOf(first) }
    expect(await host(tools).execute('1', call('send', input))).toMatchObject({
      failure: { code: 'secret_gone', refused: true },
    })
    expect(await host(tools).check(call('send', input))).toMatchObject({ ok: false, failure: { code: 'secret_gone' } })
    expect(runs).toBe(0)
    expect(await host(tools, first).execute('2', call('send', input))).toMatchObject({ ok: true })
    expect(runs).toBe(1)
  })

  const forms: readonly [string, (told: string) => unknown][] = [
    ['as it is', (told) => told],
    ['within a text', (told) => `The key ${told} is wrong; ${told}${told}`],
    ['as JSON', (told) => JSON.stringify({ token: told })],
    ['as JSON in JSON', (told) => JSON.stringify({ body: JSON.stringify({ token: told }) })],
    ['in a URL', (told) => `/login?key=${encodeURIComponent(told)}`],
    ['as the name of a field', (told) => ({ [told]: 1, [`x${told}`]: { [told]: [] } })],
    ['deep within', (told) => [[{ a: { b: [null, true, { c: [told] }] } }]]],
    ['after what looks like a reference', (told) => `secret:${'0'.repeat(8)}-${'0'.repeat(27)}${told}secret:${told}`],
  ]
  describe.each(forms)('that is told %s', (_, form) => {
    // What is a text, a UUID, a number, a piece of our own words, and begins another.
    const values: readonly (string | number)[] = [
      secret,
      '0f8fad5b-d9cb-469f-a165-70867728950e',
      41_117_777,
      'secret:',
      'S3cr3t',
    ]
    it.each(values)('is in nothing that leaves the page: %j', async (value) => {
      const told = form(String(value))
      const fails = (error: unknown) => () => Promise.reject(error as Error)
      const words = typeof told === 'string' ? told : JSON.stringify(told)
      const known = defineTool({
        name: 'know',
        description: 'Knows',
        input: { type: 'object' },
        risk: 'read',
        secret: { output: ['/of'] },
        run: () => ({ of: value, told, same: value }),
      }) as Tool
      const other = (name: string, more: object): Tool =>
        sending(() => told, { name, input: { type: 'object' }, secret: undefined, ...more })
      const page = host(
        [
          known,
          other('tells', { check: () => ({ ask: words }), approval: { needed: () => words, preview: () => told } }),
          other('fails', {
            run: fails(new TypeError(words)),
            check: fails(new Error(words)),
            approval: { preview: fails(words) },
            once: { reconcile: () => ({ state: 'done', output: told }) },
          }),
          other('refuses', { run: fails(new ToolError(words, words)), once: { reconcile: fails(new Error(words)) } }),
        ],
        undefined,
        { guardrails: { call: () => ({ ask: words }), output: fails(new Error(words)) } },
      )
      const replies: unknown[] = [await page.execute('0', call('know'))]
      for (const name of ['tells', 'fails', 'refuses'])
        replies.push(
          await page.execute('1', call(name)),
          await page.check(call(name)),
          await page.preview(call(name)),
          await page.reconcile(call(name)),
          await page.guard({ on: 'output', session: 's', runId: 'r', callId: '1.0', toolName: name, output: null }),
        )
      const references = /secret:[0-9a-f]{8}-[0-9a-f-]{27}/g
      const visible = JSON.stringify(toJson(replies)).replaceAll(references, (found) =>
        found.includes('0'.repeat(20)) ? found : '',
      )
      expect(leaks(visible, String(value))).toBe(false)
      expect(replies.every((reply) => JSON.stringify(reply).length > 0)).toBe(true)
    })
  })
})

describe('a secret that the app fills', () => {
  let turn = 0
  const filled = (more: object = {}) =>
    sending((input) => ({ got: (input as { token: string }).token }), {
      hostInput: { token: () => `${secret} ${++turn}` },
      ...more,
    })

  it('is one reference, so that an approval of it holds, and is asked for anew before the tool runs', async () => {
    let ran: unknown
    const page = host([filled({ run: (input: { token: string }) => ((ran = input.token), input.token) })])
    const first = valueOf<{ filled: Json }>(await page.check(call('send')))
    expect(first).toMatchObject({ filled: { token: 'secret:hostInput/token' } })
    expect(valueOf(await page.check(call('send')))).toEqual(first)
    const reply = await page.execute('1', call('send', { token: 'secret:hostInput/token' }))
    expect(ran).toBe(`${secret} ${turn}`)
    expect(reply).toEqual({ ok: true, value: 'secret:hostInput/token' })
  })

  it('goes to no other field and to no other tool', async () => {
    const seen: unknown[] = []
    const other = sending((input) => void seen.push(input), {
      name: 'other',
      input: { type: 'object', properties: { token: text, note: text } },
    })
    const page = host([filled(), other])
    await page.check(call('send'))
    const reply = await page.execute('1', call('other', { token: 'secret:hostInput/token' }))
    expect(reply).toMatchObject({ failure: { code: 'secret_gone', refused: true } })
    expect(seen).toEqual([])
  })

  it('is not in what the schema says of it', async () => {
    const page = host([
      filled({
        input: z.object({ token: z.string().refine(() => false, { error: ({ input }) => `bad ${String(input)}` }) }),
      }),
    ])
    expect(valueOf(await page.check(call('send')))).toMatchObject({
      answers: [{ rule: 'check', verdict: 'deny', reason: expect.stringContaining('secret:hostInput/token') }],
    })
    const reply = await page.execute('1', call('send', { token: 'secret:hostInput/token' }))
    expect(reply).toMatchObject({ failure: { code: 'invalid_input', refused: true } })
    expect(leaks(reply, secret)).toBe(false)
  })
})
