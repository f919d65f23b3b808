import { describe, expect, it } from 'vitest'
import { daysLeft, refusalOf, windowDays } from '../../demo/store/after-sales.js'
import { addDays, daysBetween, today } from '../../demo/store/dates.js'
import { createOrders, users } from '../../demo/store/orders.js'

const start = '2026-03-01'
const orders = createOrders(start)
const find = (id: string) => orders.find((order) => order.id === id)!

describe('the orders of the shop', () => {
  it('are a few hundred, and every user has some of each kind', () => {
    expect(orders.length).toBeGreaterThan(200)
    for (const { id } of users) {
      const own = orders.filter(({ owner }) => owner === id)
      expect(own.filter((order) => daysLeft(order, start) !== undefined).length).toBeGreaterThan(2)
      expect(new Set(own.map(({ status }) => status)).size).toBeGreaterThanOrEqual(3)
    }
  })

  it('are the same on every day but for their dates', () => {
    const later = createOrders(addDays(start, 100))
    const withoutDates = (list: typeof orders) =>
      list.map(({ id, owner, item, status, total }) => [id, owner, item, status, total])
    expect(withoutDates(later)).toEqual(withoutDates(orders))
    expect(later.map(({ orderedOn }) => addDays(orderedOn, -100))).toEqual(orders.map(({ orderedOn }) => orderedOn))
  })

  it('have running shoes of the first user, O-314, signed for ten days before', () => {
    expect(find('O-314')).toMatchObject({ owner: users[0].id, item: 'Running shoes', signedOn: addDays(start, -10) })
  })

  it('are never signed for before they were ordered, nor after the day it starts', () => {
    for (const { orderedOn, signedOn = orderedOn } of orders) {
      expect(daysBetween(orderedOn, signedOn)).toBeGreaterThanOrEqual(0)
      expect(daysBetween(signedOn, start)).toBeGreaterThanOrEqual(0)
    }
  })
})

describe('after-sales', () => {
  it.each([
    { days: windowDays, refused: undefined },
    { days: windowDays + 1, refused: 'too_late' },
  ])('$days days after signing is $refused', ({ days, refused }) => {
    const order = find('O-314')
    expect(refusalOf(order.id, order, undefined, addDays(order.signedOn!, days))?.code).toBe(refused)
  })

  it('refuse what is not signed for', () => {
    const order = orders.find(({ status }) => status === 'shipped')!
    expect(refusalOf(order.id, order, undefined, start)?.code).toBe('not_signed')
  })

  it('count calendar days over a change of the clocks', () => {
    expect(daysBetween('2026-03-20', '2026-04-04')).toBe(15)
    expect(today(new Date(2026, 2, 29, 23, 59))).toBe('2026-03-29')
  })
})
