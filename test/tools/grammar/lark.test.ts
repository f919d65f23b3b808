import { describe, expect, it } from 'vitest'
import { compileGrammar } from '../../../src/tools/grammar/compile.js'
import { commonTerminals } from '../../../src/tools/grammar/lark-common.js'

const compile = (definition: string) => compileGrammar({ syntax: 'lark', definition }, 'tool')
const raw = String.raw

describe('a grammar of Lark', () => {
  it.each<[construct: string, definition: string, good: readonly string[], bad: readonly string[]]>([
    ['must match all of the text', 'start: "ab"', ['ab'], ['', 'a', 'abc', ' ab', 'AB']],
    ['has texts of any case', 'start: "ab"i', ['ab', 'Ab', 'AB'], ['a']],
    ['has escapes in texts', raw`start: "\"\\\n\u00e9" "/" "😀"`, ['"\\\né/😀'], ['']],
    ['has regular expressions', raw`start: /a\/b+|[^\/\s]/`, ['a/bb', 'x'], ['/', ' ', 'a/']],
    ['has flags of regular expressions', raw`start: /a./is /b  c$/xm /\s^d/mi`, ['A\nbc\nD'], ['A\nbc d', 'a.Bc\nd']],
    ['has ranges', 'start: "a".."c" "😀".."😂"', ['a😀', 'c😁'], ['d😀', 'a', 'a😃']],
    ['has choices over lines', 'start: "a"\n  | "b"\n\n  // or\n  | \n', ['a', 'b', ''], ['ab']],
    ['has groups', 'start: ("a" | "b") "c"', ['ac', 'bc'], ['abc', 'c']],
    ['has groups over lines', 'start: (\n  "a"\n  | "b"\n) [\n"c" ]', ['a', 'bc'], ['c', 'ab']],
    ['has what may be left out', 'start: "a"? ["b"] ["c" | "d" "e"]', ['', 'a', 'b', 'abc', 'de'], ['d', 'cb', 'bb']],
    ['repeats by signs', 'start: "a"* "b"+', ['b', 'aab', 'abb'], ['a', '', 'ba']],
    [
      'repeats as often as it is told',
      'start: "a"~2 "b"~1..3 "c"~0..1',
      ['aab', 'aabbbc'],
      ['ab', 'aa', 'aabbbb', 'aabcc'],
    ],
    [
      'repeats as often as braces say',
      'start: "a"{2} "b"{1,3} "c"{2,} "d"{,1}',
      ['aabcc', 'aabbbcccd'],
      ['aabc', 'aabccdd'],
    ],
    ['repeats groups', 'start: ("a" "b"?)~2..3', ['aa', 'abab', 'abaab'], ['a', 'ba', 'aaaa']],
    ['repeats what may be nothing', 'start: ("a"? "b"*)* ("c"?)+', ['', 'abba', 'cc'], ['ca']],
    ['has rules in rules', 'start: a b a\na: "x" | b\nb: "y"', ['xyx', 'yyy'], ['xyz', 'xy']],
    ['has rules that begin with themselves', 'start: a\na: a "," "x" | "x"', ['x', 'x,x,x'], ['', 'x,', ',x']],
    ['has rules that end with themselves', 'start: a\na: "x" "," a | "x"', ['x', 'x,x,x'], ['', 'x,', ',x']],
    ['has rules that hold themselves', 'start: "(" start ")" | ', ['', '()', '((()))'], ['(', ')', '(()', '()()']],
    ['has rules that hold each other', 'start: a\na: "<" b ">" | "a"\nb: a b | a', ['a', '<aa<a>>'], ['<>', '<a']],
    ['has rules that may be nothing', 'start: a b a\na: | "a"\nb: a a', ['', 'a', 'aaaa'], ['aaaaa', 'b']],
    ['has rules that lead in circles', 'start: a\na: b | "a"\nb: a | c\nc: b | ', ['', 'a'], ['aa']],
    ['has rules that mean more than one thing', 'start: start start | "a" | ', ['', 'a', 'aaaaa'], ['ab']],
    [
      'has rules that are palindromes',
      'start: "a" start "a" | "b" start "b" | ',
      ['', 'abba', 'aabbaa'],
      ['ab', 'aba'],
    ],
    [
      'has all names of rules',
      'start: _inlined kept? once\n_inlined: "a"\n?kept: "b"\n!once: "c"\n!?both: "d"',
      ['abc', 'ac'],
      ['abcd'],
    ],
    ['has aliases', 'start: "a" -> first\n     | "b" "c" -> second_one', ['a', 'bc'], ['b']],
    ['has terminals', 'start: A B\nA: "a"+\nB: C | "b"\nC: /c/~2', ['ab', 'aacc'], ['ac', 'b']],
    ['has terminals before they are defined', 'start: A\nA: B\nB: "b"', ['b'], ['B']],
    [
      'has terminals with all that rules have',
      'start: A\nA: ("a" | "b"i)~2 ["c"] /d/? "e".."f"',
      ['aae', 'aBcdf'],
      ['ae', 'aacdd'],
    ],
    ['has comments', '// one\nstart: "a" // two\n# three\n  | "b" # four', ['a', 'b'], ['']],
    ['has lines that end as on Windows', 'start: "a"\r\n | b\r\nb: "b"\r\n', ['a', 'b'], ['']],
    ['ignores nothing that it is not told to', 'start: "a" "b"', ['ab'], ['a b', 'ab ', '\nab']],
    [
      'ignores what it is told to, between terminals',
      'start: "aa" B\nB: "b"+\n%ignore " "',
      ['aabb', ' aa  bb '],
      ['a abb', 'aab b'],
    ],
    [
      'ignores several things',
      raw`start: "a"*
      %ignore /\s+/
      %ignore "//" /[^\n]*/
      %import common.C_COMMENT
      %ignore C_COMMENT`,
      ['', 'a a // b\na', '/* a\n*/a', '// to the end', ' '],
      ['/a', 'a /*'],
    ],
    ['ignores no more where the text is wanted', 'start: "a" " " "b"\n%ignore " "', ['a b', 'a  b', 'a   b'], ['ab']],
    ['imports under another name', 'start: N\n%import common.INT -> N', ['12'], ['a']],
    ['imports several', 'start: INT WORD\n%import common (INT, WORD)', ['12ab'], ['ab']],
    ['has hyphens in names', 'start: a-b->x\na-b: A-B\nA-B: "c"', ['c'], ['']],
    ['takes the longest of a terminal', 'start: /a+/ "a"? /b|bc/ "cd"?', ['ab', 'abc'], ['abcd']],
    [
      'takes every terminal that the place allows',
      'start: "if" NAME | NAME\nNAME: /[a-z]+/',
      ['if', 'ifa', 'a'],
      ['if if', '1'],
    ],
    ['takes what is not a text as it is', raw`start: /(.|\n)*/ `, ['', 'a\nb', '😀'], []],
    ['has a text in which nothing is', 'start: "" A ""\nA: "" | "a"', ['', 'a'], ['b']],
  ])('%s', (_, definition, good, bad) => {
    const check = compile(definition)
    for (const text of good) expect([text, check(text)]).toEqual([text, undefined])
    for (const text of bad) expect([text, check(text)?.found]).toEqual([text, expect.any(String)])
  })

  it.each<[name: string, good: readonly string[], bad: readonly string[]]>([
    ['DIGIT', ['0', '9'], ['10', 'a']],
    ['HEXDIGIT', ['0', 'f', 'A'], ['g']],
    ['INT', ['0', '007'], ['-1', '']],
    ['SIGNED_INT', ['1', '-1', '+1'], ['--1']],
    ['DECIMAL', ['1.', '.5', '1.5'], ['1', '.']],
    ['FLOAT', ['1e5', '1.', '.5E-3'], ['1', 'e5']],
    ['SIGNED_FLOAT', ['-1.5', '+1e5'], ['-1']],
    ['NUMBER', ['1', '1.5', '1e5'], ['-1', '.']],
    ['SIGNED_NUMBER', ['1', '-1.5e+5', '+.5'], ['- 1']],
    ['ESCAPED_STRING', ['""', '"a"', raw`"\"\\"`], ['"', raw`"\"`, '"a"b"', "'a'"]],
    ['LCASE_LETTER', ['a'], ['A', 'é']],
    ['UCASE_LETTER', ['A'], ['a']],
    ['LETTER', ['a', 'Z'], ['ab', '1']],
    ['WORD', ['aB'], ['a1', '']],
    ['CNAME', ['_a1', 'A'], ['1a', 'a-b']],
    ['WS_INLINE', [' \t'], ['\n', '']],
    ['WS', [' \t\f\r\n'], ['', 'a']],
    ['CR', ['\r'], ['\n']],
    ['LF', ['\n'], ['\r']],
    ['NEWLINE', ['\n', '\r\n\n'], ['\r', ' \n']],
    ['SH_COMMENT', ['# a'], ['# a\n', 'a']],
    ['CPP_COMMENT', ['// a'], ['/ a', '// a\n']],
    ['C_COMMENT', ['/**/', '/* a *\n**/'], ['/* */ */', '/*']],
    ['SQL_COMMENT', ['-- a'], ['- a']],
  ])('has the common terminal %s', (name, good, bad) => {
    const check = compile(`start: ${name}\n%import common.${name}`)
    for (const text of good) expect([text, check(text)]).toEqual([text, undefined])
    for (const text of bad) expect([text, check(text)?.found]).toEqual([text, expect.any(String)])
  })

  it('has no common terminal that is not tried here', () => {
    expect(Object.keys(commonTerminals)).toHaveLength(24)
  })

  it.each<[definition: string, line: number, column: number, says: string]>([
    ['', 1, 1, 'there is no rule "start"'],
    ['a: "x"', 1, 1, 'there is no rule "start"'],
    ['START: "x"', 1, 1, 'there is no rule "start"'],
    ['start "x"', 1, 7, 'there is "x" where ":" must be'],
    ['start: "a" )', 1, 12, 'there is ")" where the end of the line must be'],
    ['start: ("a"', 1, 12, 'there is the end of the grammar where ")" must be'],
    ['start: ["a")', 1, 12, 'there is ")" where "]" must be'],
    ['start: "a" "b', 1, 12, 'where a text that ends with a quote in its line must be'],
    ['start: /a\nb/', 1, 8, 'where a regular expression that ends with "/" in its line must be'],
    ["start: 'a'", 1, 8, 'there is "\'" where a text in double quotes must be'],
    ['start: a;', 1, 9, 'there is ";" where a rule, a terminal, a text or a sign of Lark must be'],
    [
      'start: * "a"',
      1,
      8,
      'there is "*" where a name, a text in double quotes, a regular expression, "(" or "[" must be',
    ],
    ['start: "a"**', 1, 12, 'there is "*" where a name'],
    ['start: "a"~', 1, 12, 'there is the end of the grammar where a number must be'],
    ['start: "a"~3..2', 1, 11, 'the least count, 3, is more than the most, 2'],
    ['start: "a"{1', 1, 13, 'where "}" must be'],
    ['start: "a" -> B', 1, 15, 'there is "B" where the name of an alias must be'],
    ['start: a\n\n b : "x"\n  c', 4, 4, 'there is the end of the grammar where ":" must be'],
    ['? "a"', 1, 3, 'there is "a" where the name of a rule must be'],
    ['"a": b', 1, 1, 'there is "a" where a rule, a terminal, or a directive such as %ignore must be'],
    ['start: expresion\nexpression: "x"', 1, 8, 'expresion is not defined; did you mean expression?'],
    ['start: "a" NUMBER', 1, 12, 'NUMBER is not defined; "%import common.NUMBER" has one'],
    ['start: "a"\n%ignore WS', 2, 9, 'WS is not defined; "%import common.WS" has one'],
    ['start: "a"\nA: B\nB: C', 3, 4, 'C is not defined'],
    ['start: A\nA: "a" B\nB: A', 3, 4, 'the terminal A is a part of itself; only rules may be'],
    ['start: A\nb: "b"\nA: "a" b', 3, 8, 'no rule is part of a terminal'],
    ['start: "a"\nstart: "b"', 2, 1, '"start" is defined twice'],
    ['start: A\nA: "a"\n%import common.INT -> A', 3, 23, '"A" is defined twice'],
    ['start: a\n  ?a: "x" a | b\nb: a', 1, 1, 'no text can end the rule start'],
    ['start: "x"\n?a: "x" a', 2, 1, 'no text can end the rule a: each of its options has the rule itself in it'],
    ['start: "z".."a"', 1, 8, 'the range "z".."a" goes backwards'],
    ['start: "a".."bc"', 1, 13, 'a range goes from one character to another; this is "bc"'],
    [raw`start: "\x41"`, 1, 8, raw`the text "\x41" has an escape that JSON does not have`],
    ['start: /a(b/', 1, 12, 'there is "/" where the ")" of "(b" must be'],
    ['start: "x"\n  | /a(?=b)/', 2, 7, 'look-around is not supported'],
    ['start: /a+?b/', 1, 11, 'lazy quantifiers are not supported'],
    ['start: /a/l', 1, 11, 'there is no flag "l"'],
    ['start{x}: "a"', 1, 6, 'not supported: templates of rules'],
    ['start: A\nA.2: "a"', 2, 2, 'not supported: priorities of terminals'],
    ['start[lazy]: "a"', 1, 6, 'not supported: attributes of rules'],
    ['start: "a"\n%declare B', 2, 1, 'not supported: %declare'],
    ['start: %json {}', 1, 8, 'not supported: %json in a rule'],
    ['start: A\n%import python.NAME -> A', 2, 9, 'only "common" can be imported'],
    ['start: A\n%import .other.A', 2, 9, 'there is "." where "common" must be'],
    ['start: A\n%import common.INTEGER', 2, 16, '"common" has no INTEGER'],
    ['start: A\n%import common.SIGNED_NUMBR', 2, 16, 'did you mean SIGNED_NUMBER?'],
    ['start: <|token|>', 1, 8, 'there is "<" where'],
    [`start: ${'('.repeat(500)}`, 1, 209, 'it is nested deeper than 200 levels'],
    [
      'start: ("a"~1000)~1000',
      1,
      18,
      'it is too large: with each repetition written out it has more than 200000 parts',
    ],
    ['start: "a"~0..999999', 1, 15, 'it is too large: a count may be at most 200000'],
    ['start: A\nA: ("a"~1000)~1000', 2, 14, 'it is too large'],
    [
      `start: A0\n${Array.from({ length: 30 }, (_, i) => `A${i}: A${i + 1} A${i + 1}`).join('\n')}\nA30: "a"`,
      1,
      1,
      'it is too large',
    ],
    [
      `start: A0\n${Array.from({ length: 500 }, (_, i) => `A${i}: A${i + 1}`).join('\n')}\nA500: "a"`,
      202,
      7,
      'it is nested deeper than 200 levels',
    ],
  ])('is refused where it is wrong: %j', (definition, line, column, says) => {
    expect(() => compile(definition)).toThrow(
      `Cannot define tool "tool": "grammar.definition" is wrong at line ${line}, column ${column}: `,
    )
    expect(() => compile(definition)).toThrow(says)
    expect(() => compile(definition)).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
  })
})

