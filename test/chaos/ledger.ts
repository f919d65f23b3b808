import { openDB, type DBSchema, type IDBPDatabase } from 'idb'

/** A request that reached a tool of the page. */
export interface ToolRequest {
  readonly runId: string
  readonly callId: string
  readonly toolName: string
}
/** What a write did to the world. */
export interface Effect {
  readonly runId: string
  readonly key: string
  readonly input: unknown
}

interface Schema extends DBSchema {
  requests: { key: number; value: ToolRequest }
  effects: { key: number; value: Effect; indexes: { key: string } }
  /** Keys that are refused for ever. */
  voids: { key: string; value: true }
}

/**
 * The world outside the agent: a database of the page's own, which knows what was asked of its tools and what was done. Like a
 * server's, it is there after every kill, and its transactions come one after the other, of all tabs.
 */
export class Ledger {
  private constructor(private readonly db: IDBPDatabase<Schema>) {}

  static async open(): Promise<Ledger> {
    const db = await openDB<Schema>('world', 1, {
      upgrade(upgraded) {
        upgraded.createObjectStore('requests', { autoIncrement: true })
        upgraded.createObjectStore('effects', { autoIncrement: true }).createIndex('key', 'key')
        upgraded.createObjectStore('voids')
      },
    })
    return new Ledger(db)
  }

  async note(request: ToolRequest): Promise<void> {
    await this.db.add('requests', request)
  }

  /** Number of the effect; undefined if the key is void. A repeated key has a second effect, unless `isIdempotent`. */
  async act(effect: Effect, isIdempotent: boolean): Promise<number | undefined> {
    const { key } = effect
    const tx = this.db.transaction(['effects', 'voids'], 'readwrite')
    const effects = tx.objectStore('effects')
    const isVoid = await tx.objectStore('voids').get(key)
    const known = isIdempotent ? await effects.index('key').getKey(key) : undefined
    const number = isVoid ? undefined : (known ?? (await effects.add(effect)))
    await tx.done
    return number
  }

  /** Number of the effect of this key; if there is none, the key is void from now on. */
  async settle(key: string): Promise<number | undefined> {
    const tx = this.db.transaction(['effects', 'voids'], 'readwrite')
    const number = await tx.objectStore('effects').index('key').getKey(key)
    if (number === undefined) await tx.objectStore('voids').put(true, key)
    await tx.done
    return number
  }

  requests(): Promise<readonly ToolRequest[]> {
    return this.db.getAll('requests')
  }

  effects(): Promise<readonly Effect[]> {
    return this.db.getAll('effects')
  }
}
