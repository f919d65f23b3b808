import { addDays, type Day } from './dates.js'

export interface User {
  readonly id: string
  readonly name: string
}

export const users: readonly [User, ...User[]] = [
  { id: 'mina', name: 'Mina Okafor' },
  { id: 'jonas', name: 'Jonas Lind' },
  { id: 'priya', name: 'Priya Raman' },
]

export type OrderStatus = 'processing' | 'shipped' | 'signed' | 'cancelled'

export interface Order {
  readonly id: string
  readonly owner: string
  readonly item: string
  readonly status: OrderStatus
  readonly orderedOn: Day
  /** Present once somebody signed for it. */
  readonly signedOn?: Day
  /** In cents of a euro. */
  readonly total: number
}

const orderCount = 340
const ordersPerDay = 2

/** Item and price in cents. */
const catalogue: readonly (readonly [string, number])[] = [
  ['Rain jacket', 12900],
  ['Trail backpack', 8900],
  ['Merino base layer', 6400],
  ['Wool socks', 2450],
  ['Head torch', 4590],
  ['Climbing rope', 17900],
  ['Insulated bottle', 3200],
  ['Cycling gloves', 2890],
  ['Yoga mat', 4200],
  ['Swimming goggles', 1995],
  ['Down vest', 14900],
  ['Camping stove', 7900],
  ['Sleeping mat', 9900],
  ['Walking poles', 6990],
  ['Fleece hat', 1890],
  ['Bike light set', 3990],
  ['Two-person tent', 28900],
  ['Foam roller', 2700],
  ['Cap', 1990],
  ['Tennis balls', 790],
]

/** The order that the tour is about is the same one on every day. */
const fixed: Readonly<Record<number, Partial<Order>>> = {
  314: { owner: 'mina', item: 'Running shoes', total: 11900, status: 'signed' },
  315: { owner: 'jonas', item: 'Bike light set', total: 3990, status: 'signed' },
}
const fixedSignedDaysAgo = 10

/** The shop's orders, oldest first: the same on every computer, with dates relative to the day `start`. */
export function createOrders(start: Day): readonly Order[] {
  const random = createRandom(11)
  return Array.from({ length: orderCount }, (_, index) => createOrder(index + 1, start, random))
}

function createOrder(number: number, start: Day, random: () => number): Order {
  const daysAgo = Math.floor((orderCount - number) / ordersPerDay)
  const [item, total] = catalogue[Math.floor(random() * catalogue.length)]!
  const draw = random()
  const owner = draw < 0.24 ? 'mina' : draw < 0.6 ? 'jonas' : 'priya'
  const isCancelled = random() < 0.06
  const deliveryDays = 2 + Math.floor(random() * 4)
  const signedDaysAgo = number in fixed ? fixedSignedDaysAgo : daysAgo - deliveryDays
  const status: OrderStatus = isCancelled ? 'cancelled' : statusOf(daysAgo, signedDaysAgo)
  const order: Order = {
    id: `O-${number}`,
    owner,
    item,
    total,
    status,
    orderedOn: addDays(start, -daysAgo),
    ...fixed[number],
  }
  return order.status === 'signed' ? { ...order, signedOn: addDays(start, -signedDaysAgo) } : order
}

function statusOf(daysAgo: number, signedDaysAgo: number): OrderStatus {
  if (signedDaysAgo >= 0) return 'signed'
  return daysAgo >= 1 ? 'shipped' : 'processing'
}

/** Numbers from 0 to 1 that are the same for one seed: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
