import { describe, expect, it } from 'vitest'
import { NotJson, TooLarge, decode, encode } from '../../src/sandbox/isolate/codec.js'
import { Engine, type Handle } from '../../src/sandbox/isolate/engine.js'
import { createInstance } from '../../src/sandbox/isolate/instance.js'
import { Tag } from '../../src/sandbox/isolate/object-format.js'
import { valueOf } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'
import { createDraw, type Draw } from './programs/draw.js'
import { randomExpression, randomJson } from './programs/value.js'
import { wasmModule } from './wasm-module.js'

const values = 100_000
const expressions = 20_000
const bytesTried = 30_000
/** Values that cross together: each crossing has its price. */
const batch = 250

async function createGuest(): Promise<Engine> {
  const engine = new Engine(await createInstance(wasmModule, 64 << 20))
  engine.begin({
    stack: 128 << 10,
    now: () => 0,
    offsetAt: () => 0,
    call: (_, [first]) => first!,
    shouldStop: () => false,
  })
  return engine
}

/** What the guest's own function makes of a value, as text. */
function applied(guest: Engine, callee: Handle, value: Handle): string {
  const { value: result } = guest.call(callee, value)
  const { value: text } = decode(guest.write(result!)!, 1e9)
  guest.free(result!)
  return text as string
}

function evaluated(guest: Engine, code: string): Handle {
  const { value } = guest.evaluate(code, 'x.js')
  return value!
}

describe('the codec and the engine, for random values', () => {
  it('agree on 100,000 of them, in and out', async () => {
    const draw = createDraw(20)
    let guest = await createGuest()
    let stringify = evaluated(guest, 'JSON.stringify')
    for (let done = 0; done < values; done += batch) {
      // The atoms of property names are never given back: a long row of values would fill the memory.
      if (done % (batch * 40) === 0) {
        guest = await createGuest()
        stringify = evaluated(guest, 'JSON.stringify')
      }
      const seed = draw.whole(0, 2 ** 31)
      const each = createDraw(seed)
      const sent = Array.from({ length: batch }, () => randomJson(each))
      const expected = JSON.stringify(sent)
      const handle = guest.read(encode(sent))
      const shown = applied(guest, stringify, handle)
      const { value, bytes } = decode(guest.write(handle)!, 1e9)
      guest.free(handle)
      expect(shown === expected ? 'the same' : shown, `in, seed ${seed}`).toBe('the same')
      const back = JSON.stringify(value)
      expect(back === expected ? 'the same' : back, `out, seed ${seed}`).toBe('the same')
      expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(expected))
    }
  }, 60_000)

  it('agree with JSON on 20,000 values that only a script can make', async () => {
    const sandbox = createIsolateSandbox()
    const draw = createDraw(21)
    const limits = { returnBytes: 64 << 20, sourceBytes: 64 << 20 }
    for (let done = 0; done < expressions; done += batch) {
      // What is found twice and is no plain object takes another way out, and all that is beside it too.
      const special = draw.chance(0.3) ? `new Date(5), Object('s')` : `'s', {}`
      const items = Array.from({ length: batch }, () => randomExpression(draw)).join(', ')
      const code = `const shared = [{ a: [1] }, [2, 'x'], ${special}]\nreturn [${items}]`
      const value = await valueOf(sandbox, code, { limits })
      // oxlint-disable-next-line typescript/no-implied-eval -- this engine's own JSON.stringify says what is right
      const expected = new Function(`return JSON.stringify((() => { ${code} })())`)() as string
      expect(JSON.stringify(value) === expected ? 'the same' : value, `of:\n${code}`).toEqual('the same')
    }
  }, 60_000)
})

/** LEB128. */
function uint(value: number): number[] {
  const bytes: number[] = []
  let left = value >>> 0
  for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80)
  return [...bytes, left]
}

const most = 2 ** 32 - 1
const head = [5, 0]
const times = (count: number, bytes: readonly number[]) => Array.from({ length: count }, () => bytes).flat()

