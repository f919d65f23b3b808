import type { Remark } from '../core/events.js'
import type { Json, JsonObject } from '../core/json.js'

/** What becomes of a part of a request: the fields that say it, and what of it is not said. */
export interface Told {
  readonly fields: JsonObject
  readonly remarks: readonly Remark[]
}

/** Of a setting that the model is known not to take. */
export const ignored = (setting: string, value: Json): Remark => ({
  code: 'setting_ignored',
  detail: { setting, value },
})

/** Of what nobody knows there may be much. */
const mostUnknown = 20
const mostCharacters = 4_000

/** The remarks of one reply, in their order. */
export function createRemarks(first: readonly Remark[] = []) {
  const list = [...first]
  let unknown = 0
  return {
    note: (remark: Remark) => void list.push(remark),
    /** An event that we do not know. */
    unknown(event: Json) {
      if (unknown++ >= mostUnknown) return
      const text = JSON.stringify(event)
      list.push({ code: 'unknown_event', detail: text.length > mostCharacters ? text.slice(0, mostCharacters) : event })
    },
    all: (): { readonly remarks?: readonly Remark[] } => (list.length > 0 ? { remarks: list } : {}),
  }
}