describe('where a text stops', () => {
  it.each<[what: string, definition: string, text: string, column: number, found: string, expected: readonly string[]]>(
    [
      ['all that may be there is said', 'start: "a" (B | /c/ | "d"i)\nB: /b+/', 'ax', 2, '"x"', ['B', '/c/', '"d"i']],
      ['a terminal that is a text is said as one', 'start: KEY\nKEY: "key"', 'k', 1, '"k"', ['"key"']],
      ['a text is found or not', 'start: "SELECT" "x"', 'SELCT', 1, '"SELCT"', ['"SELECT"']],
      [
        'other terminals are followed to the place',
        'start: DATE\nDATE: /\\d{4}-\\d\\d/',
        '2026_01',
        5,
        '"_01"',
        ['"-" of DATE'],
      ],
      ['what only might have been longer is not said', 'start: NAME ";"\nNAME: /[a-z]+/', 'ab cd', 3, '" "', ['";"']],
      [
        'many ways of one terminal are put into one',
        'start: KEY\nKEY: "x" ("a"|"b"|"c"|"d"|"e"|"f"|"g")',
        'x!',
        2,
        '"!"',
        ['more of KEY'],
      ],
      ['the end is said, last', 'start: ("a" | "b")*', 'abc', 3, '"c"', ['"a"', '"b"', 'the end of the text']],
      ['it is behind what is ignored', 'start: "a" "b"\n%ignore / +/', 'a   c', 5, '"c"', ['"b"']],
      ['nothing else is at the end', 'start: "a"', 'a b', 2, '" "', ['the end of the text']],
    ],
  )('%s', (_, definition, text, column, found, expected) => {
    expect(compile(definition)(text)).toMatchObject({ line: 1, column, found, expected })
  })
})

