import { describe, expect, it } from 'vitest'
import { toJson, type Json, type JsonObject } from '../../src/core/json.js'
import { scriptReader } from '../../src/sandbox/check/reader.js'
import { withCheck } from '../../src/sandbox/check.js'
import type { HostResult } from '../../src/sandbox/script.js'
import { stripTypes } from '../../src/sandbox/strip-types.js'
import { withTypeScript } from '../../src/sandbox/typescript.js'
import { failure, ok, runScript } from '../conformance/run-script.js'
import { programs } from './acceptance-programs.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

const order = (n: number, status: string, total: number): JsonObject => ({
  id: `O-${n}`,
  customer: `C-${(n % 3) + 1}`,
  status,
  total,
  due: `2026-03-0${n}T12:00:00.000Z`,
  items: [{ sku: `S-${n}` }],
})
const orders = [
  order(1, 'open', 10.5),
  order(2, 'closed', 20.25),
  order(3, 'open', 5),
  order(4, 'sent', 99.99),
  order(5, 'closed', 0.1),
  order(6, 'open', 42),
]
const notes: Record<string, string> = {
  quotes: `She said "yes" and 'no', then "it's".`,
  links: 'https://a.example/x\r\nhttp://b.example/y?z\n\n',
  dates: 'from 2026-01-31 to 2026-12-24',
  csv: 'sku,price\nA-1,3\nB-2,4.5\n',
  json: '{"b": 2, "a": 1}',
}
const children: Record<string, string[]> = { root: ['left', 'right'], left: ['leaf'] }

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The tools of one run: what they answer depends on their input and on how often they were asked. */
function answers(): (toolName: string, input: JsonObject) => HostResult {
  const asked = new Map<string, number>()
  return (toolName, input) => {
    const key = `${toolName} ${JSON.stringify(input)}`
    const times = (asked.get(key) ?? 0) + 1
    asked.set(key, times)
    const found = (value: Json | undefined) => (value === undefined ? failure('not_found', 'There is none') : ok(value))
    switch (toolName) {
      case 'list_orders': {
        const page = Number(input.page)
        return ok({ orders: orders.slice(page * 4 - 4, page * 4), nextPage: page === 1 ? 2 : null })
      }
      case 'get_order':
        return found(orders.find(({ id }) => id === input.id))
      case 'get_customer':
        return found(input.id === 'C-9' ? undefined : { name: `Customer ${text(input.id)}` })
      case 'update_order':
        return ok({ ok: true })
      case 'read_note':
        return found({ text: notes[text(input.name)]! })
      case 'children':
        return ok({ children: children[text(input.id)] ?? [] })
      case 'poll':
        return ok({ status: times < 3 ? 'waiting' : 'ready' })
      case 'flaky':
        return times < 2 ? failure('busy', 'Try again') : ok(`after ${times}`)
      default:
        throw new Error(`There is no tool ${toolName}`)
    }
  }
}

const toolNames = ['list_orders', 'get_order', 'get_customer', 'update_order', 'read_note', 'children', 'poll', 'flaky']
const definitions = toolNames.map((name) => ({
  name,
  description: name,
  risk: 'read' as const,
  input: { type: 'object', properties: {} },
}))

interface Done {
  readonly value: Json
  readonly calls: readonly (readonly [toolName: string, input: Json])[]
}

type Body = (tools: object, print: () => void) => Promise<unknown>
const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => Body

/** What the program does in this engine, with tools that answer in turn: what it must do in the sandbox. */
async function runHere(body: string): Promise<Done> {
  const answer = answers()
  const calls: [string, Json][] = []
  let before: Promise<unknown> = Promise.resolve()
  const tools = Object.fromEntries(
    toolNames.map((name) => [
      name,
      (input: JsonObject) => {
        calls.push([name, input])
        const turn = before.then(() => new Promise((done) => setImmediate(done)))
        before = turn
        return turn.then(() => {
          const result = answer(name, input)
          if (result.status === 'error') throw Object.assign(new Error(result.failure.message), result.failure)
          return result.value
        })
      },
    ]),
  )
  const value = await new AsyncFunction('tools', 'print', body)(tools, () => undefined)
  return { value: toJson(value), calls }
}

const strip = async () => stripTypes
const sandbox = withCheck(withTypeScript(createIsolateSandbox(), strip), async () => scriptReader, strip)

async function runThere(code: string): Promise<Done> {
  const answer = answers()
  const { outcome, calls } = await runScript(sandbox, code, {
    tools: toolNames,
    answer: ({ toolName, input }) => answer(toolName, input as JsonObject),
    more: { definitions },
  })
  if (outcome.status === 'error') throw new Error(`${outcome.failure.message}\n${outcome.failure.frame}`)
  return { value: outcome.value, calls: calls.map(({ toolName, input }) => [toolName, input]) }
}

/** What stands in a template may not be indented. */
const indented = (body: string): string => (/`[^`]*\n[^`]*`/.test(body) ? body : body.replaceAll(/^(?=.)/gm, '  '))

/** The same body as the other things that models write. */
const shapes: readonly ((body: string) => string)[] = [
  (body) => body,
  (body) => `async () => {\n${body}\n}`,
  (body) => `async function main() {\n${body}\n}\n\nawait main();`,
  (body) => `export default async function run() {\n${body}\n}`,
  (body) => `(async () => {\n${body}\n})();`,
  (body) => `const main = async () => {\n${body}\n};\n\nmain(); // go`,
  (body) => (body === indented(body) ? body : `'use strict';\nasync function main() {\n${indented(body)}\n}`),
]

const toTypeScript = (code: string): string =>
  `type Id = string;\n${code.replaceAll(/^( *)(const|let) (\w+) = /gm, '$1$2 $3: any = ')}`

const wrappings: Record<string, (code: string) => string> = {
  plain: (code) => code,
  'in TypeScript': toTypeScript,
  fenced: (code) => `\`\`\`javascript\n${code}\n\`\`\``,
  'fenced, with prose': (code) =>
    `I'll do it in one script:\n\n\`\`\`ts\n${toTypeScript(code)}\n\`\`\`\n\nIt "returns" what you asked for.`,
  'with line ends of Windows': (code) => code.replaceAll('\n', '\r\n'),
  'escaped twice': (code) => JSON.stringify(code).slice(1, -1),
  'as JSON': (code) => JSON.stringify({ code }),
}

describe('a program does what it does elsewhere, however it is written', () => {
  it.each(Object.entries(programs))('%s', async (name, body) => {
    const wanted = await runHere(body)
    expect(wanted.value).not.toBeNull()
    expect(wanted.calls.length).toBeGreaterThan(0)
    const first = Object.keys(programs).indexOf(name)
    for (const [i, [wrapping, wrap]] of Object.entries(wrappings).entries()) {
      // A template keeps its line ends whatever they are.
      if (wrapping === 'with line ends of Windows' && /`[^`]*\n[^`]*`/.test(body)) continue
      const shape = shapes[(first + i) % shapes.length]!
      const code = wrap(shape(body))
      expect({ code, ...(await runThere(code)) }, `${name}, ${wrapping}`).toEqual({ code, ...wanted })
    }
  })

  it('which is tried with enough of them', () => {
    expect(Object.keys(programs).length).toBeGreaterThanOrEqual(45)
    expect(Object.keys(programs).length * Object.keys(wrappings).length).toBeGreaterThanOrEqual(150)
  })
})
