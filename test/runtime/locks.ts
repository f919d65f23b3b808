import type { Locks } from '../../src/runtime/lease.js'

interface Waiter {
  run(lock: unknown): void
}

/** Web Locks for Node, as far as a lease needs them: a queue for each name, `ifAvailable`, `steal` and `signal`. */
export function createLocks(): Locks {
  const holders = new Map<string, { lose(error: Error): void }>()
  const queues = new Map<string, Waiter[]>()

  const free = (name: string, holder: { lose(error: Error): void }) => {
    if (holders.get(name) !== holder) return
    holders.delete(name)
    queues.get(name)?.shift()?.run({ name })
  }

  return {
    request<T>(name: string, options: LockOptions, callback: (lock: unknown) => T | Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const hold = (lock: unknown) => {
          const holder = { lose: reject }
          holders.set(name, holder)
          void Promise.resolve(callback(lock))
            .then(resolve, reject)
            .finally(() => free(name, holder))
        }
        const stolen = options.steal ? holders.get(name) : undefined
        if (stolen) stolen.lose(new DOMException('The lock was stolen', 'AbortError'))
        if (stolen || !holders.has(name)) return hold({ name })
        if (options.ifAvailable) return void Promise.resolve(callback(null)).then(resolve, reject)
        const waiter = { run: hold }
        const queue = queues.get(name) ?? []
        queues.set(name, [...queue, waiter])
        options.signal?.addEventListener('abort', () => {
          queues.set(
            name,
            (queues.get(name) ?? []).filter((other) => other !== waiter),
          )
          reject(options.signal?.reason as Error)
        })
      })
    },
  }
}
