import { afterEach, describe, expect, it } from 'vitest'
import { valueOf } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

/** The zone of this process, which the platform's own Date then is in. */
const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** Changes by an hour, by half an hour, at midnight, across the date line, and none; with the offset in January 2026. */
const zones: [timeZone: string, offset: number][] = [
  ['Europe/Berlin', -60],
  ['Europe/London', 0],
  ['America/New_York', 300],
  ['America/St_Johns', 210],
  ['America/Sao_Paulo', 180],
  ['Australia/Lord_Howe', -660],
  ['Pacific/Apia', -780],
  ['Asia/Kolkata', -330],
  ['Africa/Casablanca', -60],
  ['UTC', 0],
]

/** Each looks at every half hour around each change of the clock in a year, and prints one line of what it saw. */
const walks: Record<string, string> = {
  'local fields': `(y, m, d, h, min) => new Date(y, m, d, h, min).getTime()`,
  'local texts': `(y, m, d, h, min) => Date.parse([y, pad(m + 1), pad(d)].join('-') + 'T' + pad(h) + ':' + pad(min))`,
  'other texts': `(y, m, d, h, min) => Date.parse(months[m] + ' ' + d + ', ' + y + ' ' + pad(h) + ':' + pad(min) + ':00')`,
  'what is shown of an instant': `(...f) => { const t = new Date(Date.UTC(...f)); return [t.getFullYear(), t.getMonth(), t.getDate(), t.getDay(), t.getHours(), t.getMinutes(), t.getTimezoneOffset(), String(t).slice(0, 33)].join() }`,
  'a day that is set': `(y, m, d, h, min) => new Date(y, m, 5, h, min).setDate(d)`,
  'hours that are set': `(y, m, d, h, min) => new Date(y, m, d).setHours(h, min)`,
  'hours that are added': `(...f) => { const t = new Date(Date.UTC(...f)); return [t.setHours(t.getHours() + 1), t.setMinutes(t.getMinutes() - 30), t.setMonth(t.getMonth() + 1)].join() }`,
}

const walk = (step: string, year: number) => `
  const pad = (n) => String(n).padStart(2, '0')
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
  const step = ${step}
  const days = []
  for (let day = 0; day < 366; day++) {
    const at = Date.UTC(${year}, 0, 1 + day)
    if (new Date(at - 864e5).getTimezoneOffset() !== new Date(at + 1728e5).getTimezoneOffset()) days.push(new Date(at))
  }
  days.push(new Date(Date.UTC(${year}, 5, 15)))
  const seen = []
  for (const t of days) for (let half = 0; half < 48; half++)
    seen.push(step(t.getUTCFullYear(), t.getUTCMonth(), t.getUTCDate(), half >> 1, (half & 1) * 30))
  return seen`

/** As models and tools write dates. */
const texts = [
  '2026-11-30T10:00:00+02:00',
  '11/30/2026',
  '2026/11/30',
  'Nov 30, 2026',
  'November 30, 2026',
  '30 November 2026',
  '30 Nov 2026',
  '2026-11-30 10:00',
  '2026-11-30 10:00:00',
  '2026-11-30T10:00',
  '2026-11-30T10:00:00.123456Z',
  'garbage',
  '2026-13-01',
  '2026-02-30',
  '2026-11',
  '2026',
  'Mon Nov 30 2026',
  'Monday, November 30, 2026',
  'Nov 30, 2026 3:04 PM',
  '11/30/2026, 3:04:05 PM',
  '2026-11-30T10:00:00-0500',
  '20261130',
  '30/11/2026',
  '30.11.2026',
  '1/2/26',
  'Mon, 30 Nov 2026 10:00:00 GMT',
  'Mon, 30 Nov 2026 10:00:00 EST',
  '2026-11-30T24:00:00Z',
  '',
  '  2026-11-30',
  '2026-11-30Z',
  '2026-1-5',
  '2026-1-5 8:05',
  '10:00',
  'Nov 2026',
  '2026-11-30T10:00:00 Z',
  '2026-11-30 10:00 UTC',
  '2026-11-30 10:00:00 +0100',
  'Tue Nov 14 2023 23:13:20 GMT+0100 (Central European Standard Time)',
  '3:04 PM Nov 30 2026',
  '12/31/1999 23:59',
  '2026-11-30T10:00:00.5',
  '-000001-01-01T00:00:00Z',
  '+002026-11-30',
]

describe.each(zones)('in %s a script has the dates of the platform', (timeZone, offset) => {
  it('texts of dates', async () => {
    process.env.TZ = timeZone
    const code = `return ${JSON.stringify(texts)}.map((text) => [text, new Date(text).getTime()])`
    // oxlint-disable-next-line typescript/no-implied-eval -- the platform is what a script is compared with
    const expected = JSON.parse(JSON.stringify(new Function(code)())) as unknown
    expect(await valueOf(createIsolateSandbox(), code, { more: { timeZone } })).toEqual(expected)
  })

  it.each(Object.entries(walks))('%s', async (_, step) => {
    process.env.TZ = timeZone
    expect(new Date(2026, 0, 15).getTimezoneOffset()).toBe(offset)
    for (const year of [2011, 2026]) {
      const code = walk(step, year)
      // oxlint-disable-next-line typescript/no-implied-eval -- the platform is what a script is compared with
      const expected = new Function(code)() as unknown[]
      expect(await valueOf(createIsolateSandbox(), code, { more: { timeZone } })).toEqual(expected)
      expect(expected.length).toBeGreaterThanOrEqual(48)
    }
  })
})

it('dates are those of the log also where the process is elsewhere', async () => {
  process.env.TZ = 'Asia/Tokyo'
  const code = `return [new Date(2026, 6, 1).toISOString(), new Date(0).toLocaleTimeString()]`
  const more = { timeZone: 'America/New_York', locale: 'en-GB' }
  expect(await valueOf(createIsolateSandbox(), code, { more })).toEqual(['2026-07-01T04:00:00.000Z', '19:00:00'])
})
