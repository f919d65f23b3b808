import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effect } from './ledger.js'
import type { TabReport } from './tab-report.js'
import type { Disturbance, NetworkFault, Plan } from './plan.js'
import { ServerLedger } from './server-ledger.js'

/** Milliseconds by which a request or its answer is late: longer than the tool waits. */
export const lateness = 1_500

export interface Hit extends Disturbance {
  readonly tab: number
  /** Sessions whose run was open. */
  readonly sessions: readonly string[]
}

/** An event that a tab was told of, so that it must be in the log for ever: its position, type and time. */
export type Witness = readonly [runId: string, seq: number, type: string, at: number]

/** What the pages of one plan have told. */
export interface Told {
  readonly plan: Plan
  readonly hits: Hit[]
  readonly complaints: string[]
  readonly seen: Witness[]
  readonly network: NetworkFault[]
  /** Of each tab that has come to its end. */
  readonly reports: (TabReport | undefined)[]
}

export interface Conducted {
  readonly told: Told
  /** When all tabs have come to their end. */
  readonly ended: Promise<void>
  /** The tab was opened again: what it said of its end counts no more. */
  forget(tab: number): void
}

/** What the pages talk to: it knows their plan, remembers over every end what was done, and is the server of their tools. */
export class Conductor {
  readonly #pages = new Map<string, { told: Told; onHit(hit: Hit): void; end(): void; requests: number }>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'handrail-ledger-'))
  readonly ledger = new ServerLedger(join(this.#folder, 'ledger.jsonl'))
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        console.error(`The conductor failed: ${String(error)}`)
        response.destroy()
      })
    })
  }

  static async open(): Promise<Conductor> {
    const conductor = new Conductor()
    await new Promise<void>((resolve) => conductor.#server.listen(0, '127.0.0.1', resolve))
    return conductor
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** `onHit`: a tab has to be closed, or the browser killed. */
  conduct(plan: Plan, onHit: (hit: Hit) => void): Conducted {
    const told: Told = {
      plan,
      hits: [],
      complaints: [],
      seen: [],
      network: [],
      reports: plan.tabs.map(() => undefined),
    }
    const ended = new Promise<void>((end) => this.#pages.set(plan.name, { told, onHit, end, requests: 0 }))
    return { told, ended, forget: (tab) => (told.reports[tab] = undefined) }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    this.ledger.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url)
    const page = this.#pages.get(searchParams.get('page') ?? '')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (!page) return void response.writeHead(404).end()
    const body = JSON.parse(Buffer.concat(chunks).toString() || 'null') as never
    const answer = (value: unknown) => {
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'application/json' })
      response.end(JSON.stringify(value ?? null))
    }
    const tab = Number(searchParams.get('tab'))
    const { told } = page
    switch (pathname) {
      case '/plan':
        return answer({ plan: told.plan, done: told.hits.filter((hit) => hit.tab === tab).length })
      case '/seen':
        told.seen.push(...(body as readonly Witness[]))
        return answer(null)
      case '/effects':
        return answer(this.ledger.effects())
      case '/complain':
        told.complaints.push(`tab ${tab}: ${String(body)}`)
        return answer(null)
      case '/report':
        told.reports[tab] = body
        answer(null)
        if (told.reports.every(Boolean)) page.end()
        return
      case '/hit': {
        const hit: Hit = {
          ...told.plan.tabs[tab]![told.hits.filter((one) => one.tab === tab).length]!,
          tab,
          sessions: body,
        }
        told.hits.push(hit)
        // The page stands still until it is gone.
        if (hit.victim !== 'browser') answer(null)
        return page.onHit(hit)
      }
      case '/act':
      case '/settle': {
        const fault = told.plan.network[page.requests++] ?? null
        if (fault) told.network.push(fault)
        return this.#withFault(fault, response, answer, () => this.#ask(pathname, body))
      }
    }
  }

  #ask(
    path: string,
    body: { effect: Effect; request: string; isIdempotent: boolean; key: string },
  ): { number?: number } {
    if (path === '/settle') return { number: this.ledger.settle(body.key) }
    return { number: this.ledger.act(body.effect, body.request, body.isIdempotent) }
  }

  async #withFault(
    fault: NetworkFault | null,
    response: ServerResponse,
    answer: (value: unknown) => void,
    ask: () => unknown,
  ): Promise<void> {
    const late = () => new Promise((resolve) => setTimeout(resolve, lateness))
    if (fault === 'drop') return void response.destroy()
    if (fault === 'late') await late()
    const value = ask()
    switch (fault) {
      case 'lose':
        return void response.destroy()
      case 'cut':
        response.writeHead(200, { 'access-control-allow-origin': '*', 'content-length': 1_000 })
        response.write('{"number":', () => response.destroy())
        return
      case 'error':
        return void response.writeHead(500, { 'access-control-allow-origin': '*' }).end()
      case 'delay':
        await late()
        return answer(value)
      case 'double':
        return answer(ask())
      case 'late':
      case null:
        return answer(value)
    }
  }
}
