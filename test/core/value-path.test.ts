import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { changedAt, segmentsOf, toPath, valuesAt } from '../../src/core/value-path.js'

const orders: JsonObject = { rows: [{ id: 'O-1', 'a/b': 1 }, { id: 'O-2' }], next: null }

describe('a value path', () => {
  it('finds every item behind a star, and says where it is', () => {
    expect(valuesAt(orders, '/rows/*/id')).toEqual([
      { path: '/rows/0/id', value: 'O-1' },
      { path: '/rows/1/id', value: 'O-2' },
    ])
  })

  it('finds nothing where the value is of another form', () => {
    expect(valuesAt(orders, '/rows/id')).toEqual([])
    expect(valuesAt(orders, '/next/*')).toEqual([])
    expect(valuesAt('text', '/0')).toEqual([])
  })

  it('reads own fields only', () => {
    expect(valuesAt(orders, '/constructor')).toEqual([])
    expect(valuesAt(orders, '/rows/length')).toEqual([])
    expect(valuesAt(JSON.parse('{"__proto__":1}'), '/__proto__')).toEqual([{ path: '/__proto__', value: 1 }])
  })

  it('escapes what a pointer must escape', () => {
    expect(valuesAt(orders, '/rows/0/a~1b')).toEqual([{ path: '/rows/0/a~1b', value: 1 }])
    expect(toPath(['a/b', 'c~d'])).toBe('/a~1b/c~0d')
    expect(segmentsOf('/a~1b/c~0d')).toEqual(['a/b', 'c~d'])
  })

  it('refuses what is no pointer', () => {
    expect(() => segmentsOf('id')).toThrow('begin with "/"')
    expect(() => segmentsOf('/a~2')).toThrow('"~0"')
  })

  it('changes a copy, and leaves what is not there', () => {
    const hidden = changedAt(orders, '/rows/*/id', () => 'x')
    expect(hidden).toEqual({ rows: [{ id: 'x', 'a/b': 1 }, { id: 'x' }], next: null })
    expect(changedAt(orders, '/none/id', () => 'x')).toBe(orders)
    expect(valuesAt(orders, '/rows/0/id')).toEqual([{ path: '/rows/0/id', value: 'O-1' }])
  })

  it('is the value itself when it is empty', () => {
    expect(changedAt('secret', '', () => 'x')).toBe('x')
    expect(valuesAt('secret', '')).toEqual([{ path: '', value: 'secret' }])
  })
})
