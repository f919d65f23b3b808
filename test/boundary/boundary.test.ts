import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { strictPolicies, type Policies } from '../../scripts/serve.mjs'
import type { ScriptedReply } from '../../src/testing/index.js'
import { openSite, type Site } from '../pages/open-site.js'
import type { BoundaryPage } from './page.js'

const call = <Name extends keyof BoundaryPage>(page: Page, name: Name, ...args: Parameters<BoundaryPage[Name]>) =>
  page.evaluate(`boundary.${name}(${args.map((arg) => JSON.stringify(arg)).join()})`) as ReturnType<BoundaryPage[Name]>

describe('the boundary of the page', { timeout: 60_000 }, () => {
  let site: Site
  beforeAll(async () => {
    site = await openSite('boundary')
  }, 120_000)
  afterAll(() => site.close())

  const open = async (policies: Partial<Policies> = {}): Promise<Page> => {
    const page = await site.browser.newPage()
    await page.goto(await site.serveUnder({ ...strictPolicies, ...policies }))
    return page
  }
  const without = (policy: string, pattern: RegExp, other = ''): string => {
    expect(policy).toMatch(pattern)
    return policy.replace(pattern, other)
  }

  it.each([
    ['worker-src', without(strictPolicies.page, /worker-src 'self'/, "worker-src 'none'")],
    [
      'Trusted Types that do not name handrail',
      without(strictPolicies.page, /trusted-types handrail/, 'trusted-types'),
    ],
  ])('a worker that is blocked by %s fails the agent and its run, saying where to look', async (_, policy) => {
    const page = await open({ page: policy })
    const { ready, answer, events } = await call(page, 'run', [{ text: 'Never.' }])
    expect(ready).toMatch(/^worker_failed: .*Content-Security-Policy/)
    expect(answer).toBe(ready)
    expect(events).toEqual([])
    await page.close()
  })

  it('a worker that is not served fails the agent and its run', async () => {
    const page = await open()
    await page.route('**/agent.worker*', (route) => route.fulfill({ status: 404 }))
    const { ready, answer } = await call(page, 'run', [{ text: 'Never.' }])
    expect(ready).toMatch(/^worker_failed: .*could not be loaded/)
    expect(answer).toBe(ready)
    await page.close()
  })

  it.each([
    ['blocked', without(strictPolicies.agentWorker, /worker-src 'self'/, "worker-src 'none'")],
    [
      'not allowed by the Trusted Types of the agent worker',
      `${strictPolicies.agentWorker}; require-trusted-types-for 'script'; trusted-types 'none'`,
    ],
    ['unable to compile its engine', without(strictPolicies.agentWorker, / 'wasm-unsafe-eval'/)],
  ])('a sandbox that is %s ends the script with an error, and the run goes on', async (_, policy) => {
    const page = await open({ agentWorker: policy })
    const replies: ScriptedReply[] = [
      { calls: [{ tool: 'run_script', input: { code: 'return await tools.look({})' } }] },
      { calls: [{ tool: 'look' }] },
      { text: 'Then without a script.' },
    ]
    const { answer, events } = await call(page, 'run', replies)
    expect(answer).toBe('Then without a script.')
    const results = events.filter(({ type }) => type === 'tool-result')
    expect(results).toMatchObject([
      { callId: '1.0', outcome: 'error', failure: { code: expect.stringMatching(/./) } },
      { callId: '2.0', outcome: 'ok', output: 'There.' },
    ])
    await page.close()
  })

  it.each([
    ['read', 'look', { outcome: 'ok', output: 'There.' }, { outcome: 'ok', output: 'There.' }, ['look']],
    ['write', 'write', { outcome: 'unknown' }, { outcome: 'error', failure: { code: 'script_tool_error' } }, []],
  ])('a page that closes in the middle of a %s: the next page %ss no more than it may', async (...row) => {
    const [, toolName, ofCall, ofScript, askedAgain] = row
    const context = await site.browser.newContext()
    const first = await context.newPage()
    await first.goto(site.url)
    await call(first, 'begin', 'closed', toolName)
    await first.close()
    const next = await context.newPage()
    await next.goto(site.url)
    const { events, asked } = await call(next, 'goOn', 'closed')
    const results = events.filter((event) => event.type === 'tool-result')
    expect(results).toMatchObject([
      { callId: '1.0/0', ...ofCall },
      { callId: '1.0', ...ofScript },
    ])
    expect(asked).toEqual(askedAgain)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
    await context.close()
  })
})

describe.each(['es', 'iife'] as const)('a page whose workers are built as %s', { timeout: 60_000 }, (workerFormat) => {
  it('runs scripts under the strict policies, also where one policy is sent with every file', async () => {
    const site = await openSite('boundary', workerFormat)
    try {
      const everywhere = strictPolicies.page
      expect(everywhere).toMatch(/require-trusted-types-for 'script'; trusted-types handrail/)
      const one = { page: everywhere, agentWorker: everywhere, sandboxWorker: everywhere }
      for (const url of [site.url, await site.serveUnder(one)]) {
        const page = await site.browser.newPage()
        await page.goto(url)
        const code = 'return (await tools.look({})) + new Intl.NumberFormat("de").format(1.5)'
        const { answer, events } = await call(page, 'run', [
          { calls: [{ tool: 'run_script', input: { code } }] },
          { text: 'Done.' },
        ])
        expect(answer).toBe('Done.')
        expect(events.filter(({ type }) => type === 'tool-result')).toContainEqual(
          expect.objectContaining({ callId: '1.0', outcome: 'ok', output: 'There.1,5' }),
        )
        await page.close()
      }
    } finally {
      await site.close()
    }
  })
})
