import 'fake-indexeddb/auto'
import { describe } from 'vitest'
import { openIndexedDbStore } from '../../src/store/indexeddb.js'
import { storeConformance } from '../conformance/store.js'
import { indexedDbConformance } from '../conformance/store-indexeddb.js'

let databases = 0

describe('the store in IndexedDB', () => {
  storeConformance(() => openIndexedDbStore(`test-${databases++}`))
  indexedDbConformance()
})
