import type { AskDetail, Repeated } from '../core/approval.js'
import type { CallState } from '../core/call-state.js'
import type { Decision } from '../core/events.js'
import { isJsonObject, type Json } from '../core/json.js'
import { cut } from '../core/shown.js'
import { isMet } from '../core/state.js'
import { fromFailure, toFailure } from '../errors.js'
import type { GatePorts } from './ports.js'
import type { CheckCall } from './protocol.js'
import { within } from './within.js'

/** Milliseconds that a tool's dry run may take. */
const previewTimeout = 10_000
/** Characters, as JSON, of what a person is shown beside the input. */
const mostShown = 32_000
const mostFailure = 500

/** What a person is told of a call that asks. The dry run is only made for somebody who is asked. */
export async function askDetail(ports: GatePorts, call: CallState, decision: Decision): Promise<AskDetail> {
  const { log, memory, tools, context } = ports
  const { provenance, keyOf } = { provenance: memory.provenance, keyOf: memory.keyOf(log.runId, call.callId) }
  const input = decision.input ?? call.input ?? null
  const definition = call.executor ? undefined : tools.get(call.toolName)?.definition
  const { approval } = definition ?? {}
  const filled = (definition?.hostInput ?? []).filter((field) => isJsonObject(input) && Object.hasOwn(input, field))
  const sources = provenance.sourcesOf({ call: keyOf, input, filled }, context.instructions)
  const { untrusted } = provenance
  const repeats = decision.rules?.includes('repeat') ? memory.repeated(call.toolName, input) : undefined
  const isAsked = !isMet(call, decision.verdict, decision.hash)
  return {
    ...(definition && { risk: definition.risk }),
    ...(filled.length > 0 && { filled }),
    ...(sources.length > 0 && { sources }),
    ...(untrusted.length > 0 && { untrusted }),
    ...(approval?.previews && isAsked && (await previewOf(ports, call, input))),
    ...(approval?.expires !== undefined && { expires: approval.expires }),
    ...(call.line !== undefined && { line: call.line }),
    ...(repeats && { repeats: shortened(repeats) }),
  }
}

export const checkCallOf = ({ log }: GatePorts, { toolName, caller, callId }: CallState, input: Json): CheckCall => ({
  toolName,
  input,
  caller,
  session: log.head.session,
  runId: log.runId,
  callId,
})

async function previewOf(ports: GatePorts, call: CallState, input: Json): Promise<Partial<AskDetail>> {
  try {
    const answer = ports.page.preview(checkCallOf(ports, call, input))
    const reply = await within(previewTimeout, answer, `The preview of ${call.toolName}`)
    if (!reply.ok) throw fromFailure(reply.failure)
    const size = JSON.stringify(reply.value ?? null).length
    if (size <= mostShown) return { preview: reply.value ?? null }
    return { previewFailure: `The preview has ${size} characters, and may have ${mostShown}.` }
  } catch (error) {
    return { previewFailure: cut(toFailure(error).message, mostFailure) }
  }
}

function shortened(repeats: Repeated): Repeated {
  const text = JSON.stringify(repeats.output ?? null)
  return text.length <= mostShown ? repeats : { ...repeats, output: cut(text, mostShown) }
}
