import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import { HandrailError } from '../errors.js'
import type { CheckCall, PageCheck, RuleAnswer } from '../runtime/protocol.js'
import { describeFaults, parseValue } from '../tools/parse-value.js'
import type { CheckContext, Tool } from '../tools/tool.js'
import { asJson } from './as-json.js'
import { askGuardrails, toAnswer, type Guardrails } from './guardrails.js'
import { inTime } from './in-time.js'
import type { Secrets } from './secrets.js'

/** The call that one of the app's functions is asked about. */
export type About = Pick<CheckCall, 'session' | 'runId' | 'callId'>

/**
 * What the page has to say of an input. Nothing secret is in it.
 * @param tool absent: of a tool that is not the page's
 * @throws whatever the tool's functions throw, and {HandrailError} `invalid_check`, `check_timeout`
 */
export async function checkCall(
  tool: Tool | undefined,
  call: CheckCall,
  secrets: Secrets,
  guardrails: Guardrails,
): Promise<PageCheck> {
  const filled = tool && (await fill(tool, call))
  const shown = tool && filled && secrets.hideFilled(filled, tool.definition)
  const input = shown ? merged(call.input, shown) : call.input
  const own =
    tool && filled ? await askTool(tool, secrets.resolve(input, tool.definition, filled), call) : { answers: [] }
  const subject = { ...about(call), toolName: call.toolName, input, caller: call.caller }
  const others = await askGuardrails(guardrails.call, subject)
  const answers = [...own.answers, ...others.map((answer) => ({ ...answer, rule: 'guardrail' }))]
  return {
    ...own,
    ...(shown && Object.keys(shown).length > 0 && { filled: shown }),
    answers: secrets.hide(answers as readonly JsonObject[]) as unknown as readonly RuleAnswer[],
  }
}

async function askTool(tool: Tool, input: Json, call: About): Promise<Pick<PageCheck, 'answers' | 'needed'>> {
  const { name } = tool.definition
  const parsed = await inTime(`The schema of "${name}"`, () => parseValue(tool.input, input))
  if ('faults' in parsed) {
    const reason = `The input is not valid: ${describeFaults(parsed.faults)}`
    return { answers: [{ rule: 'check', verdict: 'deny', reason }] }
  }
  const ask = <T>(field: string, work: (context: CheckContext) => T | Promise<T>) =>
    inTime(`"${field}" of "${name}"`, (signal) => work({ ...about(call), signal }))
  const result: unknown = await ask('check', (context) => tool.check?.(parsed.value, context))
  const answers: RuleAnswer[] = [{ rule: 'check', ...toAnswer(result, `the check of tool "${name}"`) }]
  const needed: unknown = await ask('approval.needed', (context) => tool.needed?.(parsed.value, context))
  if (typeof needed === 'string' && needed.trim() !== '')
    return { answers: [...answers, { rule: 'risk', verdict: 'ask', reason: needed }] }
  if (needed === undefined && !tool.needed) return { answers }
  if (typeof needed === 'boolean') return { answers, needed }
  throw new HandrailError(
    'invalid_check',
    `Cannot use what "approval.needed" of tool "${name}" answers: it must be true, false or a reason`,
  )
}

/** The fields that the app fills, as they are. What is undefined is left out. */
export async function fill(tool: Tool, call: About): Promise<JsonObject> {
  const { name } = tool.definition
  const filled = await Promise.all(
    Object.entries(tool.hostInput ?? {}).map(async ([field, value]): Promise<[string, Json][]> => {
      const what = `"hostInput.${field}" of tool "${name}"`
      const given: unknown = await inTime(what, (signal) => value({ ...about(call), signal }))
      return given === undefined ? [] : [[field, asJson(given, 'host_input_not_json', `what ${what} gives`)]]
    }),
  )
  return Object.fromEntries(filled.flat())
}

/** What a tool's functions get: the secrets themselves. */
export async function resolved(tool: Tool, input: Json, call: About, secrets: Secrets): Promise<Json> {
  const { definition } = tool
  const needsHost = definition.hostInput?.length && definition.secret?.input?.length
  return secrets.resolve(input, definition, needsHost ? await fill(tool, call) : {})
}

export const about = ({ session, runId, callId }: About): About => ({ session, runId, callId })

const merged = (input: Json, filled: JsonObject): Json =>
  isJsonObject(input) ? Object.fromEntries([...Object.entries(input), ...Object.entries(filled)]) : input
