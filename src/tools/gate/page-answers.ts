import { deepestInput, hasInfinity, isDeeperThan, isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import { HandrailError } from '../../errors.js'
import type { PageSaid, RuleName, Said } from './context.js'

export const nothingSaid: PageSaid = { filled: {}, answers: [] }

/** Rules that the page speaks for. */
const pageRules: readonly RuleName[] = ['input', 'risk', 'check', 'guardrail']

/**
 * What came from another thread, where a person's code made it: a slip there must not be a yes.
 * @throws {HandrailError} `invalid_check`, saying what must be there.
 */
export function readPageCheck(
  value: unknown,
  { name, hostInput = [] }: Pick<ToolDefinition, 'name' | 'hostInput'>,
): PageSaid {
  const wrong = (what: string): never => {
    throw new HandrailError('invalid_check', `what the page says of a call of "${name}" ${what}`)
  }
  if (!isJsonObject(value as Json)) return wrong('must be an object')
  const { answers, filled = {}, needed } = value as Readonly<Record<string, unknown>>
  if (!Array.isArray(answers)) return wrong('must have "answers", an array')
  if (needed !== undefined && typeof needed !== 'boolean') return wrong('must have true or false as "needed"')
  if (!isJsonObject(filled as Json)) return wrong('must have an object as "filled"')
  const other = Object.keys(filled as JsonObject).find((field) => !hostInput.includes(field))
  if (other !== undefined) return wrong(`fills "${other.slice(0, 80)}", which is no field of "hostInput"`)
  const fields = Object.entries(filled as JsonObject).filter(([, inner]) => inner !== undefined)
  if (fields.some(([, inner]) => isDeeperThan(inner, deepestInput) || hasInfinity(inner)))
    return wrong('fills a field with what is no JSON, or too deep')
  return {
    filled: Object.fromEntries(fields),
    answers: answers.flatMap((answer: unknown): Said[] => {
      const { verdict, reason, rule } = (answer ?? {}) as Readonly<Record<string, unknown>>
      if (!pageRules.includes(rule as RuleName)) return wrong(`must have one of ${pageRules.join(', ')} as "rule"`)
      if (verdict === 'allow') return []
      if ((verdict !== 'ask' && verdict !== 'deny') || typeof reason !== 'string' || reason.trim() === '')
        return wrong('must be allow, or deny or ask with a reason')
      return [{ rule: rule as RuleName, verdict, reason }]
    }),
    ...(needed !== undefined && { needed }),
  }
}
