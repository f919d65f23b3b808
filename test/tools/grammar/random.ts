/** The same numbers for the same seed, on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed * 2_654_435_769 + 1
  }

  /** From 0, below `limit`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    const mixed = Math.imul(this.#state ^ (this.#state >>> 13), 0x297a2d39)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % limit
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  list<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make)
  }
}

/** A text with a few characters left out, put in, or moved. */
export function mutated(random: Random, text: string, characters: readonly string[]): string {
  let points = Array.from(text)
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(points.length + 1)
    const other = random.below(points.length + 1)
    const way = random.below(3)
    if (way === 0) points.splice(at, 1)
    else if (way === 1) points.splice(at, 0, random.of(characters))
    else points = [...points.slice(0, Math.min(at, other)), ...points.slice(Math.max(at, other))]
  }
  return points.join('')
}
