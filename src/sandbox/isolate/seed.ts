/** The engine seeds its random generator with the time at which it starts: this is the time to show it. */
export function seedTime(seed: number): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, seed)
  const high = mix(view.getUint32(0))
  const low = mix(view.getUint32(4) ^ high)
  return (high & 0x1ff) * 2 ** 32 + low
}

/** Every bit of the result depends on every bit of the word: small seeds would else begin with much the same numbers. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16) ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