describe('no text makes a check slow', () => {
  const steps = (definition: string, text: string): number => {
    const meter = { left: 1e9 }
    compile(definition)(text, meter)
    return 1e9 - meter.left
  }

  const json = raw`
    start: value
    value: object | array | STRING | NUMBER | "true" | "false" | "null"
    object: "{" [pair ("," pair)*] "}"
    pair: STRING ":" value
    array: "[" [value ("," value)*] "]"
    STRING: /"(?:[^"\\]|\\.)*"/
    %import common.NUMBER
    %ignore /\s+/`

  it.each<[what: string, definition: string, text: (n: number) => string]>([
    ['recursion on the left', 'start: start "a" | ', (n) => 'a'.repeat(n)],
    ['recursion on the right', 'start: "a" start | ', (n) => 'a'.repeat(n)],
    ['recursion on the right, through others', 'start: a\na: "a" b?\nb: "," a', (n) => `a${',a'.repeat(n)}`],
    ['recursion on the right that is optional', 'start: "a" (";" start)? | "b" start?', (n) => 'ba;'.repeat(n)],
    ['recursion in the middle', 'start: "(" start ")" | ', (n) => '('.repeat(n) + ')'.repeat(n)],
    ['recursion in the middle that is cut', 'start: "(" start ")" | ', (n) => '('.repeat(n)],
    ['counts', 'start: ("a" "b"?)~0..5000', (n) => 'ab'.repeat(n)],
    ['lines', raw`start: (/[^\n]*/ "\n")*`, (n) => 'some line\n'.repeat(n)],
    [
      'a document',
      json,
      (n) =>
        JSON.stringify(
          Array.from({ length: n }, (_, id) => ({ id, tags: ['a', 'b'] })),
          null,
          2,
        ),
    ],
    ['a deep document', json, (n) => '[{"a":'.repeat(n)],
    ['a string without an end', json, (n) => `["${'a'.repeat(n)}`],
    ['patterns that make others go back', raw`start: /(a*)*b/ | /(a|aa)+/ "!"`, (n) => 'a'.repeat(n)],
  ])('%s takes as many steps as the text has parts', (_, definition, text) => {
    const short = steps(definition, text(1_000))
    const long = steps(definition, text(2_000))
    expect(long).toBeLessThan(2.2 * short + 2_000)
    expect(long).toBeLessThan(2_000_000)
  })

  it.each([
    ['that can be read in too many ways', 'start: start start | "a"', 'a'.repeat(2_000)],
    ['that has to be looked at again from each place', 'start: (A | B)+\nA: /a*b/\nB: /a/', 'a'.repeat(20_000)],
  ])('a text %s ends with an error that says so', (_, definition, text) => {
    const check = compile(definition)
    expect(() => check(text)).toThrow('The text takes too many steps to be checked against its grammar')
    expect(() => check(text, { left: 1_000 })).toThrow(expect.objectContaining({ code: 'input_too_complex' }))
  })
})
