import { describe, expect, it } from 'vitest'
import { compileGrammar } from '../../../src/tools/grammar/compile.js'
import { mutated, Random } from './random.js'

const compile = (definition: string) => compileGrammar({ syntax: 'regex', definition }, 'tool')
const raw = String.raw

describe('a regular expression in the syntax of Rust', () => {
  it.each<[construct: string, definition: string, good: readonly string[], bad: readonly string[]]>([
    ['must match all of the text', 'abc', ['abc'], ['', 'ab', 'abcd', 'xabc', 'ABC']],
    ['has choices', 'a|bc|', ['a', 'bc', ''], ['abc', 'b']],
    ['has choices in groups', 'a(b|c)d', ['abd', 'acd'], ['ad', 'abcd']],
    ['has groups without a number', '(?:ab)+', ['ab', 'abab'], ['', 'aba']],
    ['has groups with a name', '(?P<first>a)(?<second_2>b)', ['ab'], ['a', 'b']],
    ['repeats by signs', 'a?b*c+', ['c', 'ac', 'bbcc', 'abbc'], ['', 'a', 'aac', 'b']],
    ['repeats by counts', 'a{2}b{1,2}c{2,}d{,1}', ['aabcc', 'aabbcccd'], ['abcc', 'aabbbcc', 'aabc', 'aabccdd']],
    ['repeats what repeats', '(?:a{2})*|b+?{2}', ['', 'aaaa', 'bb', 'bbbb'], ['aaa', 'b']],
    ['repeats nothing as often as it may', '(?:a*)*(?:|b){3}', ['', 'aa', 'abb'], ['bbbb', 'ba']],
    ['takes no notice of laziness', 'a+?b*?c??', ['a', 'aabb', 'abc'], ['b']],
    ['has any character but the end of a line', '.', ['a', '😀', '\r', '\u2028'], ['', '\n', 'ab']],
    ['has any character at all with the flag s', '(?s).(?-s:.)', ['\na', 'ab'], ['a\n', 'a']],
    ['has sets', '[abc-e]', ['a', 'b', 'd'], ['f', '-', 'ab', '']],
    ['has sets of all others', '[^abc-e]', ['f', '\n', '😀'], ['a', 'd', '']],
    ['has a bracket, a line and a roof in sets', raw`[]a][a\-z][-a][a-][a^]`, [']--a^', 'aa-a^'], ['bbbb^']],
    ['has escapes in sets', raw`[\]\\\n\x41\d]+`, [']\\\nA9'], ['[', 'a']],
    ['has sets in sets', '[a[b-d]&&[^c]]', ['a', 'b', 'd'], ['c', 'e']],
    ['takes sets from sets', '[a-z--[aeiou]]+', ['xyz'], ['a', 'bat']],
    ['has what is in one of two sets', '[a-c~~b-d]', ['a', 'd'], ['b', 'c']],
    [
      'has the classes of POSIX',
      '[[:alpha:]_][[:^digit:]][[:xdigit:][:space:]]',
      ['a_F', '__ '],
      ['1_F', 'a1F', 'a_g', 'é_F'],
    ],
    ['has digits of all scripts', raw`\d\D`, ['1a', '٣!'], ['a1', '1٣']],
    ['has letters of all scripts', raw`\w+\W`, ['aé_1ж!', '字 '], ['!', 'a']],
    ['has blanks', raw`\s\S`, [' a', '\u00a0é', '\ta'], ['a ', '  ']],
    ['has only those of ASCII without the flag u', raw`(?-u)\w\d\s`, ['a1 '], ['é1 ', 'a٣ ', 'a1\u00a0']],
    ['has properties', raw`\p{Greek}\pL\p{Lu}\P{L}\p{^L}\PN`, ['αaÄ1!a'], ['aaA1!a', 'αaä1!a', 'αaA1!1']],
    [
      'has properties however they are written',
      raw`\p{script=greek}\p{sc=Greek}\p{lowercase letter}\p{gc=Lu}\p{Lowercase}`,
      ['αβaAb'],
      ['αβAAb'],
    ],
    [
      'has escapes of characters',
      raw`\n\t\r\f\v\a\x41\x{1F600}\u00e9\u{e9}\U0001F600`,
      ['\n\t\r\f\v\u0007A😀éé😀'],
      [''],
    ],
    ['has escapes of signs', raw`\.\*\+\?\(\)\[\]\{\}\|\^\$\\\/\-\"\#\&\~\ `, ['.*+?()[]{}|^$\\/-"#&~ '], ['']],
    ['has signs that mean nothing', ']}/"\'-,:=!<>&~#@', [']}/"\'-,:=!<>&~#@'], ['']],
    [
      'takes letters of any case with the flag i',
      '(?i)straße[k-l]',
      ['STRAßEK', 'straẞe\u212a', 'ſtraßeL'],
      ['strassek'],
    ],
    ['folds classes with the flag i', raw`(?i)\p{Lu}[^x][[:upper:]]`, ['ayb', 'AYB'], ['aXb', '1yb']],
    ['ends a flag with its group', '(?:(?i)a|b)c', ['ac', 'Ac', 'Bc'], ['aC']],
    ['has flags for a group', '(?i:a)b(?i-s:.)', ['Abx', 'abx'], ['ABx', 'ab\n']],
    [
      'leaves blanks and comments out with the flag x',
      raw`(?x) a  b + [ c d ] \  # to the end`,
      ['abbc ', 'abd '],
      ['ab c ', 'a b'],
    ],
    ['has edges of the text', raw`^a$|\Ab\z|(?:^)*c`, ['a', 'b', 'c'], ['', 'ac']],
    ['has edges of lines', raw`(?m)(?:^a$\n?)+`, ['a', 'a\na', 'a\n'], ['aa', 'a\n\na']],
    ['knows that an edge does not hold', raw`a^b|a$b|a\Ab|c\zd`, [], ['ab', 'a', 'cd']],
    ['has edges of words', raw`\bab\b.*|.\Bb`, ['ab', 'ab c', 'ab.', 'ab', 'xb'], ['abc', '.b']],
    [
      'has the beginnings and the ends of words',
      raw`\<a\> \b{start}b\b{end} (?:\b{start-half}c|d\b{end-half})`,
      ['a b c', 'a b d'],
      ['ab'],
    ],
    ['has pairs of units as one character', '[😀-😂]{2}.', ['😀😁😂'], ['😀😁', '😃😀a']],
  ])('%s: %s', (_, definition, good, bad) => {
    const check = compile(definition)
    for (const text of good) expect([text, check(text)]).toEqual([text, undefined])
    for (const text of bad) expect([text, check(text)?.found]).toEqual([text, expect.any(String)])
  })

  it.each<[definition: string, column: number, says: string]>([
    ['a(?=b)', 2, 'look-around is not supported'],
    ['(?<!a)b', 1, 'look-around is not supported'],
    [raw`(a)\1`, 4, 'references to groups are not supported'],
    [raw`\q`, 1, raw`there is "\\q" where an escape that there is must be`],
    [raw`\x{110000}`, 1, 'where an escape that there is must be'],
    [raw`\b{middle}`, 1, 'an escape that there is'],
    [raw`a\p{Klingon}`, 2, 'there is {Klingon} where a property that there is'],
    ['*a', 1, 'there is "*" where something that "*" can repeat must be'],
    ['a|{2}', 3, 'something that "{" can repeat'],
    ['a{x}', 3, 'a count such as {2}, {2,} or {2,5}'],
    ['a{3,2}', 2, 'the least count, 3, is more than the most, 2'],
    ['ab(c', 5, 'there is the end of the text where the ")" of "(c" must be'],
    ['ab)c', 3, 'there is ")" where the end, or a "(" before it must be'],
    ['a[bc', 5, 'the "]" of "[bc" must be'],
    ['[]', 3, 'the "]" of "[]" must be'],
    ['[z-a]', 2, 'the range z-a goes backwards'],
    [raw`[a-\d]`, 4, 'the last character of a range'],
    ['[[:letter:]]', 2, 'there is [:letter:] where a class such as [:alpha:] must be'],
    ['(?q)a', 1, 'there is no flag "q"; there are i, m, s, u, x, U'],
    ['(?P=name)', 3, 'where ":", a name such as <name>, or flags must be'],
    ['(?>a)', 3, 'where ":", a name such as <name>, or flags must be'],
    ['a\nb', 2, String.raw`it must be one line; write \n for the end of a line`],
    ['(?:a{1000}){1000}', 12, 'it is too large: with each repetition written out it has more than 200000 parts'],
    ['(?:){9999999}', 5, 'it is too large: a count may be at most 200000'],
    ['(?:(?:){50000}){50000}', 16, 'it is too large'],
    ['('.repeat(500), 202, 'it is nested deeper than 200 levels'],
    ['['.repeat(500), 202, 'it is nested deeper than 200 levels'],
  ])('is refused where it is wrong: %s', (definition, column, says) => {
    expect(() => compile(definition)).toThrow(
      `Cannot define tool "tool": "grammar.definition" is wrong at line 1, column ${column}: `,
    )
    expect(() => compile(definition)).toThrow(says)
  })

  it.each<[definition: string, text: string, column: number, found: string, expected: readonly string[]]>([
    ['abc', 'abx', 3, '"x"', ['"c"']],
    ['abc', 'ab', 3, 'the end of the text', ['"c"']],
    ['ab(?:c|[d-f]+)?', 'abx', 3, '"x"', ['"c"', '[d-f]', 'the end of the text']],
    ['ab|abcd', 'abc', 4, 'the end of the text', ['"d"']],
    [raw`a\b.`, 'ab', 2, '"b"', ['the edge of a word']],
    ['(?i)a', '1', 1, '"1"', ['"a"']],
    ['😀b', '😀c', 2, '"c"', ['"b"']],
    ['a', 'a two words', 2, '" "', ['the end of the text']],
    ['a', 'sentence', 1, '"sentence"', ['"a"']],
    ['[a&&b]', 'a', 1, '"a"', ['[a&&b]']],
  ])('says where a text stops: %s', (definition, text, column, found, expected) => {
    expect(compile(definition)(text)).toMatchObject({ line: 1, column, found, expected })
  })

  it('counts lines, and columns in characters', () => {
    expect(compile(raw`(?s:.)*!`)('a\r\n😀é')).toMatchObject({ position: 6, line: 2, column: 3 })
  })
})

