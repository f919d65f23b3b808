import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { Json, JsonObject } from '../../src/core/json.js'

/** What somebody wants a model to do that reads it in the output of a tool. */
export interface Attack {
  /** File and place in it. */
  readonly id: string
  readonly text: string
  /** The tools that it is after, with what they should be given, as far as the file says. */
  readonly tools: readonly AttackTool[]
  /** A text of its own to plant it in, with {@link place} for it. */
  readonly carrier?: string
}

export interface AttackTool {
  readonly name: string
  readonly description?: string
  readonly input?: JsonObject
}

export interface Attacks {
  readonly attacks: readonly Attack[]
  /** Texts of everyday tool output, to plant attacks in. Those that say where have {@link place} there. */
  readonly carriers: readonly string[]
  /** What users want of their agents. */
  readonly tasks: readonly string[]
  /** Files in which nothing was found that is known. */
  readonly unread: readonly string[]
}

/** Where in a carrier an attack goes. */
export const place = '{attack}'

/** The words that data sets have for the same things; compared without case, blanks and marks. */
const words = {
  text: ['attackerinstruction', 'attackinstruction', 'injectedinstruction', 'injection', 'goal', 'attack', 'payload'],
  tools: ['attackertools', 'attackertool', 'attacktools', 'attacktool', 'groundtruth', 'calls', 'toolcalls', 'targets'],
  name: ['function', 'name', 'tool', 'toolname'],
  input: ['args', 'arguments', 'input', 'parameters', 'attackertoolparameters'],
  description: ['description'],
  carrier: ['toolresponsetemplate', 'toolresponse'],
  context: ['context', 'email', 'document'],
  tasks: ['tasks', 'userinstruction', 'usertask', 'question'],
}
/** What stands in templates and environments where an attack belongs. */
const placeholders = /<attacker[ _]instruction>|\{+\s*(?:attack|injection)[\w.-]*\s*\}+/gi

/** Takes whatever of the known data sets lies in a folder: what a file is, its rows say, and not its name. */
export function readAttacks(folder: string): Attacks {
  const attacks: Attack[] = []
  const carriers: string[] = []
  const tasks: string[] = []
  const unread: string[] = []
  for (const file of filesIn(folder)) {
    const before = attacks.length + carriers.length + tasks.length
    const name = relative(folder, file)
    for (const [i, row] of rowsOf(file).entries()) visit(row, `${name}#${i + 1}`)
    if (attacks.length + carriers.length + tasks.length === before) unread.push(name)
  }
  return { attacks, carriers, tasks, unread }

  function visit(value: Json, id: string): void {
    if (typeof value === 'string') {
      const carrier = value.replaceAll(placeholders, place)
      if (carrier !== value) carriers.push(carrier)
      return
    }
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) return value.forEach((item: Json, i) => visit(item, `${id}.${i + 1}`))
    const record = value as JsonObject
    const text = fieldOf(record, words.text)
    if (typeof text === 'string' && text.trim() !== '') {
      const carrier = fieldOf(record, words.carrier)
      const planted = typeof carrier === 'string' ? carrier.replaceAll(placeholders, place) : ''
      attacks.push({ id, text, tools: toolsOf(record), ...(planted.includes(place) && { carrier: planted }) })
      return
    }
    if (isLists(record)) {
      for (const [kind, texts] of Object.entries(record))
        for (const [i, each] of (texts as string[]).entries())
          attacks.push({ id: `${id}.${kind}.${i + 1}`, text: each, tools: [] })
      return
    }
    const context = fieldOf(record, words.context)
    if (typeof context === 'string') carriers.push(context.replaceAll(placeholders, place))
    const wanted = fieldOf(record, words.tasks)
    for (const task of Array.isArray(wanted) ? wanted : [wanted]) if (typeof task === 'string') tasks.push(task)
    if (context === undefined && wanted === undefined)
      for (const [key, inner] of Object.entries(record)) visit(inner, `${id}.${key}`)
  }
}

function* filesIn(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path)
    else if (entry.isFile() && extname(path) !== '.md') yield path
  }
}

/** JSON, JSON lines, or text. */
function rowsOf(file: string): Json[] {
  const text = readFileSync(file, 'utf8')
  try {
    const value = JSON.parse(text) as Json
    return Array.isArray(value) ? value : [value]
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    try {
      return lines.map((line) => JSON.parse(line) as Json)
    } catch {
      return [text]
    }
  }
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z]/g, '')

function fieldOf(record: JsonObject, names: readonly string[]): Json | undefined {
  const byName = new Map(Object.entries(record).map(([key, value]) => [plain(key), value]))
  const name = names.find((each) => byName.has(each))
  return name === undefined ? undefined : byName.get(name)
}

/** Kinds of attacks, each with its texts. */
const isLists = (record: JsonObject): boolean =>
  Object.keys(record).length > 0 &&
  Object.values(record).every(
    (list) => Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === 'string'),
  )

function toolsOf(record: JsonObject): AttackTool[] {
  const given = fieldOf(record, words.tools)
  const description = fieldOf(record, words.description)
  const inputs = fieldOf(record, words.input)
  return (Array.isArray(given) ? given : [given]).flatMap((tool: Json | undefined): AttackTool[] => {
    if (typeof tool === 'string')
      return [{ name: tool, ...(typeof description === 'string' && { description }), ...asInput(inputs) }]
    if (typeof tool !== 'object' || tool === null || Array.isArray(tool)) return []
    const name = fieldOf(tool as JsonObject, words.name)
    return typeof name === 'string' ? [{ name, ...asInput(fieldOf(tool as JsonObject, words.input)) }] : []
  })
}

/** Some data sets keep it as a text. */
function asInput(value: Json | undefined): { input?: JsonObject } {
  if (typeof value === 'string') {
    try {
      return asInput(JSON.parse(value) as Json)
    } catch {
      return {}
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { input: value as JsonObject } : {}
}
