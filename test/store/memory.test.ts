import { describe } from 'vitest'
import { createMemoryStore } from '../../src/store/memory.js'
import { storeConformance } from '../conformance/store.js'

describe('the store in memory', () => {
  storeConformance(async () => createMemoryStore())
})