describe('a random regular expression', () => {
  const characters = ['a', 'b', 'c', 'A', '1', '_', ' ', '-', '\n', '☃', '😀']
  const atoms = [
    'a',
    'b',
    'c',
    'A',
    '1',
    '_',
    ' ',
    '☃',
    '😀',
    '.',
    '[a-c]',
    '[^ab]',
    '[ac1-]',
    '[^\\n☃]',
    '\\d',
    '\\D',
    '\\w',
  ].concat(
    '\\W',
    '\\s',
    '\\S',
    '\\n',
    '\\x61',
    '\\u{1f600}',
    '[\\d_]',
    '[^\\W]',
    '\\p{Lu}',
    '\\P{L}',
    '[😀-😂]',
    '[\\-a]',
  )
  const edges = ['^', '$', '\\b', '\\B']
  const signs = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}', '{2,}', '{0}']

  function pattern(random: Random, depth: number): string {
    const sequence = () =>
      random
        .list(0, 3, () => {
          const way = random.below(depth > 0 ? 10 : 6)
          if (way === 0) return random.of(edges)
          const part = way < 6 ? random.of(atoms) : `${random.of(['(?:', '('])}${pattern(random, depth - 1)})`
          return random.below(3) === 0 ? part + random.of(signs) : part
        })
        .join('')
    return random.list(1, 3, sequence).join('|')
  }

  /** An engine that goes back is only asked about short texts. */
  const text = (random: Random): string => random.list(0, 6, () => random.of(characters)).join('')

  it.each(['', 'i', 's', 'm', 'ims'])('has the verdict that JavaScript has, with the flags "%s"', (flags) => {
    const verdicts = { true: 0, false: 0 }
    for (let seed = 0; seed < 200; seed++) {
      const random = new Random(seed)
      const source = pattern(random, 2)
      const expected = new RegExp(`(?:${source})(?![^])`, `uy${flags}`)
      const check = compile(flags ? `(?${flags})${source}` : source)
      for (let i = 0; i < 20; i++) {
        const given = text(random)
        expected.lastIndex = 0
        const matches = expected.test(given)
        verdicts[`${matches}`]++
        expect([seed, source, given, check(given) === undefined]).toEqual([seed, source, given, matches])
      }
    }
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(200)
  })

  it('says of every text before which place it could still be right, and that it is wrong there', () => {
    let faults = 0
    for (let seed = 0; seed < 300; seed++) {
      const random = new Random(seed)
      const check = compile(pattern(random, 2))
      const given = mutated(random, text(random), characters)
      const fault = check(given)
      if (!fault) continue
      faults++
      // With what follows cut away, it is the end that is wrong, or nothing; with anything else there, the same place.
      const cut = check(given.slice(0, fault.position))
      const place = cut ? [cut.position, cut.found] : [fault.position, 'the end of the text']
      expect([given, ...place]).toEqual([given, fault.position, 'the end of the text'])
    }
    expect(faults).toBeGreaterThan(100)
  })
})

