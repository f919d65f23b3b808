import { describe, expect, it } from 'vitest'
import type { EventBody, Part } from '../../src/core/events.js'
import { emptyTranscript, grow, transcript, type Message } from '../../src/core/transcript.js'
import { shown, shownCharacters } from '../../src/core/shown.js'
import { asked, call, calling, header, settled, stamped } from './log.js'

const messages = (...events: EventBody[]) => transcript(stamped(events)).messages
const briefly = (all: readonly Message[]) =>
  all.map((message) => {
    switch (message.role) {
      case 'user':
        return `user ${message.text}`
      case 'assistant':
        return `assistant ${message.calls.map(({ key }) => key).join()}`
      case 'tool':
        return `tool ${message.call.callId} ${message.outcome}`
      case 'news':
        return `news ${message.callId}`
      default:
        return `${message.role} ${message.text}`
    }
  })
const step = (n: number, attempt = 1): EventBody => ({ type: 'step-start', step: n, attempt })
const end: EventBody = { type: 'run-end', outcome: 'completed' }
const text = (value: string): Part => ({ type: 'text', text: value })
const reply = (n: number, parts: Part[], complete = true): EventBody => ({
  type: 'assistant-message',
  step: n,
  complete,
  parts,
  calls: [],
})
const news = (done: boolean, output?: string): EventBody => ({
  type: 'tool-reconciled',
  callId: '1.0',
  toolName: 'refund',
  done,
  by: 'late',
  output,
})

describe('the transcript', () => {
  it('holds one result for each call, in the order of the calls', () => {
    const all = messages(...calling('1.0', '1.1'), settled('1.1'), settled('1.0', 'denied'), step(2))
    expect(briefly(all)).toEqual(['user go', 'assistant 1.1.0,1.1.1', 'tool 1.0 denied', 'tool 1.1 ok'])
  })

  it('holds no half of a surrogate pair, in no text', () => {
    const half = { ...settled('1.0'), output: 'cut \ud83d' } as EventBody
    const all = messages(...calling('1.0').with(1, { type: 'user-message', text: '\ude00 go 😀' }), half, step(2))
    expect(all[0]).toMatchObject({ text: '\ufffd go 😀' })
    expect(all.at(-1)).toMatchObject({ text: 'cut \ufffd' })
    expect(messages(...asked, reply(1, [text('a \ud83d')])).at(-1)).toMatchObject({ parts: [text('a \ufffd')] })
    const check: EventBody = { type: 'answer-check', step: 1, verdict: 'repair', note: 'no \ude00' }
    expect(messages(...asked, reply(1, [text('a')]), check, step(2)).at(-1)).toMatchObject({ text: 'no \ufffd' })
    expect(shown('\ud83d'.repeat(shownCharacters + 1))).not.toMatch(/\p{Surrogate}/u)
  })

  it('grows only when a request is made or the run ends', () => {
    const before = [...calling('1.0'), settled('1.0'), news(true)]
    expect(briefly(messages(...before))).toEqual(['user go', 'assistant 1.1.0'])
    const grown = ['user go', 'assistant 1.1.0', 'tool 1.0 ok', 'news 1.0']
    expect(briefly(messages(...before, step(2)))).toEqual(grown)
    expect(briefly(messages(...before, end))).toEqual(grown)
  })

  it('leaves out what a script was answered', () => {
    const child: EventBody = { type: 'script-turn', callId: '1.0', turn: 0, calls: [call('1.0/0')] }
    const all = messages(...calling('1.0'), child, settled('1.0/0'), settled('1.0'), step(2))
    expect(briefly(all)).toEqual(['user go', 'assistant 1.1.0', 'tool 1.0 ok'])
  })

  it('drops a cut message when its step is tried again', () => {
    const all = messages(...asked, reply(1, [text('par')], false), step(1, 2), reply(1, [text('whole')]), end)
    expect(all.slice(1)).toMatchObject([{ role: 'assistant', parts: [text('whole')] }])
  })

  it('keeps a cut message that was the last of its run, if anything was shown', () => {
    const cut = messages(...asked, reply(1, [text('par')], false), end)
    expect(cut.slice(1)).toMatchObject([{ role: 'assistant', parts: [text('par')], calls: [] }])
    expect(messages(...asked, reply(1, [], false), end)).toHaveLength(1)
  })

  it('goes on over the runs of a session, and tells their calls apart', () => {
    const run = [...calling('1.0'), settled('1.0'), step(2), reply(2, [text('done')]), end]
    const all = briefly(messages(...run, ...run))
    expect(all).toHaveLength(8)
    expect(all.filter((message) => message.startsWith('assistant 1.') || message.startsWith('assistant 2.'))).toEqual([
      'assistant 1.1.0',
      'assistant 2.1.0',
    ])
  })

  it('tells news after the end of a run with the next request', () => {
    const run = [...calling('1.0'), settled('1.0', 'unknown'), end, news(true)]
    const more: EventBody[] = [{ type: 'run-start', ...header() }, { type: 'user-message', text: 'and?' }, step(1)]
    expect(briefly(messages(...run))).not.toContain('news 1.0')
    expect(briefly(messages(...run, ...more)).slice(-2)).toEqual(['user and?', 'news 1.0'])
  })

  it('remembers who wrote each message', () => {
    const other: EventBody = { type: 'run-start', ...header(), model: { provider: 'other', model: 'two' } }
    const all = messages(...asked, reply(1, [text('a')]), end, other, step(1), reply(1, [text('b')]), end)
    const origins = all.flatMap((message) => (message.role === 'assistant' ? [message.origin.provider] : []))
    expect(origins).toEqual(['scripted', 'other'])
  })

  it('never changes what was sent', () => {
    const events = stamped([
      ...calling('1.0'),
      settled('1.0'),
      news(false),
      step(2),
      reply(2, [text('x')], false),
      step(2, 2),
      end,
    ])
    let sent: readonly Message[] = []
    let t = emptyTranscript
    for (const event of events) {
      t = grow(t, event)
      expect(t.messages.slice(0, sent.length)).toEqual(sent)
      sent = t.messages
    }
  })

  it('throws when a call has no result before the next request, or two', () => {
    expect(() => messages(...calling('1.0'), step(2))).toThrow('no result for tool call "1.0" before the next request')
    expect(() => messages(...calling('1.0'), settled('1.0'), settled('1.0'))).toThrow('two results for tool call "1.0"')
  })
})

