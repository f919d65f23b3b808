import type { Grammar } from '../../../src/core/tool-definition.js'

/** A grammar that somebody could have written for a tool, with texts that match it and texts that do not. */
export interface RealGrammar {
  readonly name: string
  readonly grammar: Grammar
  readonly good: readonly string[]
  /** With what is said of the place: line, column, what is found, and one of what may be there. */
  readonly bad: readonly (readonly [text: string, line: number, column: number, found: string, expected: string])[]
}

const lark = (definition: string): Grammar => ({ syntax: 'lark', definition })
const regex = (definition: string): Grammar => ({ syntax: 'regex', definition })
const theEnd = 'the end of the text'

export const realGrammars: readonly RealGrammar[] = [
  {
    name: 'arithmetic, recursive on the left',
    grammar: lark(String.raw`
      start: expr
      expr: expr ("+" | "-") term | term
      term: term ("*" | "/") factor | factor
      factor: "-"? atom
      atom: NUMBER | "(" expr ")" | NAME "(" [expr ("," expr)*] ")"
      NAME: /[a-z]+/
      %import common.NUMBER
      %ignore " "
    `),
    good: ['1', '1+2*3', '-(4 - 5.5e3) / 2', 'max(1, 2, min(3))', 'pi()', ' 1 ', '((((1))))'],
    bad: [
      ['', 1, 1, theEnd, 'NUMBER'],
      ['1 +', 1, 4, theEnd, '"("'],
      ['1 2', 1, 3, '"2"', '"+"'],
      ['(1', 1, 3, theEnd, '")"'],
      ['1 + * 2', 1, 5, '"*"', '"-"'],
      ['max(1,)', 1, 7, '")"', 'NUMBER'],
      ['a', 1, 2, theEnd, '"("'],
    ],
  },
  {
    name: 'arithmetic, recursive on the right',
    grammar: lark(String.raw`
      start: sum
      ?sum: product "+" sum -> add
          | product
      ?product: NUMBER "*" product -> times
          | NUMBER
      NUMBER: /\d+/
    `),
    good: ['1', '1+2', '1*2*3+4+5*6'],
    bad: [
      ['1+', 1, 3, theEnd, 'NUMBER'],
      ['1 +2', 1, 2, '" "', '"+"'],
      ['1**2', 1, 3, '"*"', 'NUMBER'],
    ],
  },
  {
    name: 'a part of SQL',
    grammar: lark(String.raw`
      // Reads only.
      start: select ";"?
      select: "SELECT"i columns "FROM"i table join* where? order? limit?
      columns: "*" | column ("," column)*
      column: expr ["AS"i NAME]
      expr: NAME | NAME "." NAME | call
      call: ("COUNT"i | "SUM"i | "AVG"i) "(" ("*" | expr) ")"
      table: NAME NAME?
      join: "JOIN"i table "ON"i expr "=" expr
      where: "WHERE"i cond
      cond: cond "AND"i cond | cond "OR"i cond | "(" cond ")" | expr OP value | expr "IN"i "(" value ("," value)* ")"
      order: "ORDER"i "BY"i expr ("ASC"i | "DESC"i)?
      limit: "LIMIT"i INT
      value: SIGNED_NUMBER | STRING | "NULL"i
      OP: "=" | "<>" | "<=" | ">=" | "<" | ">"
      NAME: /[a-z_][a-z0-9_]*/
      STRING: /'(?:[^']|'')*'/
      %import common (INT, SIGNED_NUMBER, WS)
      %ignore WS
    `),
    good: [
      'SELECT * FROM orders',
      "select id, total as sum from orders where total >= 10.5 and (name = 'it''s' or id in (1, 2));",
      'SELECT COUNT(*) FROM orders o JOIN users u ON o.user = u.id\nWHERE u.name <> NULL\nORDER BY o.id DESC\nLIMIT 10',
    ],
    bad: [
      ['SELCT * FROM orders', 1, 1, '"SELCT"', '"SELECT"i'],
      ['SELECT * FORM orders', 1, 10, '"FORM"', '"FROM"i'],
      ['SELECT id,\n FROM orders', 2, 2, '"FROM"', 'NAME'],
      ['SELECT a FROM t WHERE', 1, 22, theEnd, 'NAME'],
      ['SELECT a FROM t WHERE x == 1', 1, 26, '"="', 'STRING'],
      ["SELECT a FROM t WHERE x = 'open", 1, 32, theEnd, '"\'" of STRING'],
      ['SELECT a FROM t; DROP TABLE t', 1, 18, '"DROP"', theEnd],
      ['SELECT a FROM t LIMIT 1.5', 1, 24, '"."', '";"'],
    ],
  },
  {
    name: 'a patch',
    grammar: lark(String.raw`
      start: begin hunk+ end
      begin: "*** Begin Patch" LF
      end: "*** End Patch" LF?
      hunk: add | delete | update
      add: "*** Add File: " FILENAME LF add_line+
      delete: "*** Delete File: " FILENAME LF
      update: "*** Update File: " FILENAME LF move? change?
      move: "*** Move to: " FILENAME LF
      change: (context | change_line)+ eof?
      context: ("@@" | "@@ " /(.+)/) LF
      change_line: ("+" | "-" | " ") /(.*)/ LF
      add_line: "+" /(.*)/ LF
      eof: "*** End of File" LF
      FILENAME: /(.+)/
      %import common.LF
    `),
    good: [
      '*** Begin Patch\n*** Add File: a/b.txt\n+one\n+\n*** End Patch',
      '*** Begin Patch\n*** Delete File: a.txt\n*** Delete File: b.txt\n*** End Patch\n',
      '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@ class A\n one\n-two\n+drei ä 😀\n \n@@\n+x\n*** End of File\n*** End Patch\n',
    ],
    bad: [
      ['*** Begin\n*** End Patch', 1, 1, '"*"', '"*** Begin Patch"'],
      ['*** Begin Patch\n*** End Patch\n', 2, 1, '"*"', '"*** Add File: "'],
      ['*** Begin Patch\n*** Add File: a\none\n*** End Patch\n', 3, 1, '"one"', '"+"'],
      ['*** Begin Patch\n*** Update File: a\n@@\n+a', 4, 3, theEnd, 'LF'],
      ['*** Begin Patch\n*** Add File: \n+a\n*** End Patch\n', 2, 15, '"\\n"', 'FILENAME'],
    ],
  },
  {
    name: 'JSON',
    grammar: lark(String.raw`
      ?start: value
      ?value: object | array | STRING | NUMBER | "true" | "false" | "null"
      object: "{" [pair ("," pair)*] "}"
      pair: STRING ":" value
      array: "[" [value ("," value)*] "]"
      STRING: "\"" (/[^"\\\x00-\x1f]/ | "\\" (/["\\\/bfnrt]/ | "u" HEX~4))* "\""
      HEX: "0".."9" | "a".."f" | "A".."F"
      NUMBER: "-"? ("0" | /[1-9]\d*/) ("." /\d+/)? (("e" | "E") ["+" | "-"] /\d+/)?
      %ignore /[ \t\r\n]+/
    `),
    good: ['{}', '[]', 'null', ' {"a": [1, -2.5e+3, "x\\u00e9\\n"], "b": {"c": true}} ', '"😀"', '[[[[]]]]', '0'],
    bad: [
      ['{"a": }', 1, 7, '"}"', 'STRING'],
      ['{"a" 1}', 1, 6, '"1"', '":"'],
      ['{a: 1}', 1, 2, '"a"', 'STRING'],
      ['[1, 2,]', 1, 7, '"]"', '"null"'],
      ['{\n  "a": 1,\n  "b" = 2\n}', 3, 7, '"="', '":"'],
      ['"a\\x"', 1, 4, '"x"', '"u" of STRING'],
      ['[1', 1, 3, theEnd, '"]"'],
      ['01', 1, 2, '"1"', theEnd],
      ["{'a': 1}", 1, 2, '"\'"', 'STRING'],
    ],
  },
  {
    name: 'a date with a time',
    grammar: regex(
      String.raw`(?P<year>\d{4})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?Z?)?`,
    ),
    good: ['2026-11-30', '2026-12-01T23:59', '0000-01-01T00:00:00Z'],
    bad: [
      ['2026-13-01', 1, 7, '"3"', '[0-2]'],
      ['2026-1-01', 1, 7, '"-"', '[0-2]'],
      ['2026-11-30T25:00', 1, 13, '"5"', '[0-3]'],
      ['2026-11-30 ', 1, 11, '" "', '"T"'],
      ['26', 1, 3, theEnd, '\\d'],
    ],
  },
  {
    name: 'a schedule of cron',
    grammar: lark(String.raw`
      start: field (" " field)~4
      field: "*" step? | item ("," item)*
      item: INT ("-" INT)? step?
      step: "/" INT
      %import common.INT
    `),
    good: ['* * * * *', '*/5 0 1,15 * 1-5', '0-30/10 8-18/2 * 1,2,3 *'],
    bad: [
      ['* * * *', 1, 8, theEnd, '" "'],
      ['* * * * * *', 1, 10, '" "', theEnd],
      ['*/ * * * *', 1, 3, '" "', 'INT'],
      ['1, * * * *', 1, 3, '" "', 'INT'],
    ],
  },
  {
    name: 'a search like that of Lucene',
    grammar: lark(String.raw`
      start: clause (("AND" | "OR")? clause)*
      clause: ["NOT"] (field | group | term)
      group: "(" start ")"
      field: WORD ":" (term | range | group)
      range: "[" BOUND "TO" BOUND "]"
      term: (WORD | PHRASE) boost?
      boost: "^" /\d+(\.\d+)?/
      BOUND: /[\p{L}\d*-]+/
      WORD: /[\p{L}\d_*?]+/
      PHRASE: /"[^"]*"/
      %ignore /\s+/
    `),
    good: ['cola', 'title:"coca cola"^2.5 AND NOT brand:pepsi*', 'year:[2000 TO *] (größe:xl OR grösse:l)'],
    bad: [
      ['title:', 1, 7, theEnd, '"["'],
      ['year:[2000 2001]', 1, 12, '"2001"', '"TO"'],
      ['(a OR b', 1, 8, theEnd, '")"'],
      ['"open', 1, 6, theEnd, '[^"] of PHRASE'],
      ['a^', 1, 3, theEnd, '/\\d+(\\.\\d+)?/'],
    ],
  },
  {
    name: 'lines that are indented',
    grammar: lark(String.raw`
      start: (_line NEWLINE)* _line?
      _line: KEY ":" [VALUE] | COMMENT | INDENT _line
      KEY: /[a-z]+/
      VALUE: / [^\n]+/
      INDENT: "  "
      COMMENT: "#" /[^\n]/*
      %import common.NEWLINE
    `),
    good: ['', 'a: 1', 'a:\n  b: two words\n\n\n  # why\n    c: d\n', 'a:\r\nb: 1'],
    bad: [
      ['a', 1, 2, theEnd, '":"'],
      ['a: 1\n b: 2', 2, 1, '" "', 'KEY'],
      ['a:1', 1, 3, '"1"', 'VALUE'],
      ['A: 1', 1, 1, '"A"', 'COMMENT'],
    ],
  },
  {
    name: 'moves of chess',
    grammar: regex(String.raw`(?:1\. )?(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?)[+#]?`),
    good: ['e4', '1. Nf3', 'exd8=Q+', 'O-O-O', 'Raxb1#'],
    bad: [
      ['e9', 1, 2, '"9"', '[1-8]'],
      ['O-', 1, 3, theEnd, '"O"'],
      ['', 1, 1, theEnd, '[KQRBN]'],
    ],
  },
  {
    name: 'a command of a shell',
    grammar: lark(String.raw`
      start: command ("|" command)* redirect?
      command: PROGRAM argument*
      argument: FLAG | WORD | SINGLE | DOUBLE
      redirect: ">" ">"? WORD
      PROGRAM: "ls" | "cat" | "grep" | "wc"
      FLAG: /--?[a-z][a-z-]*(=\S+)?/
      WORD: /[^\s'"|>-][^\s'"|>]*/
      SINGLE: /'[^']*'/
      DOUBLE: /"(\\.|[^"\\])*"/s
      %ignore /[ \t]+/
    `),
    good: ['ls', 'ls -la /tmp', 'cat a.txt | grep --color=always "a \\" b" | wc -l >> out', "grep 'x'"],
    bad: [
      ['rm -rf /', 1, 1, '"rm"', 'PROGRAM'],
      ['ls |', 1, 5, theEnd, 'PROGRAM'],
      ['ls > ', 1, 6, theEnd, 'WORD'],
    ],
  },
]
