import type { Model, ModelConfig } from '../models/model.js'
import type { Sandbox } from '../sandbox/script.js'
import type { Store } from '../store/store.js'
import type { Validator } from '../tools/fault.js'
import type { Channel } from './channel.js'
import type { Locks } from './lease.js'

/** In bytes. */
export interface StorageUse {
  readonly usage: number
  readonly quota: number
}

/** What an agent worker is made of, put together in `worker.ts`. The runtime reaches the world through nothing else. */
export interface Platform {
  readonly openStore: (kind: 'indexeddb' | 'memory') => Promise<Store>
  /** @throws {HandrailError} `unknown_provider`. */
  readonly loadModel: (config: ModelConfig) => Promise<Model>
  readonly loadValidator: () => Promise<Validator>
  readonly createSandbox: () => Sandbox
  readonly openChannel: (name: string) => Channel
  readonly locks: Locks
  /** Bytes that the origin has stored, and may store; undefined where nobody knows. */
  readonly storage: () => Promise<StorageUse | undefined>
  readonly now: () => number
  readonly newId: () => string
  /** An unsigned integer of 32 bits that nobody can guess. */
  readonly newSeed: () => number
}
