import { rmSync } from 'node:fs'
import type { Page } from 'playwright'
import { serve, strictPolicies } from '../../scripts/serve.mjs'
import { buildSite } from '../pages/open-site.js'
import { judge } from './check.js'
import { Conductor, type Hit } from './conductor.js'
import { OwnBrowser } from './own-browser.js'
import { certainPlans, planOf, type Plan } from './plan.js'
import type { TabReport } from './tab-report.js'
import { happened, type Played } from './report.js'

export interface ChaosOptions {
  /** Runs that are played. */
  readonly runs: number
  readonly seed: number
  /** Milliseconds after which no other page is begun, unless something has not happened yet: then four times as many. */
  readonly time?: number
  readonly onPage?: (played: Played) => void
}

/** Milliseconds in which a page must come to its end, however slow the machine. */
const patience = 120_000
const pagesAtATime = 2
/** Pages with faults after which no more are played. */
const mostFaulty = 10

/** Plays pages under disturbances: first those that leave nothing to luck, then random ones, until `runs` were played. */
export async function chaosRuns({ runs, seed, time = Infinity, onPage }: ChaosOptions): Promise<Played[]> {
  const [built, conductor] = await Promise.all([buildSite('chaos'), Conductor.open()])
  // An agent worker of the page's own, and a server that is not the page's.
  const page = strictPolicies.page
    .replace("connect-src 'self'", `connect-src 'self' ${conductor.url}`)
    .replace(/; require-trusted-types-for.*$/, '')
  const policies = { ...strictPolicies, page }
  const site = await serve({ root: built, csp: policies })
  const began = performance.now()
  const played: Played[] = []
  const certain = certainPlans(seed)
  let begun = 0
  let sessions = 0
  let duration = 0

  const isLate = () => {
    const spent = performance.now() - began
    return spent > time && (spent > 4 * time || Object.values(happened(played)).every((times) => times > 0))
  }
  const lane = async () => {
    const browser = await OwnBrowser.start()
    try {
      const isEnough = () =>
        sessions >= runs ||
        isLate() ||
        played.filter(({ verdicts, faults }) => faults.length > 0 || verdicts.some(({ finished }) => !finished))
          .length >= mostFaulty
      while (!isEnough()) {
        const plan = certain.shift() ?? planOf(seed, begun, duration)
        begun++
        sessions += plan.sessions.length
        const page = await play({ browser, conductor, port: site.port }, plan)
        duration ||= page.took
        played.push(page)
        onPage?.(page)
      }
    } finally {
      await browser.close()
    }
  }
  try {
    await Promise.all(Array.from({ length: pagesAtATime }, lane))
    return played
  } finally {
    await Promise.all([site.close(), conductor.close()])
    rmSync(built, { recursive: true, force: true })
  }
}

interface Stage {
  readonly browser: OwnBrowser
  readonly conductor: Conductor
  readonly port: number
}

async function play({ browser, conductor, port }: Stage, plan: Plan): Promise<Played> {
  const started = performance.now()
  const pages: (Page | undefined)[] = []
  const faults: string[] = []
  /** One thing after the other: what a page asks for while the browser is started anew is over. */
  let work = Promise.resolve()
  const then = (next: () => Promise<void>) => {
    const before = work
    work = (async () => {
      await before
      try {
        await next()
      } catch (error) {
        faults.push(`The stage failed: ${String(error)}`)
      }
    })()
  }
  const open = async (tab: number) => {
    const page = await browser.context.newPage()
    pages[tab] = page
    // An origin of its own, and so a database.
    const search = new URLSearchParams({ conductor: conductor.url, page: plan.name, tab: String(tab) })
    await page.goto(`http://p${plan.name}.localhost:${port}/?${search.toString()}`, { waitUntil: 'commit' })
  }
  const onHit = ({ victim, tab }: Hit) => {
    if (victim === 'tab')
      then(async () => {
        conducted.forget(tab)
        await pages[tab]?.close()
        await open(tab)
      })
    if (victim === 'browser')
      then(async () => {
        for (const each of plan.tabs.keys()) conducted.forget(each)
        await browser.killAndStart()
        for (const each of plan.tabs.keys()) await open(each)
      })
  }
  const conducted = conductor.conduct(plan, onHit)
  const { told } = conducted
  for (const tab of plan.tabs.keys()) then(() => open(tab))
  await work

  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), patience)))
  const end = await Promise.race([conducted.ended, late])
  clearTimeout(timer)
  await work
  if (end === 'late') {
    faults.push(`The page does not come to its end in ${patience} ms`)
    for (const tab of plan.tabs.keys()) told.reports[tab] ??= await reportNow(pages[tab])
  }
  const effects = conductor.ledger.effects()
  const verdicts = plan.sessions.map((session) => judge(told, session, effects))
  await Promise.all(pages.map(async (page) => page?.close().catch(() => undefined)))
  return { plan, told, verdicts, faults, took: performance.now() - started }
}

/** What a tab says now that has come to no end. */
const reportNow = async (page: Page | undefined): Promise<TabReport | undefined> => {
  const asked = page?.evaluate('globalThis.reportNow?.()') as Promise<TabReport | undefined> | undefined
  const given = new Promise<undefined>((resolve) => setTimeout(resolve, 5_000, undefined))
  return Promise.race([asked?.catch(() => undefined), given])
}
