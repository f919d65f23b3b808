import { openIndexedDbStore } from '../../src/store/indexeddb.js'
import type { RunEvent } from '../../src/core/events.js'
import type { Durability } from '../../src/store/store.js'
import { codeOf, runOf, say } from '../conformance/store-fixtures.js'

/** Runs in a page that a test of `chromium.test.ts` opens, fills or kills. */
const page = {
  /** Appends for ever, and tells the test of each event after it was acknowledged. */
  async write(acknowledged: (seq: number) => Promise<void>): Promise<void> {
    const store = await openIndexedDbStore()
    const { head, first } = runOf('r1')
    await store.start(head, first)
    for (let seq = 1; ; seq++) {
      await store.append('r1', seq, say(`event ${seq}`), durability(seq))
      void acknowledged(seq)
    }
  },

  /** Appends until it is refused; starts a run that has no room either. */
  async fill(): Promise<{ acknowledged: number; append: string; start: string; runs: number; stored: number[] }> {
    const store = await openIndexedDbStore()
    const { head, first } = runOf('r1')
    await store.start(head, first)
    let acknowledged = 0
    let append = 'none'
    while (append === 'none' && acknowledged < 200) {
      const seq = acknowledged + 1
      append = await codeOf(store.append('r1', seq, say(`${seq} ${noise(500_000)}`), durability(seq)))
      if (append === 'none') acknowledged = seq
    }
    const next = runOf('r2', { index: 1 })
    const start = await codeOf(store.start(next.head, [...next.first, say(noise(5_000_000))]))
    const runs = (await store.runs('ann', 's1')).length
    const whole = (await store.read('r1')).filter((event) => 'text' in event && event.text.length > 500_000)
    const stored = whole.map((event) => ('text' in event ? Number.parseInt(event.text, 10) : 0))
    return { acknowledged, append, start, runs, stored }
  },

  async append(seq: number): Promise<string> {
    const store = await openIndexedDbStore()
    return codeOf(store.append('r1', seq, say(`event ${seq}`), 'strict'))
  },

  async read(): Promise<RunEvent[]> {
    const store = await openIndexedDbStore()
    return store.read('r1')
  },
}
export type StorePage = typeof page

const durability = (seq: number): Durability => (seq % 2 === 0 ? 'relaxed' : 'strict')

/** Text that the database cannot compress. */
function noise(characters: number): string {
  let text = ''
  while (text.length < characters) text += String.fromCharCode(...crypto.getRandomValues(new Uint8Array(8192)))
  return text.slice(0, characters)
}

Object.assign(globalThis, { storePage: page })
