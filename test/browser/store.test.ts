import { describe, expect, it } from 'vitest'
import { openIndexedDbStore } from '../../src/store/indexeddb.js'
import { runOf } from '../conformance/store-fixtures.js'
import { storeConformance } from '../conformance/store.js'
import { indexedDbConformance } from '../conformance/store-indexeddb.js'

let databases = 0

describe('the store in IndexedDB, in a browser', () => {
  storeConformance(() => openIndexedDbStore(`test-${databases++}`))
  indexedDbConformance()
})

describe('several workers that write one log', () => {
  it('each get every position that no other has, and no event is lost', async () => {
    const store = await openIndexedDbStore('test-workers')
    const { head, first } = runOf('r1')
    await store.start(head, first)
    const url = new URL('./store.worker.ts', import.meta.url)
    const workers = [0, 1, 2].map(() => new Worker(url, { type: 'module' }))
    const written = await Promise.all(
      workers.map(
        (worker, i) =>
          new Promise<string[]>((resolve, reject) => {
            worker.addEventListener('message', ({ data }: MessageEvent<string[]>) => resolve(data))
            worker.addEventListener('error', (event) => reject(new Error(event.message)))
            worker.postMessage({ database: 'test-workers', runId: 'r1', name: `worker ${i}`, count: 50 })
          }),
      ),
    )
    for (const worker of workers) worker.terminate()
    const log = await store.read('r1')
    expect(log).toHaveLength(151)
    const texts = log.slice(1).map((event) => (event.type === 'user-message' ? event.text : event.type))
    expect(texts.toSorted()).toEqual(written.flat().toSorted())
    store.close()
  })
})
