import { openIndexedDbStore } from '../../src/store/indexeddb.js'
import { codeOf, say } from '../conformance/store-fixtures.js'

/** Appends `count` events where the log ends, whoever else writes; answers with their texts. */
addEventListener('message', async ({ data: { database, runId, name, count } }) => {
  const store = await openIndexedDbStore(database)
  const texts: string[] = []
  while (texts.length < count) {
    const text = `${name}: ${texts.length}`
    const seq = (await store.read(runId)).length
    const code = await codeOf(store.append(runId, seq, say(text), 'relaxed'))
    if (code === 'none') texts.push(text)
    else if (code !== 'store_conflict') throw new Error(`Cannot write: ${code}`)
  }
  store.close()
  postMessage(texts)
})
