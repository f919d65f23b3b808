import { expect, it } from 'vitest'
import { compileGrammar } from '../../../src/tools/grammar/compile.js'
import { mutated, Random } from './random.js'

/** A rule as it was made up, before it is written in Lark. */
type Part =
  | {
      readonly type: 'terminal'
      readonly written: string
      readonly longest: RegExp
      readonly samples: readonly string[]
    }
  | { readonly type: 'rule'; readonly name: string }
  | { readonly type: 'all'; readonly parts: readonly Part[] }
  | { readonly type: 'any'; readonly parts: readonly Part[] }
  | {
      readonly type: 'repeat'
      readonly part: Part
      readonly least: number
      readonly most: number
      readonly sign: string
    }

const terminals: readonly Part[] = [
  ...['a', 'b', 'ab', '(', ')', '😀'].map((text) => ({
    written: JSON.stringify(text),
    source: text.replaceAll(/[()]/g, '\\$&'),
    samples: [text],
  })),
  { written: '"c"i', source: '[cC]', samples: ['c', 'C'] },
  { written: '/a+/', source: 'a+', samples: ['a', 'aa', 'aaa'] },
  { written: '/[ab]+c?/', source: '[ab]+c?', samples: ['ab', 'bac', 'b'] },
  { written: '"a".."c"', source: '[a-c]', samples: ['a', 'c'] },
].map(({ written, source, samples }) => ({ type: 'terminal', written, longest: new RegExp(source, 'uy'), samples }))

const signs = [
  ['?', 0, 1],
  ['*', 0, Infinity],
  ['+', 1, Infinity],
  ['~2', 2, 2],
  ['~1..3', 1, 3],
] as const

interface Grammar {
  readonly rules: ReadonlyMap<string, Part>
  readonly ignores: boolean
}

function grammarOf(random: Random): Grammar {
  const names = ['start', 'r', 'x', 'y'].slice(0, 1 + random.below(4))
  const part = (depth: number): Part => {
    const way = random.below(depth > 0 ? 10 : 6)
    if (way < 4) return random.of(terminals)
    if (way < 6) return { type: 'rule', name: random.of(names) }
    const parts = random.list(way === 6 ? 1 : 0, 3, () => part(depth - 1))
    if (way < 8) return { type: way === 6 ? 'any' : 'all', parts }
    const [sign, least, most] = random.of(signs)
    return { type: 'repeat', part: part(depth - 1), least, most, sign }
  }
  const rules = names.map((name): [string, Part] => {
    // One option has no rule in it, so that every rule can end.
    const options = [random.of(terminals), ...random.list(0, 3, () => part(2))]
    return [name, { type: 'any', parts: options }]
  })
  return { rules: new Map(rules), ignores: random.below(3) === 0 }
}

function written({ rules, ignores }: Grammar): string {
  const write = (part: Part): string => {
    if (part.type === 'terminal') return part.written
    if (part.type === 'rule') return part.name
    if (part.type === 'repeat') return `(${write(part.part)})${part.sign}`
    return `(${part.parts.map(write).join(part.type === 'all' ? ' ' : ' | ')})`
  }
  const lines = [...rules].map(([name, part]) => `${name}: ${write(part)}`)
  return [...lines, ...(ignores ? ['%ignore /_+/'] : [])].join('\n')
}

/** A text that follows from the rules, if the dice end in time. Texts of one terminal may run into the next. */
function sentence(random: Random, { rules, ignores }: Grammar): readonly string[] {
  const make = (part: Part, depth: number): readonly string[] => {
    if (part.type === 'terminal') return [...(ignores && random.below(4) === 0 ? ['_'] : []), random.of(part.samples)]
    if (part.type === 'rule') {
      const rule = rules.get(part.name)!
      return depth > 0 || rule.type !== 'any' ? make(rule, depth - 1) : make(rule.parts[0]!, 0)
    }
    if (part.type === 'any') return make(random.of(part.parts), depth)
    if (part.type === 'all') return part.parts.flatMap((each) => make(each, depth))
    const { least, most } = part
    const times = least + random.below(Math.min(most, least + 2) - least + 1)
    return Array.from({ length: times }, () => make(part.part, depth)).flat()
  }
  return make({ type: 'rule', name: 'start' }, 6)
}

