import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSite, type Site } from '../pages/open-site.js'
import type { Shown, Tab } from './page.js'

let site: Site
let context: BrowserContext
let session: string
let count = 0

beforeAll(async () => {
  site = await openSite('tabs')
}, 120_000)
afterAll(() => site.close())
beforeEach(async () => {
  context = await site.browser.newContext()
  session = `s${++count}`
})
afterEach(async () => {
  for (const id of frozen) process.kill(id, 'SIGCONT')
  frozen.clear()
  await context.close()
})

interface OpenTab {
  readonly page: Page
  ask<Name extends keyof Tab>(name: Name, ...args: Parameters<Tab[Name]>): Promise<Awaited<ReturnType<Tab[Name]>>>
  /** When the tab shows it. @returns what it then shows */
  until(what: string, is: (shown: Shown) => boolean): Promise<Shown>
}

async function openTab(name: string, { owner = 'ann' } = {}): Promise<OpenTab> {
  const page = await context.newPage()
  const query = new URLSearchParams({ tab: name, owner, session })
  await page.goto(`${site.url}?${query.toString()}`)
  const ask: OpenTab['ask'] = (method, ...args) =>
    page.evaluate(
      ([called, given]) =>
        (globalThis as never as { tab: Record<string, (...all: unknown[]) => never> }).tab[called]!(...given),
      [method as string, args as unknown[]] as const,
    )
  expect(await ask('open')).toBe('ok')
  return {
    page,
    ask,
    async until(what, is) {
      const end = performance.now() + 20_000
      for (;;) {
        const shown = await ask('show')
        if (is(shown)) return shown
        if (performance.now() > end) throw new Error(`Tab ${name} does not show ${what}: ${JSON.stringify(shown)}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

const asks = ({ approvals }: Shown) => approvals.length === 1
const isOver = ({ runs }: Shown) => runs.length > 0 && runs.every(({ status }) => status !== 'running')
const typesOf = ({ runs }: Shown) => runs.flatMap(({ events }) => events.map(({ type }) => type))
const epochsOf = (shown: Shown) => typesOf(shown).filter((type) => type === 'lease-start').length
const answersOf = (shown: Shown) => typesOf(shown).filter((type) => type === 'approval-response').length
const resultsOf = ({ runs }: Shown) =>
  runs.flatMap(({ events }) => events.flatMap((event) => (event.type === 'tool-result' ? [event] : [])))
const logOf = ({ runs }: Shown) => runs.map(({ runId, events }) => ({ runId, events }))

/** Both show what is stored, and the letter was sent once. @returns the tab that sent it */
async function expectSentOnce(...tabs: readonly OpenTab[]): Promise<unknown> {
  const shown = await Promise.all(tabs.map((tab) => tab.until('the end', isOver)))
  const stored = await tabs[0]!.ask('stored')
  for (const each of shown) expect(logOf(each)).toEqual(stored)
  expect(shown.map(answersOf)).toEqual(tabs.map(() => 1))
  const effects = await tabs[0]!.ask('effects')
  expect(effects).toHaveLength(1)
  return (effects[0]!.input as { tab: string }).tab
}

/** Processes that stand still. */
const frozen = new Set<number>()

/**
 * Stops the process of a tab and its workers, until `thaw`. What the debugger calls frozen goes on in a browser without a head.
 * The process is the one that has work to do when the tab has.
 */
async function freeze(tab: OpenTab): Promise<{ thaw(): void }> {
  const debug = await site.browser.newBrowserCDPSession()
  const timesOf = async () => {
    const { processInfo } = await debug.send('SystemInfo.getProcessInfo')
    return new Map(
      processInfo.flatMap(({ type, id, cpuTime }) => (type === 'renderer' ? [[id, cpuTime] as const] : [])),
    )
  }
  const before = await timesOf()
  await tab.page.evaluate(() => {
    const until = performance.now() + 1_000
    while (performance.now() < until);
  })
  const spent = [...(await timesOf())].map(([id, time]) => ({ id, time: time - (before.get(id) ?? 0) }))
  const { id } = spent.toSorted((a, b) => b.time - a.time)[0]!
  await debug.detach()
  process.kill(id, 'SIGSTOP')
  frozen.add(id)
  return {
    thaw() {
      process.kill(id, 'SIGCONT')
      frozen.delete(id)
    },
  }
}

async function askingTabs(): Promise<[OpenTab, OpenTab]> {
  const driver = await openTab('driver')
  const follower = await openTab('follower')
  await driver.ask('start', 'Send')
  await Promise.all([driver.until('an ask', asks), follower.until('an ask', asks)])
  return [driver, follower]
}

describe('two tabs of one session', () => {
  it('show the same run live, and one drives it', async () => {
    const driver = await openTab('driver')
    const follower = await openTab('follower')
    await driver.ask('start', 'Count')
    const early = await follower.until('the first words', ({ streamed }) => streamed.startsWith('One'))
    expect(isOver(early)).toBe(false)
    const [one, other] = await Promise.all([driver.until('the end', isOver), follower.until('the end', isOver)])
    expect(other.streamed).toBe(one.streamed)
    expect(logOf(other)).toEqual(logOf(one))
    expect([await driver.ask('requests'), await follower.ask('requests')]).toEqual([1, 0])
  })

  it('both show an approval, and close it in both when one answers', async () => {
    const [driver, follower] = await askingTabs()
    expect((await driver.ask('show')).approvals).toEqual((await follower.ask('show')).approvals)
    await driver.ask('approve', '1.0')
    await follower.until('no ask', ({ approvals }) => approvals.length === 0)
    expect(await expectSentOnce(driver, follower)).toBe('driver')
  })

  it('take an answer of the tab that follows to the log once, and act on it in the one that drives', async () => {
    const [driver, follower] = await askingTabs()
    expect(await follower.ask('approve', '1.0')).toBe('ok')
    await driver.until('no ask', ({ approvals }) => approvals.length === 0)
    expect(await expectSentOnce(follower, driver)).toBe('driver')
  })

  it('take one of two answers that are given at the same moment, and refuse the other', async () => {
    const [driver, follower] = await askingTabs()
    const codes = await Promise.all([driver.ask('approve', '1.0'), follower.ask('approve', '1.0')])
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1)
    expect(codes.find((code) => code !== 'ok')).toMatch(/not_asking|stale_approval|run_over/)
    expect(await expectSentOnce(driver, follower)).toBe('driver')
  })

  it('are cancelled from the one that follows', async () => {
    const driver = await openTab('driver')
    const follower = await openTab('follower')
    await driver.ask('start', 'Count')
    await follower.until('the first words', ({ streamed }) => streamed.length > 0)
    const started = performance.now()
    expect(await follower.ask('cancel')).toBe('ok')
    const shown = await driver.until('the end', isOver)
    console.log(`cancelled from a follower in ${Math.round(performance.now() - started)} ms`)
    expect(shown.runs[0]!.status).toBe('cancelled')
    expect(shown.streamed).not.toContain('twelve')
    expect(logOf(await follower.until('the end', isOver))).toEqual(logOf(shown))
    // The conversation goes on, from either.
    await follower.ask('start', 'Hello')
    const after = await driver.until('the next answer', ({ runs }) => runs[1]?.status === 'completed')
    expect(after.runs).toHaveLength(2)
  })
})

describe('a tab that follows', () => {
  it('drives when the driver is closed, and its answer is acted on once', async () => {
    const [driver, follower] = await askingTabs()
    const started = performance.now()
    await driver.page.close()
    await follower.until('a new epoch', (shown) => epochsOf(shown) === 1)
    console.log(`handed over in ${Math.round(performance.now() - started)} ms`)
    expect(await follower.ask('approve', '1.0')).toBe('ok')
    expect(await expectSentOnce(follower)).toBe('follower')
  })

  it('drives in place of a driver that is closed as it answers', async () => {
    const [driver, follower] = await askingTabs()
    const [code] = await Promise.all([follower.ask('approve', '1.0'), driver.page.close()])
    expect(code).toMatch(/ok|not_asking/)
    const shown = await follower.until('the end', isOver)
    expect(answersOf(shown)).toBe(1)
    const effects = await follower.ask('effects')
    expect(effects.length).toBeLessThan(2)
    // The driver may have been closed in the middle of it: then nobody says that it was done.
    const [result] = resultsOf(shown)
    expect([`ok ${effects.length === 1}`, 'unknown true', 'unknown false']).toContain(
      `${result?.outcome} ${result?.outcome === 'ok' || effects.length === 1}`,
    )
  })

  it('takes over from a driver that is frozen, and its answer is acted on once', async () => {
    const [driver, follower] = await askingTabs()
    const frost = await freeze(driver)
    const started = performance.now()
    expect(await follower.ask('approve', '1.0')).toBe('ok')
    console.log(`taken over from a frozen driver in ${Math.round(performance.now() - started)} ms`)
    expect(await expectSentOnce(follower)).toBe('follower')
    frost.thaw()
    expect(await expectSentOnce(driver, follower)).toBe('follower')
    expect(epochsOf(await driver.ask('show'))).toBe(1)
  })

  it('refuses what a frozen driver wakes up to write: a result that is known as unknown by then', async () => {
    const [driver, follower] = await askingTabs()
    await driver.ask('hold', 'run')
    await driver.ask('approve', '1.0')
    await follower.until('the start', (shown) => typesOf(shown).includes('tool-start'))
    await expect.poll(() => driver.ask('effects'), { timeout: 10_000 }).toHaveLength(1)
    const frost = await freeze(driver)
    expect(await follower.ask('cancel')).toBe('ok')
    const shown = await follower.until('the end', isOver)
    expect(resultsOf(shown)).toMatchObject([{ outcome: 'unknown' }])
    frost.thaw()
    await driver.ask('letGo')
    expect(await expectSentOnce(driver, follower)).toBe('driver')
    expect(resultsOf(await driver.ask('show'))).toMatchObject([{ outcome: 'unknown' }])
  })

  it('refuses what a frozen driver wakes up to start: a write that was cancelled meanwhile', async () => {
    const [driver, follower] = await askingTabs()
    await driver.ask('hold', 'check')
    await driver.ask('approve', '1.0')
    await follower.until('the answer', (shown) => answersOf(shown) === 1)
    const frost = await freeze(driver)
    expect(await follower.ask('cancel')).toBe('ok')
    const shown = await follower.until('the end', isOver)
    expect(shown.runs[0]!.status).toBe('cancelled')
    expect(epochsOf(shown)).toBe(1)
    frost.thaw()
    await driver.ask('letGo')
    const after = await driver.until('the end', isOver)
    expect(logOf(after)).toEqual(logOf(shown))
    expect(logOf(after)).toEqual(await driver.ask('stored'))
    expect(typesOf(after)).not.toContain('tool-start')
    expect(await driver.ask('effects')).toEqual([])
  })
})

describe('a tab of another owner', () => {
  it('cannot list, open, answer, cancel or delete the session', async () => {
    const ann = await openTab('ann')
    const runId = await ann.ask('start', 'Send')
    await ann.until('an ask', asks)
    const bob = await openTab('bob', { owner: 'bob' })
    expect(await bob.ask('sessions')).toEqual([])
    expect(await bob.ask('show')).toMatchObject({ runs: [], approvals: [] })
    expect(await bob.ask('approveRun', runId, '1.0')).toMatch(/no run/)
    await bob.ask('deleteSession')
    expect(await ann.ask('sessions')).toEqual([session])
    expect(asks(await ann.ask('show'))).toBe(true)
    expect(await ann.ask('approve', '1.0')).toBe('ok')
    expect(await expectSentOnce(ann)).toBe('ann')
    expect(await bob.ask('sessions')).toEqual([])
  })
})
