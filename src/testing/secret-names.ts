import { isJsonObject, type Json } from '../core/json.js'

/** What stands for a secret outside the page. A tool that runs again gives another for the same one. */
const reference = /secret:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Which reference of now is which of the recorded run: the log speaks of the recorded ones only, the page of its own. */
export class SecretNames {
  readonly #toRecorded = new Map<string, string>()
  readonly #toNow = new Map<string, string>()

  /** Pairs those that stand at the same place. */
  learn(recorded: Json | undefined, now: Json | undefined): void {
    if (typeof recorded === 'string' && typeof now === 'string') {
      const [before, after] = [recorded.match(reference) ?? [], now.match(reference) ?? []]
      for (const [i, name] of after.entries()) if (before[i] !== undefined) this.#pair(before[i], name)
    }
    if (Array.isArray(recorded) && Array.isArray(now))
      for (const [i, item] of now.entries()) this.learn(recorded[i] as Json | undefined, item as Json)
    if (isJsonObject(recorded as Json) && isJsonObject(now as Json))
      for (const [name, item] of Object.entries(now as object))
        if (Object.hasOwn(recorded as object, name))
          this.learn((recorded as { readonly [field: string]: Json })[name], item as Json)
  }

  toRecorded<T>(value: T): T {
    return this.#toRecorded.size === 0 ? value : renamed(value, this.#toRecorded)
  }

  toNow<T>(value: T): T {
    return this.#toNow.size === 0 ? value : renamed(value, this.#toNow)
  }

  #pair(recorded: string, now: string): void {
    this.#toRecorded.set(now, recorded)
    this.#toNow.set(recorded, now)
  }
}

const renamed = <T>(value: T, names: ReadonlyMap<string, string>): T =>
  JSON.parse(JSON.stringify(value).replace(reference, (name) => names.get(name) ?? name)) as T
