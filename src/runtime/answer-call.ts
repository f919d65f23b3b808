import type { ApprovalResponse, Grant } from '../core/approval.js'
import { parentOf } from '../core/call-id.js'
import type { CallState } from '../core/call-state.js'
import { canonicalJson, isJsonObject, type Json } from '../core/json.js'
import { changedPaths } from '../core/leaves.js'
import { segmentsOf, valuesAt } from '../core/value-path.js'
import { fromFailure, HandrailError } from '../errors.js'
import { hashOf } from '../tools/gate.js'
import { withoutHostInput } from '../tools/gate/host-input.js'
import type { Agent } from './agent.js'
import { askGate } from './decide-tool.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { Command, GrantRequest } from './protocol.js'
import { gatePortsOf } from './run-ports.js'

type Approve = Command & { readonly type: 'approve' }
type Response = Omit<ApprovalResponse, 'hash'>

/** The most other calls that an approval may be for. */
const mostCalls = 10_000

export function denial({ tools }: Agent, call: CallState, { reason, rest }: Command & { type: 'deny' }): Response {
  const { toolName, callId } = call
  if (reason !== undefined && typeof reason !== 'string') throw refused('deny', callId, '"reason" must be a text')
  if (rest !== undefined && typeof rest !== 'boolean') throw refused('deny', callId, '"rest" must be true or false')
  const said = { approved: false, ...(reason ? { reason } : {}) }
  if (!rest) return said
  checkScript('deny', call)
  const tool = tools.get(toolName)?.hash ?? ''
  return { ...said, grant: { approved: false, toolName, tool, fixed: {}, reasons: [], untrusted: false } }
}

/** An edit is an approval of the edited input, under the hash that the gate will find for it. */
export async function approval(
  agent: Agent,
  log: RunLog,
  memory: SessionMemory,
  call: CallState,
  { input: given, rest }: Approve,
): Promise<Response> {
  const shown = call.checked ?? null
  if (given === undefined || canonicalJson(given) === canonicalJson(shown))
    return { approved: true, ...(rest !== undefined && { grant: grantOf(agent, log, call, shown, rest) }) }
  if (call.executor === 'provider')
    throw refused('approve', call.callId, 'the provider runs it as it asked, and takes no other input')
  const edited = ownInput(agent, call, given, shown)
  const ports = await gatePortsOf(agent, log, memory)
  const asked = { ...call, input: edited, inputText: undefined, edited: true }
  const decision = await askGate(ports, asked, changedPaths(shown, edited))
  if (decision.verdict === 'deny' && decision.failure) throw fromFailure(decision.failure)
  const grant = rest === undefined ? {} : { grant: grantOf(agent, log, call, decision.input ?? edited, rest) }
  return { approved: true, edit: { input: edited, hash: decision.hash }, ...grant }
}

/** What a person may edit of an input. */
function ownInput({ tools }: Agent, { toolName, callId }: CallState, input: Json, shown: Json): Json {
  const isSame = (field: string, value: Json) =>
    isJsonObject(shown) && Object.hasOwn(shown, field) && canonicalJson(shown[field]!) === canonicalJson(value)
  const own = withoutHostInput(tools.get(toolName)?.definition ?? {}, input, isSame)
  if ('input' in own) return own.input
  throw new HandrailError(
    'invalid_input',
    `Cannot approve call ${callId} with another "${own.changed}": the app fills it, and it must be left out or as it was shown`,
  )
}

/** Bound to what the person was shown: the definition, the reasons, and whether untrusted text had been read. */
function grantOf(agent: Agent, log: RunLog, call: CallState, input: Json, rest: GrantRequest): Grant {
  const { callId, toolName, reasons = [], detail, hash, checked = null } = call
  checkScript('approve', call)
  const { count, fixed = [], ...others } = isJsonObject(rest as unknown as Json) ? rest : ({} as GrantRequest)
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw refused('approve', callId, `"rest" has no "${other.slice(0, 80)}", only "count" and "fixed"`)
  if (!Number.isInteger(count) || count < 1 || count > mostCalls)
    throw refused(
      'approve',
      callId,
      `"rest.count" must be a whole number from 1 to ${mostCalls}; it is ${String(count)}`,
    )
  if (!Array.isArray(fixed)) throw refused('approve', callId, '"rest.fixed" must be an array of JSON Pointers')
  const tool = agent.tools.get(toolName)?.hash
  if (tool === undefined || hashOf(tool, log.head.owner, checked, reasons) !== hash)
    throw new HandrailError('stale_approval', `Call ${callId} was shown of a tool that is another now`)
  const values = fixed.map((path): [string, Json] => [path, valueAt(callId, input, path)])
  const untrusted = (detail?.untrusted?.length ?? 0) > 0
  return { approved: true, toolName, tool, count, fixed: Object.fromEntries(values), reasons, untrusted }
}

function valueAt(callId: string, input: Json, path: unknown): Json {
  const [found] = isPointer(path) ? valuesAt(input, path) : []
  if (found) return found.value
  const shown = typeof path === 'string' ? JSON.stringify(path.slice(0, 80)) : typeof path
  throw refused('approve', callId, `"rest.fixed" must have JSON Pointers to what is in the input; ${shown} is none`)
}

/** Here, `*` would not say which. */
function isPointer(path: unknown): path is string {
  try {
    return typeof path === 'string' && !segmentsOf(path).includes('*')
  } catch {
    return false
  }
}

function checkScript(what: string, { callId, executor }: CallState): void {
  if (parentOf(callId) === undefined || executor)
    throw refused(what, callId, '"rest" is for a call of a script, and of a tool that is here')
}

const refused = (what: string, callId: string, why: string): HandrailError =>
  new HandrailError('invalid_options', `Cannot ${what} call ${callId}: ${why}`)