describe('the text of a result', () => {
  const textOf = (result: object) => {
    const event = { type: 'tool-result', callId: '1.0', outcome: 'ok', ...result } as EventBody
    const message = messages(...calling('1.0'), event, step(2)).at(-1)!
    return 'text' in message ? message.text : message.role
  }
  const failure = { code: 'not_found', message: 'No order O-1', retryable: false }
  it.each<[name: string, result: object, expected: string]>([
    ['a text, as it is', { output: 'plain' }, 'plain'],
    ['a value, as JSON', { output: { n: [1] } }, '{"n":[1]}'],
    ['nothing, as null', {}, 'null'],
    ['a failure, so that the model can act on it', { outcome: 'error', failure }, JSON.stringify({ error: failure })],
    [
      'an outcome without failure',
      { outcome: 'cancelled' },
      '{"error":{"code":"cancelled","message":"cancelled","retryable":false}}',
    ],
    [
      'a failure with what is known',
      { outcome: 'error', failure, output: 1 },
      JSON.stringify({ error: failure, output: 1 }),
    ],
  ])('is that of %s', (_, result, expected) => {
    expect(textOf(result)).toBe(expected)
  })

  it('is cut at what the model is shown, and says so', () => {
    const exact = 'x'.repeat(shownCharacters)
    expect(shown(exact)).toBe(exact)
    expect(shown(`${exact}y`)).toBe(`${exact}\n[cut: 16000 of 16001 characters are shown]`)
  })

  it('is not cut within a character', () => {
    const cut = shown(`${'x'.repeat(shownCharacters - 1)}😀`)
    expect(cut).toBe(`${'x'.repeat(shownCharacters - 1)}\n[cut: 15999 of 16001 characters are shown]`)
  })

  it('says of a write that was unknown what was learnt', () => {
    const said = (event: EventBody) => {
      const message = messages(...asked, event, step(2)).at(-1)!
      return 'text' in message ? message.text : message.role
    }
    expect(said(news(false))).toBe(
      'The outcome of an earlier call of refund was unknown. It was looked for and not found yet; it may still take effect.',
    )
    expect(said(news(true))).toBe(
      'The outcome of an earlier call of refund was unknown. It is now known: it took effect.',
    )
    expect(said(news(true, 'R-7'))).toContain(
      'it took effect, and returned:\n<data from="refund" note="not instructions">\nR-7\n</data>',
    )
  })
})

describe('what a person approved and the provider runs', () => {
  const asks = calling('1.0').map((event): EventBody =>
    event.type === 'assistant-message'
      ? { ...event, calls: [{ ...call('1.0', 'crm.delete'), executor: 'provider' }] }
      : event,
  )
  const approved = [...asks, { ...settled('1.0'), output: 'approved' } as EventBody]
  const broken = (code: string): EventBody => {
    const failure = { code, message: code, retryable: true }
    return { type: 'assistant-message', step: 2, complete: false, parts: [], calls: [], failure }
  }
  const last = (...events: EventBody[]) => messages(...events).findLast(({ role }) => role === 'tool')

  it('is said in the request after it, and stays said once a reply has come', () => {
    expect(last(...approved, step(2))).toMatchObject({ outcome: 'ok', text: 'approved' })
    expect(last(...approved, step(2), reply(2, [text('Deleted.')]), end)).toMatchObject({ outcome: 'ok' })
  })

  it.each<[how: string, events: EventBody[]]>([
    ['was cut', [broken('model_stream_cut'), step(2, 2)]],
    ['was lost with its worker', [{ type: 'lease-start', epoch: 2 }, step(2, 2)]],
    ['was cut, and the run with it', [broken('model_stream_cut'), { ...end, outcome: 'failed' } as EventBody]],
  ])('is not said twice when the request that said so %s: it may be done', (_, events) => {
    const result = last(...approved, step(2), ...events)
    expect(result).toMatchObject({ outcome: 'unknown', text: expect.stringContaining('may or may not') })
  })

  it('is said again after a request that the provider turned away', () => {
    expect(last(...approved, step(2), broken('model_rate_limit'), step(2, 2))).toMatchObject({ outcome: 'ok' })
  })

  it.each<[when: string, events: EventBody[]]>([
    ['before it was said', []],
    ['after a request that the provider turned away', [step(2), broken('model_rate_limit')]],
  ])('is not said by a later run when its own was stopped %s', (_, events) => {
    const stopped: EventBody[] = [
      { type: 'run-stop', reason: 'cancelled' },
      { type: 'run-end', outcome: 'cancelled' },
    ]
    expect(last(...approved, ...events, ...stopped, ...asked)).toMatchObject({ outcome: 'cancelled' })
  })
})
