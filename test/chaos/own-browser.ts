import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext } from 'playwright'
import { chromiumArguments, findChromium } from '../../scripts/chromium.mjs'

const startTimeout = 60_000

const args = [
  ...chromiumArguments,
  '--headless',
  '--remote-debugging-port=0',
  '--disable-dev-shm-usage',
  '--disable-breakpad',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--hide-crash-restore-bubble',
  '--mute-audio',
]

/** A Chromium with a profile of its own, which is kept when its process is killed and started again. */
export class OwnBrowser {
  readonly #profile = mkdtempSync(join(tmpdir(), 'handrail-profile-'))
  #process!: ChildProcess
  #browser!: Browser
  readonly #onExit = () => this.#signal()

  static async start(): Promise<OwnBrowser> {
    const own = new OwnBrowser()
    process.on('exit', own.#onExit)
    await own.#launch()
    return own
  }

  /** The one that uses the profile. */
  get context(): BrowserContext {
    return this.#browser.contexts()[0]!
  }

  /** SIGKILL, to the process that was started here and its children; then another on the same profile. */
  async killAndStart(): Promise<void> {
    await this.#kill()
    await this.#launch()
  }

  async close(): Promise<void> {
    process.off('exit', this.#onExit)
    await this.#kill()
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  async #launch(): Promise<void> {
    // A group of its own, so that no child outlives it.
    this.#process = spawn(findChromium()!, [...args, `--user-data-dir=${this.#profile}`, 'about:blank'], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#browser = await chromium.connectOverCDP(await endpointOf(this.#process))
  }

  async #kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#signal()
      await gone
    }
    await this.#browser.close().catch(() => undefined)
  }

  #signal(): void {
    try {
      process.kill(-this.#process.pid!, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
}

function endpointOf(started: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const fail = (why: string) => reject(new Error(`Chromium did not start: ${why}\n${said}`))
    const timer = setTimeout(() => fail('it says nothing'), startTimeout)
    started.once('exit', () => fail('it ended'))
    started.once('error', (error) => fail(String(error)))
    // Read to the end: a full pipe would hold it up.
    started.stderr!.on('data', (chunk: Buffer) => {
      if (said.length < 10_000) said += String(chunk)
      const endpoint = /listening on (ws:\S+)/.exec(said)?.[1]
      if (endpoint === undefined) return
      clearTimeout(timer)
      resolve(endpoint)
    })
  })
}
