import { isChained, logFormat, type RunEvent, type RunHeader } from '../core/events.js'
import { canonicalJson, isDeeperThan, isJsonObject, type Json, type JsonObject } from '../core/json.js'
import { evolve, initialState, type RunState } from '../core/state.js'
import { eventFault, shownFault } from '../core/stored-event.js'
import type { Context } from '../core/tool-definition.js'
import { transcript } from '../core/transcript.js'
import { HandrailError, toFailure } from '../errors.js'
import type { RunHead } from '../store/store.js'
import { sha256 } from '../tools/hash.js'
import type { Agent } from './agent.js'
import { LogCheck } from './chain.js'
import { eventShapeFault } from './event-shapes.js'
import { fileVersion } from './run-file.js'

/** Characters of a file. */
const longestFile = 1 << 28
const mostEvents = 1_000_000
/** Levels of a line: an output has at most 512, in an event. */
const deepestLine = 640
const longestId = 200
/** Open calls and messages that are looked at, over all events: seconds of folding. */
const mostWork = 20_000_000
const indexOfFirst = 3

/**
 * Stores a run that was exported, under this owner, in a session of its own. It came from outside: each line is checked, and what
 * is stored is what was read, never driven.
 * @throws {HandrailError} `invalid_file`, with the line; `run_exists`; codes of the store.
 */
export async function importRun(agent: Agent, file: string): Promise<{ session: string; runId: string }> {
  const { store, setup, platform } = agent
  const { events, context } = readFile(file)
  const { runId } = events[0] as RunHeader & RunEvent
  const session = platform.newId()
  const head: RunHead = {
    runId,
    owner: setup.owner,
    session,
    index: 0,
    startedAt: events[0]!.at,
    format: (events[0] as RunHeader & RunEvent).format,
    imported: true,
  }
  try {
    await store.start(head, events, context)
  } catch (error) {
    if (!HandrailError.is(error) || error.code !== 'store_conflict') throw error
    const isDeleted = (await store.run(setup.owner, runId))?.deleted
    const why = isDeleted ? 'was deleted here; delete its session too' : 'is stored here'
    throw new HandrailError('run_exists', `Cannot import run "${runId}": a run of this id ${why}`)
  }
  return { session, runId }
}

function readFile(file: string): { events: RunEvent[]; context?: Context } {
  if (typeof file !== 'string' || file.length > longestFile)
    throw invalid(1, `expected a text of at most ${longestFile} characters`)
  const lines = file.split('\n')
  if (lines.pop() !== '') throw invalid(lines.length + 1, 'expected a line that ends: the file was cut')
  const first = lineOf(lines, 0)
  if (!isJsonObject(first) || first.handrail !== 'run')
    throw invalid(1, 'expected {"handrail":"run"}, as an export begins')
  if (first.version !== fileVersion)
    throw invalid(1, `expected version ${fileVersion}, got ${JSON.stringify(first.version)}`)
  const count = first.events
  if (typeof count !== 'number' || !(count >= 1 && count <= mostEvents))
    throw invalid(1, `expected a number of "events" from 1 to ${mostEvents}`)
  if (lines.length !== count + 2)
    throw invalid(
      lines.length,
      `expected ${count} events after line 2, as line 1 says: the file has ${lines.length - 2}`,
    )
  const events = lines.slice(2).map((_, i) => eventOf(lineOf(lines, i + 2), i + indexOfFirst))
  const header = headerOf(first, events)
  const context = contextOf(lineOf(lines, 1), header)
  checkEvents(events, header)
  return { events, ...(context && { context }) }
}

function lineOf(lines: readonly string[], i: number): Json {
  let value: Json
  try {
    value = JSON.parse(lines[i] ?? '') as Json
  } catch (error) {
    throw invalid(i + 1, `expected JSON: ${toFailure(error).message}`)
  }
  if (isDeeperThan(value, deepestLine)) throw invalid(i + 1, `expected at most ${deepestLine} levels`)
  return value
}

function eventOf(line: Json, at: number): RunEvent {
  const unknown = eventFault(line, logFormat)
  if (unknown) throw invalid(at, shownFault(unknown))
  const event = line as unknown as RunEvent
  const fault = eventShapeFault(event)
  if (fault) throw invalid(at, fault)
  return event
}

