import { scriptToolName } from '../core/built-ins.js'
import type { JsonSchema } from '../core/json.js'
import { defaultLimits, type ScriptLimits } from '../core/script-limits.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { shownCharacters, shownPrints } from '../core/shown.js'
import { asks, declareTools, groupTools } from './declarations.js'
import { cut, dotted, quoted } from './declarations-literal.js'
import { exampleOf } from './script-tool-example.js'

/** What the description says of each tool: its types, its name, or nothing, as scripts can search for tools. */
export type Declared = 'all' | 'names' | 'search'

export interface ScriptToolOptions {
  /** Absent: the defaults. */
  readonly limits?: ScriptLimits | undefined
  /** Absent: the most that fits into 16,000 bytes. */
  readonly declare?: Declared
}

/** Bytes of all declarations, or of all names: 4,000 to 5,000 tokens. */
const mostBytes = 16_000
/** Characters that one tool's declaration may take: the most with which all of them fit. */
const lengths = [300, 600, 1_500, 4_000]

const input: JsonSchema = {
  type: 'object',
  properties: { code: { type: 'string', minLength: 1, description: 'JavaScript, the body of an async function' } },
  required: ['code'],
  additionalProperties: false,
}

/**
 * The tool by which the model runs a script. The same tools give the same bytes: the description is a part of the prefix that
 * providers cache.
 */
export function scriptToolDefinition(
  tools: readonly ToolDefinition[],
  { limits = defaultLimits, declare }: ScriptToolOptions = {},
): ToolDefinition {
  const example = exampleOf(tools.filter(({ deferred }) => !deferred))
  const description = [
    'Runs JavaScript that calls the other tools, and returns only what it returns. Prefer it when a task takes several calls, a loop, or only a part of what a tool gives.',
    rules(limits, tools.some(asks)),
    declared(tools, declare),
    ...(example ? [`For example:\n${example}`] : []),
  ].join('\n\n')
  return { name: scriptToolName, description, input, risk: 'read' }
}

function rules(limits: ScriptLimits, someAsk: boolean): string {
  const { calls, cpuMs, totalCpuMs } = limits
  return [
    'The code is the body of an async function: await and return work at its top level. Return only what you need: nothing else is kept.',
    'tools.NAME(input) gives a promise of the output; make independent calls with Promise.all. A failed call throws a ToolError with code, message, retryable, tool and callId.',
    'print(...) shows you a value too. search(query) and describe(name) find tools and tell their types. results(handle) gives an earlier result that was cut. sleep(ms) waits. What you put into the object state is there in later scripts.',
    'URL, Intl, TextEncoder, setTimeout, structuredClone and crypto.randomUUID are there; network, DOM and import are not.',
    ...(someAsk ? ['A tool marked "asks" may ask a person first; the script waits for the answer.'] : []),
    `Limits: ${counted(calls)} calls, ${seconds(cpuMs)} of computing between two calls and ${seconds(totalCpuMs)} in all. You are shown the first ${counted(shownCharacters)} characters of what it returns, and ${counted(shownPrints)} of what it prints.`,
    'If it fails, you get the error with its line, and the calls it made with their outcomes. What it wrote by then stays: do not call it again.',
  ]
    .map((line) => `- ${line}`)
    .join('\n')
}

function declared(all: readonly ToolDefinition[], declare?: Declared): string {
  if (all.length === 0) return 'There are no tools yet.'
  const tools = all.filter(({ deferred }) => !deferred)
  if (tools.length === 0) return ways.search(all)
  // A tool takes 25 bytes at least: the declarations of a thousand tools are not made to be counted.
  const tries: readonly Declared[] = tools.length * 25 > mostBytes ? ['names', 'search'] : ['all', 'names', 'search']
  for (const way of declare ? [declare] : tries) {
    if (way === 'search') return ways.search(all)
    const more = all.length - tools.length
    const text = ways[way](tools) + (more > 0 ? `\nThere are ${counted(more)} more: find them by search(query).` : '')
    if (declare || bytes(text) <= mostBytes) return text
  }
  return ''
}

const ways: Readonly<Record<Declared, (tools: readonly ToolDefinition[]) => string>> = {
  all: (tools) => {
    const write = (longest: number) =>
      `The tools; describe(name) tells what object and unknown stand for, and what fields mean:\n\`\`\`ts\n${declareTools(tools, { longest })}\n\`\`\``
    let text = write(lengths[0]!)
    for (const longest of lengths.slice(1)) {
      const longer = write(longest)
      if (bytes(longer) > mostBytes) break
      text = longer
    }
    return text
  },
  names: (tools) => {
    const lines = groupTools(tools).map(({ namespace, tools: inside }) => {
      const list = inside.map(({ name, tool }) => `${quoted(name)}${asks(tool) ? '*' : ''}`).join(', ')
      return `${namespace === undefined ? 'tools' : dotted('tools', namespace)}: ${list}`
    })
    return `The tools by name; describe(name) tells what one takes and gives, * asks:\n${lines.join('\n')}`
  },
  search: (tools) => {
    const sizes = groupTools(tools).flatMap(({ namespace, tools: inside }) =>
      namespace === undefined ? [] : [`${dotted('tools', namespace)} (${inside.length})`],
    )
    const spaces = cut(sizes.join(', '), 2_000)
    const among = spaces ? `, among them ${spaces}` : ''
    return `There are ${counted(tools.length)} tools${among}. Find those for a task first: return await search("words of the task").`
  },
}

const bytes = (text: string): number => new TextEncoder().encode(text).length
const counted = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',')
const seconds = (ms: number): string => `${ms / 1000} s`
