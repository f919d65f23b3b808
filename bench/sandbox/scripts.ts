import type { Script, Tools } from './contender.js'

export const calls = 1_000

/** A hundred bytes of JSON, with a nested array. */
export const orderTools: Tools = {
  get_order: ({ order_id }: { order_id: string }) => ({
    order_id,
    state: 'signed',
    total: 129,
    items: [
      { sku: 'B-1', n: 2 },
      { sku: 'B-2', n: 1 },
    ],
  }),
}

type Order = { readonly items: readonly unknown[] }

export const inTurn: Script = async (tools) => {
  await tools['begin']!({})
  let items = 0
  for (let i = 0; i < 1000; i++) items += ((await tools['get_order']!({ order_id: 'O-' + i })) as Order).items.length
  return items
}

export const atOnce: Script = async (tools) => {
  await tools['begin']!({})
  const orders = await Promise.all(Array.from({ length: 1000 }, (_, i) => tools['get_order']!({ order_id: 'O-' + i })))
  return orders.length
}

export const trivial: Script = () => 1

/** Work that needs no host, of some tens of milliseconds in the engine. */
export const compute: Readonly<Record<string, Script>> = {
  fib: async (tools) => {
    await tools['begin']!({})
    const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2))
    return fib(24)
  },
  sort: async (tools) => {
    await tools['begin']!({})
    let seed = 7
    const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648)
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, total: next() % 1000, name: 'N' + (next() % 5000) }))
    rows.sort((a, b) => a.total - b.total || (a.name < b.name ? -1 : 1))
    return rows[0]!.id
  },
  regex: async (tools) => {
    await tools['begin']!({})
    const text = 'Order O-1042 of ada@example.com, 129.00 EUR, due 2026-11-30. '.repeat(300)
    let found = 0
    for (const match of text.matchAll(/\b([\w.]+)@([\w.]+)\b|(\d+)\.(\d\d) (EUR|USD)|(\d{4})-(\d\d)-(\d\d)/g))
      found += match[0].length
    return found
  },
  JSON: async (tools) => {
    await tools['begin']!({})
    const rows = Array.from({ length: 4_000 }, (_, id) => ({
      id,
      name: 'Order ' + id,
      tags: ['a', 'b'],
      total: id / 4,
    }))
    return (JSON.parse(JSON.stringify(rows)) as unknown[]).length
  },
  'string building': async (tools) => {
    await tools['begin']!({})
    let text = ''
    for (let i = 0; i < 60_000; i++) text += 'row ' + i + ';'
    return text
      .split(';')
      .map((row) => row.toUpperCase())
      .join('\n').length
  },
}

/** Orders whose JSON has about so many bytes. */
export const rowsOf = (bytes: number): object[] =>
  Array.from({ length: Math.round(bytes / 148) }, (_, i) => ({
    id: i,
    orderId: `O-${100_000 + i}`,
    customer: { name: `Customer ${i % 977}`, city: 'Utrecht' },
    total: (i % 5000) / 4,
    paid: i % 3 === 0,
    items: [{ sku: `S-${i % 313}`, quantity: 1 + (i % 4) }],
  }))
