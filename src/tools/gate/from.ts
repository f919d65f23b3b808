import type { Json } from '../../core/json.js'
import { leavesOf, type LeafAt } from '../../core/leaves.js'
import { segmentsOf, valuesAt } from '../../core/value-path.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import type { GateContext } from './context.js'

/** Values that a denial names. */
const mostNamed = 3
const shownCharacters = 80

/** Why a value of the input is not known to come from where it must, for a model that can find it; nothing when all are. */
export function unproven(
  { from = {} }: Pick<ToolDefinition, 'from'>,
  input: Json,
  { isFrom, isPersons }: Pick<GateContext, 'isFrom' | 'isPersons'>,
): string | undefined {
  const problems: string[] = []
  for (const [pattern, origins] of Object.entries(from))
    for (const { path, value } of valuesAt(input, pattern))
      for (const leaf of leavesOf(value, segmentsOf(path)))
        if (!isPersons(leaf.path) && !origins.some((origin) => isFrom(origin, leaf.value)))
          problems.push(problemOf(leaf, origins))
  const more = problems.length - mostNamed
  return problems.length === 0
    ? undefined
    : `${problems.slice(0, mostNamed).join(' ')}${more > 0 ? ` And ${more} more.` : ''}`
}

function problemOf({ path, value }: LeafAt, origins: readonly string[]): string {
  const shown = typeof value === 'number' ? value : JSON.stringify(value.slice(0, shownCharacters))
  const tools = origins.flatMap((origin) => (origin.includes(':') ? [origin.slice(0, origin.indexOf(':'))] : []))
  const todo = [
    ...(tools.length > 0 ? [`call ${[...new Set(tools)].join(' or ')} first, and take it from there`] : []),
    ...(origins.includes('user') ? ['ask the user for it'] : []),
  ]
  const where = `It must be ${origins.map(placeOf).join(', or ')}`
  return `${path || 'The input'} is ${shown}, which is not from where it must be. ${where}: ${todo.join(', or ') || 'only the app can give it'}.`
}

function placeOf(origin: string): string {
  if (origin === 'user') return 'in the words of the user'
  if (origin === 'app') return 'in the instructions of the app'
  const at = origin.indexOf(':')
  return `in an output of ${origin.slice(0, at)}${at + 1 < origin.length ? ` at ${origin.slice(at + 1)}` : ''}`
}