function headerOf({ format, head }: JsonObject, [start]: readonly RunEvent[]): RunHeader {
  if (start?.type !== 'run-start') throw invalid(indexOfFirst, `expected a run-start, got ${start?.type}`)
  if (start.format !== 1 && !isChained(start.format))
    throw invalid(indexOfFirst, `expected a format from 1 to ${logFormat}, got ${start.format}`)
  if (format !== start.format)
    throw invalid(1, `expected format ${start.format}, as line 3 says, got ${JSON.stringify(format)}`)
  for (const name of ['runId', 'session', 'owner'] as const) {
    if (!isJsonObject(head) || head[name] !== start[name])
      throw invalid(1, `expected the "${name}" of line 3 in "head"`)
    if (start[name].length === 0 || start[name].length > longestId)
      throw invalid(indexOfFirst, `expected a "${name}" of 1 to ${longestId} characters`)
  }
  return start
}

/** Its hash is what the run says that its model saw: nothing else gets a place that another run may refer to. */
function contextOf(line: Json, { contextHash }: RunHeader): Context | undefined {
  if (line === null) return undefined
  const { instructions, tools } = isJsonObject(line) ? line : {}
  const isContext =
    typeof instructions === 'string' &&
    Array.isArray(tools) &&
    tools.every((tool: Json) => isJsonObject(tool) && typeof tool.name === 'string' && isJsonObject(tool.input))
  if (!isContext) throw invalid(2, 'expected null, or a context of instructions and tools')
  if (sha256(canonicalJson(line)) !== contextHash)
    throw invalid(2, `expected the context with the hash ${contextHash}, as line 3 says`)
  return line as unknown as Context
}

function checkEvents(events: readonly RunEvent[], { runId, owner, session, format }: RunHeader): void {
  const check = new LogCheck({ runId, owner, session, format, index: 0, startedAt: 0 })
  for (const [seq, event] of events.entries()) {
    const fault = check.fault({ seq, event })
    if (fault) throw invalid(seq + indexOfFirst, fault)
    const before = events[seq - 1]
    if (before && event.type === 'run-start') throw invalid(seq + indexOfFirst, 'expected one run-start')
    if (before && event.at < before.at) throw invalid(seq + indexOfFirst, `expected a time of at least ${before.at}`)
  }
  if (events[1]?.type !== 'user-message') throw invalid(indexOfFirst + 1, 'expected the user-message')
  // Shown like any other, and so folded like any other.
  let [seq, state, told, work] = [0, initialState, 0, 0]
  const asked = new Set<string>()
  try {
    for (const event of events) {
      const fault = orderFault(event, seq, state, asked)
      if (fault) throw new RangeError(fault)
      state = evolve(state, event)
      if (event.type === 'assistant-message' || event.type === 'tool-result') told++
      work += state.calls.size + state.unknown.size + state.grants.size
      if (event.type === 'assistant-message' || event.type === 'step-start') work += told
      if (work > mostWork) throw new RangeError('expected a run that is not so busy: it would take too long to open')
      seq++
    }
    seq--
    transcript(events)
  } catch (error) {
    throw invalid(seq + indexOfFirst, toFailure(error).message)
  }
}

/** What no run has, though it can be folded. */
function orderFault(event: RunEvent, seq: number, { status }: RunState, asked: Set<string>): string | undefined {
  if (event.type === 'user-message' && seq !== 1) return 'expected one user-message'
  if (status !== 'running' && event.type !== 'tool-reconciled')
    return `expected the end of the log after its run-end, got ${event.type}`
  const isAsking = event.type === 'script-turn' || (event.type === 'assistant-message' && event.complete)
  for (const { callId } of isAsking ? event.calls : []) {
    if (asked.has(callId)) return `expected another call than "${callId}", which was asked for before`
    asked.add(callId)
  }
  return undefined
}

const invalid = (line: number, what: string): HandrailError =>
  new HandrailError('invalid_file', `Cannot import a run: line ${line}: ${what}`)