/** Where what begins at a place can end, found by trying until nothing new is found. */
function follows({ rules, ignores }: Grammar, text: string): boolean {
  const ends = new Map<string, Set<number>>()
  let isNew = true
  const skip = (at: number): number => (ignores ? at + /^_*/.exec(text.slice(at))![0].length : at)
  const endsOf = (part: Part, at: number): Set<number> => {
    if (part.type === 'terminal') {
      const found = [at, skip(at)].flatMap((from) => {
        part.longest.lastIndex = from
        return part.longest.test(text) ? [part.longest.lastIndex] : []
      })
      return new Set(found)
    }
    if (part.type === 'rule') {
      const key = `${part.name} ${at}`
      const known = ends.get(key)
      if (known) return known
      isNew = true
      ends.set(key, new Set())
      return ends.get(key)!
    }
    if (part.type === 'any') return new Set(part.parts.flatMap((each) => [...endsOf(each, at)]))
    if (part.type === 'all') return part.parts.reduce((from, each) => through(each, from), new Set([at]))
    let from = new Set([at])
    for (let i = 0; i < part.least; i++) from = through(part.part, from)
    const all = new Set(from)
    for (let i = part.least; i < part.most && from.size > 0; i++) {
      from = new Set([...through(part.part, from)].filter((end) => !all.has(end)))
      for (const end of from) all.add(end)
    }
    return all
  }
  const through = (part: Part, from: ReadonlySet<number>) => new Set([...from].flatMap((at) => [...endsOf(part, at)]))
  endsOf({ type: 'rule', name: 'start' }, 0)
  while (isNew) {
    isNew = false
    for (const [key, known] of ends) {
      const [name, at] = key.split(' ')
      for (const end of endsOf(rules.get(name!)!, Number(at)))
        if (!known.has(end)) {
          known.add(end)
          isNew = true
        }
    }
  }
  return [...ends.get('start 0')!].some((end) => end === text.length || skip(end) === text.length)
}

it('a random grammar takes what follows from it, and nothing else', () => {
  const verdicts = { true: 0, false: 0 }
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed)
    const grammar = grammarOf(random)
    const definition = written(grammar)
    const check = compileGrammar({ syntax: 'lark', definition }, 'tool')
    for (let i = 0; i < 10; i++) {
      const own = sentence(random, grammar).slice(0, 12).join('')
      for (const text of [own, mutated(random, own, ['a', 'b', 'c', '(', '_', '😀', '!'])]) {
        const fault = check(text)
        const expected = follows(grammar, text)
        verdicts[`${expected}`]++
        expect([seed, definition, text, fault === undefined]).toEqual([seed, definition, text, expected])
        expect(fault?.expected).not.toEqual([])
      }
    }
  }
  expect(verdicts.true).toBeGreaterThan(1_000)
  expect(verdicts.false).toBeGreaterThan(1_000)
})

it('a random grammar takes its sentences where no terminal can run into the next', () => {
  for (let seed = 1_000; seed < 1_200; seed++) {
    const random = new Random(seed)
    const grammar = { ...grammarOf(random), ignores: true }
    const check = compileGrammar({ syntax: 'lark', definition: written(grammar) }, 'tool')
    for (let i = 0; i < 10; i++) {
      const pieces = sentence(random, grammar)
      if (pieces.length > 400) continue
      const text = pieces.join('_')
      expect([seed, text, check(text)]).toEqual([seed, text, undefined])
      const more = `${text}_!`
      expect(check(more)).toMatchObject({ position: more.length - 1, found: '"!"' })
    }
  }
})
