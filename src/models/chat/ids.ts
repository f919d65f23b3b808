import type { Message } from '../../core/transcript.js'
import { wireIds } from '../history.js'
import type { ModelConfig } from '../model.js'
import type { ChatCapabilities } from './capabilities.js'

/** The id of each call by its key, as `wireIds`, and nine letters and digits where the server demands it. */
export function chatIds(
  messages: readonly Message[],
  config: ModelConfig,
  { shortIds }: ChatCapabilities,
): ReadonlyMap<string, string> {
  const ids = wireIds(messages, config)
  if (!shortIds) return ids
  const taken = new Set<string>()
  return new Map(
    [...ids].map(([key, id]) => {
      let short = id
      for (let salt = 0; !/^[a-zA-Z0-9]{9}$/.test(short) || taken.has(short); salt++)
        short = nine(`${key} ${id} ${salt}`)
      taken.add(short)
      return [key, short]
    }),
  )
}

/** Nine letters and digits that stand for a text: two FNV-1a hashes in base 36. */
function nine(text: string): string {
  const hash = (seed: number) => {
    let value = seed
    for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193) >>> 0
    return value.toString(36).padStart(7, '0')
  }
  return `${hash(0x811c9dc5)}${hash(0x2f0b4c47).slice(-2)}`
}
