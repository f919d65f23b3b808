import type { Model, ModelConfig } from '../models/model.js'
import type { Sandbox } from '../sandbox/script.js'
import type { Store } from '../store/store.js'
import type { Validator } from '../tools/fault.js'
import type { Channel } from './channel.js'
import type { Locks } from './lease.js'

/** What an agent worker is made of, put together in `worker.ts`. The runtime reaches the world through nothing else. */
export interface Platform {
  openStore(kind: 'indexeddb' | 'memory'): Promise<Store>
  /** @throws {HandrailError} `unknown_provider`. */
  loadModel(config: ModelConfig): Promise<Model>
  loadValidator(): Promise<Validator>
  createSandbox(): Sandbox
  openChannel(name: string): Channel
  readonly locks: Locks
  now(): number
  newId(): string
  /** An unsigned integer of 32 bits that nobody can guess. */
  newSeed(): number
}
