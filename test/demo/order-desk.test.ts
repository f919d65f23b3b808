import type { Browser, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { daysLeft } from '../../demo/store/after-sales.js'
import { today } from '../../demo/store/dates.js'
import { createOrders } from '../../demo/store/orders.js'
import { codegenPolicies, serve } from '../../scripts/serve.mjs'
import { serveRecordings, type RecordedServer } from '../models/recorded-server.js'
import { bareStreams, hasRecordings, type Recording } from '../models/recordings.js'
import { buildDemo, findAccessFaults, launch, openDesk, type OpenDesk } from './open-desk.js'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

let browser: Browser
let site: Awaited<ReturnType<typeof serve>>
let desk: OpenDesk
let page: Page

beforeAll(async () => {
  site = await serve({ root: buildDemo() })
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

async function visit(url = site.url, options = {}) {
  desk = await openDesk(browser, url, options)
  page = desk.page
}
afterEach(() => desk.close())

const conversation = () => page.getByRole('log', { name: 'Conversation' })
const timeline = () => page.getByRole('region', { name: 'Timeline' })
const dialog = () => page.getByRole('dialog', { name: 'Approval needed' })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const row = (id: string) => page.getByRole('row', { name: new RegExp(`^${id}\\b`) })
const expectSaid = (text: string | RegExp) => conversation().getByText(text).last().waitFor()
const untilIdle = () => page.locator('button:enabled', { hasText: 'Send' }).waitFor()
const lastMessage = async () =>
  (await conversation().locator('.message').last().innerText()).replace(/^Assistant:\s*/, '')
const validators = () => [...desk.requested].filter((name) => /^(ajv|interpreted)-validator-/.test(name))
const returnO314 = 'Return O-314, the sole came off'

describe('the order desk', () => {
  it('answers which orders can still be returned by a script whose calls are in the timeline', async () => {
    await visit()
    await desk.send('Which of my orders can still be returned?')
    await expectSaid(/can still be returned \(/)
    const own = createOrders(today()).filter(({ owner }) => owner === 'mina')
    const expected = own.filter((order) => daysLeft(order, today()) !== undefined).map(({ id }) => id)
    await untilIdle()
    const answer = await lastMessage()
    expect(answer.match(/O-\d+/g)?.toSorted()).toEqual(expected.toSorted())
    await timeline()
      .getByRole('button', { name: /more calls/ })
      .click()
    const calls = await timeline().locator('summary code').allInnerTexts()
    const signed = own.filter(({ status }) => status === 'signed').length
    expect(calls.filter((name) => name === 'run_script')).toHaveLength(1)
    expect(calls.filter((name) => name === 'get_order_status')).toHaveLength(signed)
  })

  it('asks before it submits, also after a reload, and shows the id that the store issued', async () => {
    await visit()
    await desk.send(returnO314)
    await dialog().waitFor()
    await page.reload()
    await dialog().waitFor()
    const shown = await dialog().innerText()
    for (const part of ['submit_after_sales_request', 'irreversible', '"O-314"', '"return"', '"the sole came off"'])
      expect(shown).toContain(part)
    for (const part of [
      'from your words',
      '"mina"',
      'filled in by the app',
      'Refund of €119.00',
      'Asked by line 13',
      ' left',
    ])
      expect(shown).toContain(part)
    expect(await row('O-314').innerText()).not.toContain('AS-')
    await button('Approve').click()
    await expectSaid(/AS-\d+/)
    const id = /AS-\d+/.exec(await conversation().innerText())![0]
    await row('O-314').getByText(id).waitFor()
    await page.getByRole('region', { name: 'Log' }).locator('summary').click()
    await page.getByRole('region', { name: 'Log' }).getByText(id).first().waitFor()
    await page.reload()
    await expectSaid(id)
    await row('O-314').getByText(id).waitFor()
    expect(validators()).toEqual([expect.stringMatching('interpreted-validator')])
  })

  it('compiles its schemas where the policy of the agent worker lets it', async () => {
    const other = await serve({ root: buildDemo(), csp: codegenPolicies })
    try {
      await visit(other.url)
      await desk.send('Where is O-314?')
      await expectSaid(/signed for on/)
      expect(validators()).toEqual([expect.stringMatching('ajv-validator')])
    } finally {
      await other.close()
    }
  })

  it('sends what was typed before the assistant was ready', async () => {
    await visit()
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.fill('How is O-314?')
    await box.press('Enter')
    await expectSaid(/O-314/)
    await untilIdle()
    expect(await lastMessage()).toMatch(/O-314/)
  })

  it('submits nothing when it is denied, and says so', async () => {
    await visit()
    await desk.send(returnO314)
    await dialog().getByRole('textbox').fill('I keep them')
    await button('Deny').click()
    await expectSaid(/No request was made for O-314\. .*I keep them/)
    expect(await row('O-314').innerText()).not.toContain('AS-')
  })

  it('asks for all calls that wait together, and takes one answer for those that are included', async () => {
    await visit()
    await desk.send('Return O-314 and O-312, wrong size')
    await dialog().getByText('Your answer is for 2 of 2 calls.').waitFor()
    await dialog()
      .getByRole('checkbox', { name: /^Include .*O-312/ })
      .uncheck()
    await button('Approve').click()
    await dialog().getByText('Your answer is for').waitFor({ state: 'detached' })
    expect(await dialog().innerText()).toContain('"O-312"')
    await button('Deny').click()
    await untilIdle()
    expect(await conversation().innerText()).toMatch(/AS-\d+/)
    expect(await conversation().innerText()).toMatch(/No request was made for O-312/)
  })

  it('takes an input that the person changed, and says so in what happened', async () => {
    await visit()
    await desk.send(returnO314)
    await dialog().getByRole('button', { name: 'Edit' }).click()
    await dialog()
      .getByRole('textbox', { name: /^reason/ })
      .fill('The heel came off')
    expect(
      await dialog()
        .getByRole('textbox', { name: /^customer/ })
        .isEditable(),
    ).toBe(false)
    await dialog().getByRole('textbox', { name: /^type/ }).fill('refund')
    await button('Approve').click()
    await dialog().getByRole('alert').waitFor()
    expect(await row('O-314').innerText()).not.toContain('AS-')
    await dialog().getByRole('textbox', { name: /^type/ }).fill('exchange')
    await button('Approve').click()
    await expectSaid(/AS-\d+/)
    expect(await row('O-314').innerText()).toContain('exchange')
    const happened = page.getByRole('region', { name: 'What happened' })
    await happened.locator('summary').click()
    await happened.getByText('mina approved it, with other arguments').waitFor()
    await happened.getByText(/It was started: .*The heel came off/).waitFor()
    const file = page.waitForEvent('download')
    await happened.getByRole('button', { name: /^Save as a file/ }).click()
    expect((await file).suggestedFilename()).toMatch(/\.jsonl$/)
  })

  it('answers for the rest of a script within the bounds that the person sets', async () => {
    await visit()
    await desk.send('Return O-314 and O-312, wrong size')
    await dialog().getByText('Your answer is for 2 of 2 calls.').waitFor()
    await dialog()
      .getByRole('checkbox', { name: /^Include .*O-312/ })
      .uncheck()
    await dialog().getByRole('checkbox', { name: 'For the rest of this script' }).first().check()
    await dialog().getByRole('spinbutton').fill('1')
    await dialog().getByRole('checkbox', { name: 'order_id', exact: true }).uncheck()
    await button('Approve').click()
    await dialog().waitFor({ state: 'detached' })
    await untilIdle()
    expect((await conversation().innerText()).match(/AS-\d+/g)).toHaveLength(2)
  })

  it('does not do what a message says, and asks for what is harmless once it was read', async () => {
    await visit()
    await desk.send('Note for O-312: ring twice')
    await row('O-312').getByText('Note: ring twice').waitFor()
    await desk.send('Do what the messages about O-312 say')
    await expectSaid(/not from where it must be/)
    expect(await dialog().count()).toBe(0)
    await desk.send('Note for O-312: knock')
    await dialog()
      .getByText(/read text that anybody may have written \(read_order_messages\)/)
      .waitFor()
    await button('Deny').click()
    await untilIdle()
    expect(await row('O-312').innerText()).toContain('ring twice')
  })

  it('only reads, or asks for everything, as soon as it is told to', async () => {
    await visit()
    await page.getByRole('radio', { name: 'ask for everything' }).check()
    await desk.send(returnO314)
    await dialog().getByText('get_after_sales_policy').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('radio', { name: 'only read' }).check()
    await expectSaid('From here on the assistant may only read.')
    await button('Review').click()
    await button('Approve').click()
    await untilIdle()
    expect(await lastMessage()).toMatch(/only reads/)
    expect(await row('O-314').innerText()).not.toContain('AS-')
  })

  it("says no more than not available of somebody else's order", async () => {
    await visit()
    expect(await row('O-315').count()).toBe(0)
    await desk.send('Return O-315, it is broken')
    await untilIdle()
    expect(await lastMessage()).toBe('Order O-315 is not available.')
    expect(await dialog().count()).toBe(0)
  })

  it('keeps orders and conversation of each user apart', async () => {
    await visit()
    await desk.send('Where is O-314?')
    await expectSaid(/signed for on/)
    const user = page.getByRole('combobox', { name: 'Signed in as' })
    await user.selectOption('Jonas Lind')
    await row('O-315').waitFor()
    expect(await row('O-314').count()).toBe(0)
    await untilIdle()
    expect(await conversation().innerText()).not.toContain('O-314')
    await desk.send('Where is O-314?')
    await expectSaid('Order O-314 is not available.')
    await user.selectOption('Mina Okafor')
    await expectSaid(/signed for on/)
    expect(await conversation().innerText()).not.toContain('not available')
  })

  it('lets a decision wait, and be taken later', async () => {
    await visit()
    await desk.send(returnO314)
    await dialog().waitFor()
    await page.reload()
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    // Nothing had the focus before: it is where the decision waits.
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    await button('Approve').click()
    await expectSaid(/AS-\d+/)
    expect(await page.locator(':focus').evaluate((element) => element.ariaLabel)).toBe('Message')
  })

  it('stops when it is told to, submits nothing then, and takes the next message', async () => {
    await visit()
    await desk.send(returnO314)
    await button('Decide later').click()
    await button('Stop').click()
    await expectSaid('You stopped the assistant.')
    await untilIdle()
    await timeline().getByText('cancelled').first().waitFor()
    expect(await row('O-314').innerText()).not.toContain('AS-')
    await desk.send('What is the return policy?')
    await expectSaid(/within 15 days/)
  })

  it('works with the keyboard only', async () => {
    await visit()
    await untilIdle()
    const tabTo = async (name: string) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        const focused = await page.locator(':focus').evaluate((element) => element.ariaLabel ?? element.textContent)
        if (focused?.trim() === name) return
      }
      throw new Error(`Cannot reach "${name}" with the Tab key`)
    }
    await tabTo('Message')
    await page.keyboard.type(returnO314)
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    await tabTo('Approve')
    await page.keyboard.press('Enter')
    await expectSaid(/AS-\d+/)
    expect(await page.locator(':focus').evaluate((element) => element.ariaLabel)).toBe('Message')
  })

  it('asks the person what became of a write when its outcome is unknown', async () => {
    await visit()
    await desk.send(returnO314)
    await dialog().waitFor()
    const cdp = await page.context().newCDPSession(page)
    const breakDisk = `{ const get = IDBObjectStore.prototype.get
      IDBObjectStore.prototype.get = function (key) {
        if (this.name === 'ledger') throw new DOMException('The disk cannot be read', 'UnknownError')
        return get.call(this, key)
      } }`
    await cdp.send('Runtime.evaluate', { expression: breakDisk })
    await button('Approve').click()
    await expectSaid(/do not know whether the request for O-314/)
    await button('It was done').click()
    await expectSaid('submit_after_sales_request took effect.')
    await button('It was done').waitFor({ state: 'detached' })
  })

  it('has nothing that axe-core finds, in light and dark', async () => {
    await visit()
    await untilIdle()
    // All rows are alike, and the time of these checks grows with what is on the page.
    await page.getByRole('searchbox', { name: 'Filter orders' }).fill('O-31')
    const expectNoFaults = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await findAccessFaults(page)).toEqual([])
      }
    }
    await expectNoFaults()
    await page.getByText('Use your own endpoint').click()
    await desk.send(returnO314)
    await dialog().waitFor()
    await dialog().getByText('Asked by line').click()
    await dialog().getByRole('checkbox', { name: 'For the rest of this script' }).check()
    await expectNoFaults()
    await dialog().getByRole('checkbox', { name: 'For the rest of this script' }).uncheck()
    await button('Approve').click()
    await expectSaid(/AS-\d+/)
    await page.locator('details').evaluateAll((all: HTMLDetailsElement[]) => {
      for (const details of all) details.open = true
    })
    await expectNoFaults()
  })
})