describe('no text makes a check slow', () => {
  const steps = (definition: string, text: string): number => {
    const meter = { left: 1e9 }
    compile(definition)(text, meter)
    return 1e9 - meter.left
  }

  it.each([
    ['(?:a*)*b', 'a'],
    ['(?:a|a)*b', 'a'],
    ['(?:a|aa)+$', 'a'],
    [raw`(?:\w+\s?)*!`, 'word '],
    ['(?:x+x+)+y', 'x'],
    ['(?:.*,){5}P', ','],
    ['(?:a?){60}a{60}', 'a'],
    ['(?:[a-z]+)*[0-9]', 'ab'],
    [raw`^(?:\s*\S+\s*)*$`, ' x'],
  ])('%s takes as many steps as the text has characters', (definition, piece) => {
    const short = steps(definition, piece.repeat(2_000))
    const long = steps(definition, piece.repeat(4_000))
    expect(long).toBeLessThan(2 * short + 2_000)
    expect(long).toBeLessThan(200_000)
  })

  it('a pattern that would need too many steps ends with an error that says so', () => {
    const check = compile('(?:a|b)*a(?:a|b){400}')
    const random = new Random(1)
    const text = Array.from({ length: 20_000 }, () => random.of(['a', 'b'])).join('')
    expect(() => check(text)).toThrow('The text takes too many steps to be checked against its grammar')
    expect(() => check(text)).toThrow(expect.objectContaining({ code: 'input_too_complex' }))
  })
})
