import type { Page } from 'playwright'
import { openSite, type Site } from '../pages/open-site.js'
import { cutWrites, faultsOf } from './check.js'
import type { DoneKill } from './killer.js'
import type { TabReport } from './page.js'
import { cuttingPlanOf, planOf, sessionsOf, writeKinds, type Plan } from './plan.js'
import type { StoredRun } from './stored.js'

export interface KillOptions {
  /** Runs that are killed at least once. */
  readonly runs: number
  readonly seed: number
  readonly onPage?: (played: Played) => void
}

export interface Played {
  readonly plan: Plan
  readonly kills: readonly DoneKill[]
  /** Runs that were killed. */
  readonly hit: number
  /** Writes that were interrupted. */
  readonly cut: number
  readonly faults: readonly string[]
  readonly stored: readonly StoredRun[]
}

/** Milliseconds in which a page must come to its end, however slow the machine. */
const patience = 120_000
const pagesAtATime = 2
/** Writes of each kind that are cut, at the least. */
export const fewestCuts = 3
/** Pages that are played for that, at the most. */
const mostAgain = 8
/** Pages with faults after which no more are played. */
const mostFaulty = 3

/**
 * Plays pages under kills: first at every point of every kind of write, then at random moments, until `runs` runs were killed.
 * @returns every page that was played
 */
export async function killRuns({ runs, seed, onPage }: KillOptions): Promise<Played[]> {
  const site = await openSite('kill')
  try {
    const duration = await undisturbed(site, seed)
    const first = writeKinds.map((write) => cuttingPlanOf(`${seed}-${write}`, write))
    const played: Played[] = []
    let index = 0
    const cutsOf = (write: string) => played.reduce((sum, { plan, cut }) => sum + (plan.write === write ? cut : 0), 0)
    const isHit = () => first.length === 0 && played.reduce((sum, { hit }) => sum + hit, 0) >= runs
    // Where the machine was so slow that a kill came too late, its kind of write is killed once more.
    const lacking = () => (again < mostAgain ? writeKinds.find((write) => cutsOf(write) < fewestCuts) : undefined)
    let again = 0
    const nextPlan = () => {
      const write = isHit() ? lacking() : undefined
      return write === undefined ? planOf(seed, index++, duration) : cuttingPlanOf(`${seed}-again-${again++}`, write)
    }
    const lane = async () => {
      const isEnough = () =>
        played.filter(({ faults }) => faults.length > 0).length >= mostFaulty || (isHit() && lacking() === undefined)
      while (!isEnough()) {
        const page = await play(site, first.shift() ?? nextPlan())
        played.push(page)
        onPage?.(page)
      }
    }
    await Promise.all(Array.from({ length: pagesAtATime }, lane))
    return played
  } finally {
    await site.close()
  }
}

async function undisturbed(site: Site, seed: number): Promise<number> {
  const plan: Plan = { name: `${seed}`, write: 'plain', sessions: sessionsOf(`${seed}`, () => 0), tabs: [[]] }
  const { faults, took } = await play(site, plan)
  if (faults.length > 0) throw new Error(`A page that nobody disturbs fails: ${faults.join('; ')}`)
  return took
}

async function play(site: Site, plan: Plan): Promise<Played & { readonly took: number }> {
  const context = await site.browser.newContext()
  try {
    const pages = await Promise.all(plan.tabs.map(() => context.newPage()))
    await Promise.all(pages.map((page, tab) => page.goto(addressOf(site, plan, tab), { waitUntil: 'commit' })))
    const tabs = await Promise.all(pages.map(reportOf))
    const kills = tabs.flatMap((tab) => tab.kills)
    const stored = tabs[0]!.sessions.flatMap((session) => session.stored)
    return {
      plan,
      kills,
      hit: new Set(kills.flatMap(({ hit }) => hit)).size,
      cut: stored.reduce((sum, { events }) => sum + cutWrites(events).length, 0),
      faults: [
        ...tabs.flatMap(({ complaints }) => complaints),
        ...plan.sessions.flatMap(({ id }) => faultsOf(plan, id, tabs).map((fault) => `${id}: ${fault}`)),
      ],
      stored,
      took: tabs[0]!.took,
    }
  } finally {
    await context.close()
  }
}

const nothing: TabReport = { took: 0, kills: [], sessions: [], requests: [], effects: [], complaints: [] }

const addressOf = (site: Site, plan: Plan, tab: number) =>
  `${site.url}?${new URLSearchParams({ plan: JSON.stringify(plan), tab: String(tab) }).toString()}`

/** What the tab says at its end; if it comes to none, what it says now. */
async function reportOf(page: Page): Promise<TabReport> {
  try {
    const report = await page.waitForFunction(() => (globalThis as { report?: TabReport }).report, undefined, {
      timeout: patience,
    })
    return (await report.jsonValue())!
  } catch (error) {
    const state = await page.evaluate('document.readyState + ", complaints: " + globalThis.complaints').catch(String)
    const complaint = `The tab does not come to its end, at ${page.url().slice(0, 40)}, ${String(state)}: ${String(error)}`
    const report = (await page.evaluate('globalThis.reportNow?.()').catch(() => undefined)) as TabReport | undefined
    const { complaints, ...rest } = report ?? nothing
    return { ...rest, complaints: [...complaints, complaint] }
  }
}
