import { cpuUsage } from 'node:process'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import { Provenance } from '../../src/runtime/provenance.js'
import { createWords } from '../../src/runtime/words.js'

describe('words of the user', () => {
  it.each<[string, string | number]>([
    ['Return O-314, please', 'O-314'],
    ['return o-314.', 'O-314'],
    ['(O-314)', 'O-314'],
    ['O-314/O-315', 'O-315'],
    ["O-314's sole", 'O-314'],
    ['- O-314\n- O-315', 'O-315'],
    ['"Red  Boots" please', 'red  boots'],
    ['an Caf\u0065\u0301 Rouge', 'Café Rouge'],
    ['STRASSE 5', 'Strasse 5'],
    ['mail bob@example.org now', 'bob@example.org'],
    ['call +49 30 1234', '+49 30 1234'],
    ['order 314', '314'],
    ['order 314', 314],
    ['pay 30.00 €', 30],
    ['pay $1,000.50!', 1000.5],
    ['pay 1.000,50 EUR', 1000.5],
    ['pay 1 000.50', 1000.5],
    ["pay 1'000", 1000],
    ['pay 2,5 now', 2.5],
    ['pay 1,500', 1500],
    ['it is -5 outside', -5],
    ['it is \u22125 outside', -5],
    ['5-10 days', 10],
    ['3,4,5', 4],
    ['2 3', 3],
    ['007', 7],
    ['30kg', 30],
    ['日本語のテキスト', '日本語のテキスト'],
    ['look at 👟 now', '👟'],
  ])('%j holds %j', (text, value) => {
    expect(createWords(text).has(value)).toBe(true)
  })

  it.each<[string, string | number]>([
    ['order 314', '1'],
    ['order 314', 1],
    ['order 314', 31],
    ['O-314-B', 'O-314'],
    ['X-O-314', 'O-314'],
    ['O-3145', 'O-314'],
    ['O-314', '314'],
    ['O-314', 314],
    ['O_314', 314],
    ['bob@example.org', 'bob'],
    ['bob@example.org', 'example.org'],
    ['notevil.com', 'evil.com'],
    ['evil.com.au', 'evil.com'],
    ['1,5', '1'],
    ['12:30', '12'],
    ['3.1', 31],
    ['1,000.50', 1],
    ['pay 30', 30.5],
    ['pay 30', -30],
    ['a1b2', 1],
    ['ano\u0303', 'ano'],
    ['words', ''],
    ['words', ' \n'],
    ['', ''],
    ['pay 1e3', 1000],
    ['pay 10', Number.NaN],
    ['two lines', 'twolines'],
  ])('%j does not hold %j', (text, value) => {
    expect(createWords(text).has(value)).toBe(false)
  })

  it('are of one message: two messages make no sentence', () => {
    expect(createWords('delete all', 'orders').has('delete all orders')).toBe(false)
  })

  it('are searched fast, however long they are and whatever is looked for', () => {
    const words = createWords('a '.repeat(200_000) + '1'.repeat(200_000) + ' '.repeat(200_000) + '1,'.repeat(100_000))
    const before = cpuUsage()
    for (const value of ['a', 'a a b', '1', '1'.repeat(1000), ' '.repeat(1000), 'zzz']) words.has(value)
    expect(cpuUsage(before).user).toBeLessThan(2_000_000)
  })
})