/** Bytes that say more than there is. */
const lies: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['nothing', []],
  ['a version alone', [5]],
  ['another version', [6, 0, Tag.null]],
  ['four billion names', [5, ...uint(most)]],
  ['four billion names that are empty, of which there are some', [5, ...uint(most), ...times(50_000, [0])]],
  ['a name of two billion letters', [5, 1, ...uint(most - 1), 97]],
  ['a name of two billion wide letters', [5, 1, ...uint(most), 97, 0]],
  ['an array of four billion', [...head, Tag.array, ...uint(most)]],
  [
    'an array of four billion, of which there are some',
    [...head, Tag.array, ...uint(most), ...times(50_000, [Tag.undefined])],
  ],
  ['an object of four billion', [...head, Tag.object, ...uint(most)]],
  [
    'an object of four billion, of which there are some',
    [...head, Tag.object, ...uint(most), ...times(50_000, [1, Tag.undefined])],
  ],
  ['a text of two billion letters', [...head, Tag.string, ...uint(most - 1), 97]],
  ['a text of two billion wide letters', [...head, Tag.string, ...uint(most), 97, 0]],
  ['many texts of two billion wide letters', [...head, Tag.array, 100, ...times(100, [Tag.string, ...uint(most)])]],
  ['a wide text of half a letter', [...head, Tag.string, 3, 97]],
  ['a number without an end', [...head, Tag.int, ...times(100_000, [0x80])]],
  ['a length without an end', [...head, Tag.string, ...times(100_000, [0xff])]],
  ['a fraction of four bytes', [...head, Tag.float, 1, 2, 3, 4]],
  ['a name that is not there', [...head, Tag.object, 1, 8, Tag.null]],
  ['a reference to nothing', [...head, Tag.reference, 0]],
  ['a reference to itself', [...head, Tag.array, 1, Tag.reference, 0]],
  ['a reference to a date', [...head, Tag.array, 2, Tag.date, Tag.int, 2, Tag.reference, 1]],
  ['a date of a date', [...head, ...times(100_000, [Tag.date])]],
  ['a date of an array', [...head, Tag.date, Tag.array, 0]],
  ['a box of a box', [...head, ...times(100_000, [Tag.boxed])]],
  ['arrays in arrays', [...head, ...times(100_000, [Tag.array, 1])]],
  ['objects in objects', [5, 1, 2, 97, ...times(100_000, [Tag.object, 1, 2])]],
  ['tags that JSON has no word for', [...head, 10]],
  ['a tag that there is not', [...head, 255]],
  ['arrays of two that are one', [...head, ...doubled(60)]],
  ['arrays of two dates that are one', [...head, Tag.array, 2, Tag.date, Tag.int, 2, ...doubled(60)]],
]

/** An array of an array … of nothing, each followed by a reference to it: as JSON twice as long with each level. */
function doubled(levels: number): number[] {
  const heads = times(levels, [Tag.array, 2])
  const tails = Array.from({ length: levels - 1 }, (_, i) => [Tag.reference, ...uint(levels - 1 - i)]).flat()
  return [...heads, Tag.null, Tag.null, ...tails]
}

interface Ended {
  readonly how: string
  readonly milliseconds: number
}

/** The only errors are those of the codec, and the end of the bytes. */
function decoded(bytes: Uint8Array<ArrayBuffer>, limit = 1 << 20): Ended {
  const from = performance.now()
  let how = 'value'
  try {
    JSON.stringify(decode(bytes, limit).value ?? null)
  } catch (error) {
    const isOurs = error instanceof NotJson || error instanceof TooLarge
    const isEnd = error instanceof RangeError && error.message === 'Cannot read a value: it ends early'
    how = isOurs ? error.constructor.name : isEnd ? 'end' : `${String(error)} for ${Buffer.from(bytes).toString('hex')}`
  }
  return { how, milliseconds: performance.now() - from }
}

const ways = ['value', 'NotJson', 'TooLarge', 'end']

describe('hostile bytes', () => {
  it.each(lies)('end in an error of the codec, and soon: %s', (_, bytes) => {
    const before = process.memoryUsage()
    const { how, milliseconds } = decoded(Uint8Array.from(bytes))
    const after = process.memoryUsage()
    expect(ways).toContain(how)
    expect(milliseconds).toBeLessThan(1_000)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16 << 20)
    expect(after.heapUsed - before.heapUsed).toBeLessThan(64 << 20)
  })

  it('that were a value, but are cut, flipped, mixed or made up', () => {
    const draw = createDraw(22)
    const seen = new Set<string>()
    for (let i = 0; i < bytesTried; i++) {
      const seed = draw.whole(0, 2 ** 31)
      const { how, milliseconds } = decoded(hostile(createDraw(seed)), draw.pick([30, 1 << 20]))
      expect(ways, `seed ${seed}`).toContain(how)
      expect(milliseconds, `seed ${seed}`).toBeLessThan(2_000)
      seen.add(how)
    }
    expect([...seen].toSorted()).toEqual(['NotJson', 'TooLarge', 'end', 'value'].toSorted())
  }, 60_000)
})

function hostile(draw: Draw): Uint8Array<ArrayBuffer> {
  const good = encode([randomJson(draw), randomJson(draw)])
  switch (draw.whole(0, 4)) {
    case 0:
      return good.slice(0, draw.whole(0, good.length - 1))
    case 1: {
      const bytes = good.slice()
      for (let flips = draw.whole(1, 8); flips > 0; flips--)
        bytes[draw.whole(1, bytes.length - 1)]! ^= 1 << draw.whole(0, 7)
      return bytes
    }
    case 2: {
      const at = draw.whole(1, good.length - 1)
      return Uint8Array.from([...good.slice(0, at), ...uint(draw.pick([most, 2 ** 31, 2 ** 20])), ...good.slice(at)])
    }
    case 3: {
      const other = encode(randomJson(draw))
      return Uint8Array.from([
        ...good.slice(0, draw.whole(1, good.length)),
        ...other.slice(draw.whole(0, other.length - 1)),
      ])
    }
    default: {
      const tags = [...Object.values(Tag), 0, 10, 255]
      const byte = () => (draw.chance(0.5) ? draw.pick(tags) : draw.whole(0, draw.pick([3, 255])))
      return Uint8Array.from([5, 0, ...Array.from({ length: draw.whole(0, 60) }, byte)])
    }
  }
}