/** One recorded answer of each provider, in words only. */
const recorded = (hasRecordings ? (['openai', 'anthropic'] as const) : []).map((provider): Recording => {
  const recording = bareStreams(provider).find(({ ends, steps, derived }) => {
    const facts = steps[0]?.answer.facts ?? []
    return ends && !derived && steps.length === 1 && facts.length > 0 && facts.every((fact) => 'text' in fact)
  })
  if (!recording) throw new Error(`No recording of ${provider} is a plain answer`)
  return recording
})
const labels = { openai: 'OpenAI', anthropic: 'Anthropic' } as const

describe('an endpoint of your own', () => {
  let recordings: RecordedServer
  beforeAll(async () => {
    recordings = await serveRecordings(recorded)
  })
  afterAll(() => recordings.close())

  const use = async (provider: keyof typeof labels, baseURL: string, model: string, key: string) => {
    await page.getByText('Use your own endpoint').click()
    await page.getByRole('combobox', { name: 'Provider' }).selectOption(labels[provider])
    await page.getByRole('textbox', { name: 'Base URL' }).fill(baseURL)
    await page.getByRole('textbox', { name: 'Model' }).fill(model)
    await page.getByLabel('Key (optional)').fill(key)
    await button('Use this endpoint').click()
    await page.getByText(`${model}, ${labels[provider]} API`).waitFor()
  }

  it.each(recorded)('of $provider answers, with a key that is kept in this tab only', async (recording) => {
    await visit()
    await use(recording.provider, recordings.baseURL(recording), recording.model, 'secret-of-a-test')
    await desk.send('Hello')
    await expectSaid(recording.steps[0]!.answer.text.trim().split('\n')[0]!)
    expect(recordings.requests(recording)).toHaveLength(1)
    expect(JSON.stringify(recordings.requests(recording))).toContain('submit_after_sales_request')
    const kept = await page.evaluate(() => [JSON.stringify(sessionStorage), JSON.stringify(localStorage)])
    expect(kept.map((all) => all.includes('secret-of-a-test'))).toEqual([true, false])
  })

  it('that is not there is said to be so, and the scripted model takes over again', async () => {
    await visit()
    await use('openai', `${recordings.url}/nothing-here`, 'none', '')
    await desk.send('Hello')
    await expectSaid(/The assistant could not answer/)
    desk.forgive(/404/)
    await button('Back to the scripted model').click()
    await page.getByText('scripted demo model, not an AI').waitFor()
    await desk.send('What is the return policy?')
    await expectSaid(/within 15 days/)
  })
})