describe('where a value came from', () => {
  const rows = (...ids: (string | number)[]): Json => ({ rows: ids.map((id) => ({ id, note: `about ${id}` })) })
  const seen = (toolName: string, output: Json, call = '1.1.0', trusted = false) => ({
    toolName,
    output,
    call,
    trusted,
  })

  it('is a tool and a path of its output, exactly', () => {
    const provenance = new Provenance()
    provenance.sawOutput(seen('find', rows('O-1', 7)))
    const isFrom = (value: string | number, origin = 'find:/rows/*/id') => provenance.isFrom(origin, value, '')
    expect(['O-1', 7].map((value) => isFrom(value))).toEqual([true, true])
    expect(['o-1', 'O-1 ', '7', 'about O-1', 'O'].map((value) => isFrom(value))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
    expect(isFrom('O-1', 'other:/rows/*/id')).toBe(false)
    expect(isFrom('O-1', 'find:/rows/0/id')).toBe(true)
    expect(isFrom('O-1', 'find:/rows')).toBe(true)
    expect(isFrom('O-1', 'find:')).toBe(true)
    expect(isFrom('O-1', 'find')).toBe(false)
    expect(isFrom('O-1', 'toString:/rows')).toBe(false)
  })

  it('is found in outputs that come after it was first asked for', () => {
    const provenance = new Provenance()
    expect(provenance.isFrom('find:/rows/*/id', 'O-2', '')).toBe(false)
    provenance.sawOutput(seen('find', rows('O-1')))
    provenance.sawOutput(seen('find', rows('O-2')))
    expect(provenance.isFrom('find:/rows/*/id', 'O-2', '')).toBe(true)
  })

  it('is no field of what every object has', () => {
    const provenance = new Provenance()
    provenance.sawOutput(seen('find', { id: 'x' }))
    for (const path of ['/constructor/name', '/__proto__', '/length', '/toString'])
      expect(provenance.isFrom(`find:${path}`, 'Object', '')).toBe(false)
  })

  it('is the app, where its instructions or those of a run say it', () => {
    const provenance = new Provenance()
    provenance.sawInstructions('The desk is D-7')
    expect(provenance.isFrom('app', 'D-7', '')).toBe(true)
    expect(provenance.isFrom('app', 'W-1', 'Our warehouse is W-1.')).toBe(true)
    expect(provenance.isFrom('app', 'W-1', 'We have none')).toBe(false)
    expect(provenance.isFrom('user', 'D-7', '')).toBe(false)
  })

  it("is a person's, where an edit changed it, and counts as the user's word from then on", () => {
    const provenance = new Provenance()
    provenance.sawEdit('1.1.0', { id: 'O-1', lines: ['a', 'b'] }, { id: 'O-9', lines: ['a', 'c', 'd'] })
    expect(['/id', '/lines/0', '/lines/1', '/lines/2'].map((path) => provenance.isPersons('1.1.0', path))).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect(provenance.isPersons('1.1.1', '/id')).toBe(false)
    expect(provenance.isFrom('user', 'O-9', '')).toBe(true)
    expect(provenance.isFrom('user', 'a', '')).toBe(false)
  })

  it('is told for each value, the newest place first, and "model" for what is nowhere', () => {
    const provenance = new Provenance()
    provenance.sawUser('Refund 30 for O-1')
    provenance.sawOutput(seen('find', rows('O-2', 'O-3'), '1.1.0'))
    provenance.sawOutput(seen('mail', { text: 'O-2' }, '1.2.0', true))
    provenance.sawEdit('1.3.0', { who: 'x' }, { who: 'bob' })
    const input = { a: 'O-1', b: 30, c: 'O-2', d: 'O-3', e: 'O-4', f: true, desk: 'D-7', who: 'bob', tenant: 't1' }
    expect(provenance.sourcesOf({ call: '1.3.0', input, filled: ['tenant'] }, 'The desk is D-7')).toEqual([
      { path: '/a', from: 'user' },
      { path: '/b', from: 'user' },
      { path: '/c', from: 'tool', toolName: 'mail', call: '1.2.0', trusted: true },
      { path: '/d', from: 'tool', toolName: 'find', call: '1.1.0', trusted: false },
      { path: '/e', from: 'model' },
      { path: '/desk', from: 'app' },
      { path: '/who', from: 'person' },
      { path: '/tenant', from: 'app' },
    ])
  })

  it('is told of 64 values at most', () => {
    const input = { ids: Array.from({ length: 1000 }, (_, i) => `x${i}`) }
    expect(new Provenance().sourcesOf({ call: '1.1.0', input, filled: [] }, '')).toHaveLength(64)
  })

  it('walks an output once, however often it is asked', () => {
    const provenance = new Provenance()
    let walked = 0
    const output = new Proxy(['x'], { ownKeys: (target) => (walked++, Reflect.ownKeys(target)) })
    provenance.sawOutput(seen('find', output as unknown as Json))
    for (let i = 0; i < 5; i++) {
      provenance.isFrom('find:', `y${i}`, '')
      provenance.sourcesOf({ call: '1.1.0', input: { id: `y${i}` }, filled: [] }, '')
    }
    expect(walked).toBe(2)
  })

  it('is found in an output that is very deep', () => {
    const provenance = new Provenance()
    let deep: Json = 'bottom'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    provenance.sawOutput(seen('find', deep))
    expect(provenance.isFrom('find:', 'bottom', '')).toBe(true)
  })
})
