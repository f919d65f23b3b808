// Tokens that enter the context over the retail plans of tau2, called directly and by scripts. `npm run context`
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { createTools } from '../../demo/tools.js'
import type { Shop } from '../../demo/store/shop.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { costOf, type Cost } from './descriptions.js'
import { lookThenAct } from './look-then-act.js'
import { oneScript } from './one-script.js'
import { replayDirectly, replayScripts, stateOf, type Entry } from './replay.js'
import { retailTools, type DerivedTool } from './retail-tools.js'
import type { Action, Database } from './retail.js'
import { tokensOf } from './tokens.js'

const corpus = resolve(process.env.HANDRAIL_CORPUS ?? resolve(import.meta.dirname, '../../../shared/data'), '4-tools')
const results = resolve(import.meta.dirname, '../results')
const textOf = (file: string) => readFileSync(join(corpus, file), 'utf8')
const read = <Value>(file: string) => JSON.parse(textOf(file)) as Value

interface Task {
  readonly id: string
  readonly user_scenario: { readonly instructions: Readonly<Record<string, string | null>> }
  readonly evaluation_criteria: { readonly actions: readonly Action[]; readonly communicate_info: readonly string[] }
}

/** Tokens of one task: those that enter the context, each once, and those that the model reads, over all its requests. */
interface Tokens {
  readonly entered: number
  readonly read: number
}
interface Row {
  readonly id: string
  /** What the one script has that the person did not say. Absent: there is no such script. */
  readonly unsaid?: Unsaid
  readonly calls: number
  readonly direct: Tokens
  readonly lookThenAct: Tokens
  readonly oneScript: Tokens
}
interface Unsaid {
  /** Ids that the plan has from looking. */
  readonly ids: number
  /** Options of what is wanted, which the person put into other words. */
  readonly options: number
}
type Way = 'direct' | 'lookThenAct' | 'oneScript'

/** @param prefix Tokens of the tools that each request begins with. */
function tokensIn(entries: readonly Entry[], prefix: number): Tokens {
  let entered = 0
  let read = prefix
  for (const { name, input, result } of entries) {
    entered += tokensOf(name) + tokensOf(input) + tokensOf(result)
    read += prefix + entered
  }
  return { entered, read }
}

async function measure(task: Task, database: Database, { list, definition }: Cost): Promise<Row> {
  const { actions, communicate_info: answers } = task.evaluation_criteria
  const request = Object.values(task.user_scenario.instructions).join('\n')
  const direct = structuredClone(database)
  const { entries, done } = replayDirectly(direct, actions)
  const plan = { request, done, answers }
  const scripted = async (scripts: readonly string[]): Promise<Tokens> => {
    const own = structuredClone(database)
    const replayed = await replayScripts(own, scripts)
    if (stateOf(own) !== stateOf(direct))
      throw new Error(`Task ${task.id}: scripts left another database than direct calls`)
    checkAnswers(task.id, answers, entries, replayed)
    return tokensIn(replayed, list + definition)
  }
  const two = lookThenAct(plan)
  const one = oneScript(plan, database)
  const lookingFirst = await scripted(two)
  return {
    id: task.id,
    ...(one !== undefined && { unsaid: unsaidIn(one, request) }),
    calls: actions.length,
    direct: tokensIn(entries, list),
    lookThenAct: lookingFirst,
    oneScript: one === undefined ? lookingFirst : await scripted([one]),
  }
}

