/** Random numbers that a seed repeats. */
export interface Draw {
  /** From 0 to 1, without 1. */
  next(): number
  /** From `least` to `most`, both included. */
  whole(least: number, most: number): number
  chance(part: number): boolean
  pick<T>(list: readonly T[]): T
}

export function createDraw(seed: number): Draw {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return { next, whole, chance: (part) => next() < part, pick: (list) => list[whole(0, list.length - 1)]! }
}
