import type { BuiltInName } from '../core/built-ins.js'
import type { ToolResult } from '../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import { parentOf } from '../core/state.js'
import type { CallState } from '../core/call-state.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { toFailure } from '../errors.js'
import type { RunPorts } from './ports.js'
import { limitsOf } from './script-start.js'
import { sleptTime } from './script-clock.js'
import { sleep } from './sleep.js'
import { bytesOf, failed } from './tool-result.js'

/** What a script calls that is no tool of the app. All are reads. */
export async function callBuiltIn(
  ports: RunPorts,
  name: BuiltInName,
  call: CallState,
  signal: AbortSignal,
): Promise<ToolResult> {
  const input = isJsonObject(call.checked) ? call.checked : {}
  switch (name) {
    case 'script.sleep':
      return sleepFor(ports, call, Number(input.ms), signal)
    case 'script.results':
      return findResult(ports, text(input.handle))
    case 'script.search':
    case 'script.describe':
      return lookUp(ports, name, input)
  }
}

/** The gate has checked it. */
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The most that a timer takes. */
const longestTimer = 2 ** 31 - 1
/** The failure that ends a script whose time is over, when it is fed. */
export const wallOver = 'script_wall'

async function sleepFor(ports: RunPorts, { callId }: CallState, ms: number, signal: AbortSignal): Promise<ToolResult> {
  const { log, now } = ports
  const script = parentOf(callId) ?? callId
  const { wallMs } = limitsOf(ports, script)
  const startedAt = log.events.find((event) => event.type === 'tool-start' && event.callId === callId)?.at ?? now()
  for (let rest = startedAt + ms - now(); rest > 0;) {
    const left = wallMs - sleptTime(log.events, script, now())
    if (left <= 0)
      return failed('error', wallOver, `The script slept for more than ${wallMs} ms in all while no tool was at work.`)
    const part = Math.min(rest, left, longestTimer)
    await sleep(part, signal)
    if (signal.aborted) return failed('cancelled', 'cancelled', 'Nobody waits for this call any longer.')
    rest -= part
  }
  return { outcome: 'ok', output: null, bytes: 4, trusted: true }
}

/** The result stays where it is in the log: this one only names it. */
function findResult({ memory }: RunPorts, handle: string): ToolResult {
  if (memory.resultOf(handle) !== undefined)
    return { outcome: 'ok', ref: handle, ...(memory.provenance.untrusted.length === 0 && { trusted: true }) }
  const known = memory.handles.slice(-8).join(', ')
  return failed(
    'error',
    'not_found',
    `There is no result "${handle.slice(0, 100)}". There are: ${known || 'none yet'}.`,
  )
}

async function lookUp(ports: RunPorts, name: BuiltInName, input: JsonObject): Promise<ToolResult> {
  try {
    const search = await ports.search(callable(ports))
    const output: Json =
      name === 'script.search'
        ? search.search(text(input.query), typeof input.limit === 'number' ? input.limit : undefined)
        : search.describe(text(input.name))
    return { outcome: 'ok', output, bytes: bytesOf(output), trusted: true }
  } catch (error) {
    return { outcome: 'error', failure: toFailure(error), trusted: true }
  }
}

/** The tools that a script of this run may call now. */
function callable({ log, tools }: RunPorts): readonly ToolDefinition[] {
  const { allow, readOnly } = log.state.modes
  return tools.scriptTools.filter(
    ({ name, risk }) => (!allow || allow.includes(name)) && (!readOnly || risk === 'read'),
  )
}