function unsaidIn(code: string, request: string): Unsaid {
  const isSaid = (text: string) => request.toLowerCase().includes(text.toLowerCase())
  const ids = [...code.matchAll(/"(#W\d+|\d{10}|\w+_\d{7})"/g)].map(([, id]) => id!)
  const wishes = [...code.matchAll(/await pick\(\w+, \{(.*?)\}\)/g)].map(([, wish]) => wish!)
  const options = wishes.flatMap((wish) => [...wish.matchAll(/: "([^"]*)"/g)].map(([, option]) => option!))
  const count = (texts: readonly string[]) => texts.filter((text) => !isSaid(text)).length
  return { ids: count(ids), options: count(options) }
}

/** What a tool of the shop said directly, the scripts must say as well. Sums are the assistant's. */
function checkAnswers(
  id: string,
  answers: readonly string[],
  direct: readonly Entry[],
  scripted: readonly Entry[],
): void {
  const told = (entries: readonly Entry[], answer: string) =>
    entries.some(({ name, result }) => name !== 'calculate' && result.toLowerCase().includes(answer.toLowerCase()))
  for (const answer of answers.filter((each) => !/^\d{1,3}$/.test(each)))
    if (told(direct, answer) && !told(scripted, answer))
      throw new Error(`Task ${id}: the scripts do not tell ${answer}`)
}

const mean = (rows: readonly Row[], way: Way, what: keyof Tokens): number =>
  rows.reduce((total, row) => total + row[way][what], 0) / rows.length
const percent = (part: number): string => `${(100 * part).toFixed(1)} %`
const saved = (rows: readonly Row[], way: Way, what: keyof Tokens): number =>
  1 - mean(rows, way, what) / mean(rows, 'direct', what)

const sizes: readonly (readonly [what: string, from: number, to: number])[] = [
  ['1 call', 1, 1],
  ['2 calls', 2, 2],
  ['3 and 4', 3, 4],
  ['5 and 6', 5, 6],
  ['7 to 9', 7, 9],
  ['10 and more', 10, Infinity],
  ['3 and more', 3, Infinity],
  ['all', 1, Infinity],
]

function toTable(rows: readonly Row[], what: keyof Tokens) {
  return sizes.map(([size, from, to]) => {
    const some = rows.filter(({ calls }) => calls >= from && calls <= to)
    return {
      size,
      tasks: some.length,
      direct: Math.round(mean(some, 'direct', what)),
      lookThenAct: Math.round(mean(some, 'lookThenAct', what)),
      oneScript: Math.round(mean(some, 'oneScript', what)),
      lookThenActSaves: percent(saved(some, 'lookThenAct', what)),
      oneScriptSaves: percent(saved(some, 'oneScript', what)),
    }
  })
}

function catalogues(): readonly Cost[] {
  const all = textOf('mcp-tools.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const server = (name: string): readonly ToolDefinition[] =>
    all
      .filter((tool) => tool.server === name && tool.source === 'npm-mcp')
      .map(({ name: tool, description, inputSchema, outputSchema, annotations }) => ({
        name: tool,
        description: description ?? '',
        input: inputSchema,
        ...(outputSchema && { output: outputSchema }),
        risk: annotations?.readOnlyHint ? 'read' : 'reversible',
      }))
  return [
    costOf(
      'order desk',
      createTools({} as Shop, '').map(({ definition }) => definition),
    ),
    costOf('tau2 retail', retailTools(read<readonly DerivedTool[]>('raw/tau2/tools-derived.json'))),
    ...[
      '@modelcontextprotocol/server-filesystem',
      '@modelcontextprotocol/server-github',
      '@playwright/mcp',
      '@zereight/mcp-gitlab',
      'hostinger-api-mcp',
    ].map((name) => costOf(name, server(name))),
  ]
}

if (!existsSync(corpus)) {
  console.error(`The corpus is not at ${corpus}: set HANDRAIL_CORPUS to the folder that has 4-tools in it`)
  process.exit(1)
}
const database = read<Database>('raw/tau2/retail/db.json')
const costs = catalogues()
const retail = costs.find(({ what }) => what === 'tau2 retail')!
const rows: Row[] = []
for (const task of read<readonly Task[]>('raw/tau2/retail/tasks.json'))
  if (task.evaluation_criteria.actions.length > 0) rows.push(await measure(task, database, retail))
const longer = rows.filter(({ calls }) => calls >= 3)
const aim = { saved: 0.75, from: 3, is: Number(saved(longer, 'oneScript', 'entered').toFixed(4)) }
const losing = rows
  .filter(({ direct, lookThenAct: two, oneScript: one }) => Math.max(two.entered, one.entered) >= direct.entered)
  .map((row) => ({
    id: row.id,
    calls: row.calls,
    direct: row.direct.entered,
    lookThenAct: row.lookThenAct.entered,
    oneScript: row.oneScript.entered,
  }))
const unsaid = rows.flatMap((row) => row.unsaid ?? [])
const oneScripts = {
  tasks: unsaid.length,
  withIdsOfThePlan: unsaid.filter(({ ids }) => ids > 0).length,
  withOptionsInOtherWords: unsaid.filter(({ options }) => options > 0).length,
}
const sizesOf = { entered: toTable(rows, 'entered'), read: toTable(rows, 'read') }

console.log('Tokens that enter the context, mean of a task:')
console.table(sizesOf.entered)
console.log(
  `Aim: one script saves ${percent(aim.saved)} on tasks of ${aim.from} calls or more; it is ${percent(aim.is)}${aim.is < aim.saved ? ', NOT MET' : ''}`,
)
console.log(
  `${oneScripts.tasks} tasks can be one script: ${oneScripts.withIdsOfThePlan} of them have an id that the person did not say, ${oneScripts.withOptionsInOtherWords} an option in other words`,
)
console.log('Tasks on which scripts lose:')
console.table(losing)
console.log(
  `Tokens that the model reads over all requests, each with its tools: ${retail.list}, and ${retail.definition} for run_script:`,
)
console.table(sizesOf.read)
console.log('Tokens of the definition of run_script, and of the same tools in other forms:')
console.table(costs)
mkdirSync(results, { recursive: true })
const report = {
  name: 'context',
  tokenizer: 'o200k_base',
  aim,
  oneScripts,
  ...sizesOf,
  losing,
  descriptions: costs,
  tasks: rows,
}
writeFileSync(join(results, 'context.json'), `${JSON.stringify(report, undefined, 2)}\n`)
