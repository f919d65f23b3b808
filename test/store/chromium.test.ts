import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Page } from 'playwright'
import type { RunEvent } from '../../src/core/events.js'
import { call, createProfile, type Profile } from './chromium.js'

describe('the store in IndexedDB, in a browser that', { timeout: 120_000 }, () => {
  let profile: Profile
  beforeEach(async () => {
    profile = await createProfile()
  }, 120_000)
  afterEach(() => profile.remove(), 120_000)

  /** Writes until `count` events are acknowledged, then does not stop. */
  async function writeTo(page: Page, count: number): Promise<{ acknowledged: () => number }> {
    let last = 0
    let reached: () => void
    const enough = new Promise<void>((resolve) => (reached = resolve))
    await page.exposeFunction('acknowledged', (seq: number) => {
      last = seq
      if (seq >= count) reached()
    })
    const ending = page.evaluate('storePage.write(acknowledged)')
    await Promise.race([enough, ending])
    ending.catch(() => undefined)
    return { acknowledged: () => last }
  }

  const textsOf = (log: readonly RunEvent[]) =>
    log.map((event) => (event.type === 'user-message' ? event.text : event.type))
  const expected = (length: number) => ['run-start', ...[...Array(length - 1).keys()].map((i) => `event ${i + 1}`)]

  it('is killed while it writes: no acknowledged event is lost, and the log goes on', async () => {
    const before = await profile.start()
    const { acknowledged } = await writeTo(before.page, 100)
    await before.kill()
    const { page } = await profile.start()
    const log = await call(page, 'read')
    expect(log.length).toBeGreaterThan(acknowledged())
    expect(textsOf(log)).toEqual(expected(log.length))
    expect(await call(page, 'append', log.length)).toBe('none')
  })

  it('loses its page while it writes: no acknowledged event is lost, and another page goes on', async () => {
    const browser = await profile.start()
    const { page } = browser
    const { acknowledged } = await writeTo(page, 100)
    const devTools = await page.context().newCDPSession(page)
    const crashed = new Promise((resolve) => page.once('crash', resolve))
    devTools.send('Page.crash').catch(() => undefined)
    await crashed
    const next = await browser.openPage()
    const log = await call(next, 'read')
    expect(log.length).toBeGreaterThan(acknowledged())
    expect(textsOf(log)).toEqual(expected(log.length))
    expect(await call(next, 'append', log.length)).toBe('none')
  })

  it('has no room left: it refuses with store_full, and keeps what it acknowledged and nothing else', async () => {
    const { page } = await profile.start()
    const devTools = await page.context().newCDPSession(page)
    const setQuota = (quotaSize?: number) =>
      devTools.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize })
    await setQuota(10 << 20)
    const { acknowledged, append, start, runs, stored } = await call(page, 'fill')
    expect({ append, start, runs }).toEqual({ append: 'store_full', start: 'store_full', runs: 1 })
    expect(acknowledged).toBeGreaterThan(1)
    expect(stored).toEqual([...Array(acknowledged).keys()].map((i) => i + 1))
  })
})
