import type { Emscripten } from './instance.js'

/** What the engine counts down from, each time, to the next question whether to stop. */
const interval = 10_000
/** Bytes of the engine's context that are searched for the countdown. */
const contextBytes = 400
const shortest = 20
const longest = 2_000

/**
 * Makes the engine ask sooner. It asks at every 10,000th check, which takes many seconds where a check is a long copy or
 * the text of a deep stack. Call it while the engine asks: its countdown has then just begun again, and is the one word of its
 * context with that number. Where it is not, nothing is changed.
 */
export function createCountdown({ emscripten, context }: { emscripten: Emscripten; context: number }): () => void {
  let address: number | undefined
  let next = 200
  let askedAt = performance.now()

  function find(): number {
    const words = [...new Int32Array(emscripten.HEAPU8.buffer, context, contextBytes / 4)]
    const at = words.indexOf(interval)
    return at >= 0 && at === words.lastIndexOf(interval) ? context + at * 4 : 0
  }

  return () => {
    address ??= find()
    if (address === 0) return
    const now = performance.now()
    const gap = now - askedAt
    askedAt = now
    if (gap > 5) next = Math.max(shortest, next >> 2)
    else if (gap < 0.5) next = Math.min(longest, next * 2)
    new Int32Array(emscripten.HEAPU8.buffer, address, 1)[0] = next
  }
}
