/** The candidate that looks most like `name`, if one is near enough to be a slip. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name)
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  let best: string | undefined
  let least = limit + 1
  for (const candidate of candidates) {
    const cost = distance(wanted, plain(candidate), least)
    if (cost < least) [best, least] = [candidate, cost]
  }
  return best
}

/** `getOrders`, `get-orders` and `get_orders` are one name to a model. A name may be as long as a reply: only its start counts. */
const plain = (name: string): string =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

/** Insertions, deletions, replacements and swaps of neighbours; `limit` when there are more. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next[j] = Math.min(row![j]! + 1, next[j - 1]! + 1, row![j - 1]! + same)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) next[j] = Math.min(next[j]!, before![j - 2]! + 1)
    }
    ;[before, row] = [row, next]
  }
  return Math.min(limit, row![b.length]!)
}
