import { nearest } from '../core/nearest.js'
import { HandrailError } from '../errors.js'
import { defaultPolicy } from '../tools/gate/rules.js'

const verdicts: readonly unknown[] = ['allow', 'ask', 'deny']

/**
 * A risk under a misspelt name would keep its default.
 * @throws {HandrailError} `invalid_options`, naming the risk and what there is.
 */
export function checkPolicy(policy: Readonly<Record<string, unknown>>): void {
  const risks = Object.keys(defaultPolicy)
  for (const [risk, verdict] of Object.entries(policy)) {
    const near = nearest(risk, risks)
    if (!risks.includes(risk))
      refuse(`"policy.${risk}" is not a risk; ${near ? `did you mean "${near}"?` : `there are ${risks.join(', ')}`}`)
    if (!verdicts.includes(verdict))
      refuse(`"policy.${risk}" must be one of ${verdicts.join(', ')}; it is of type ${typeof verdict}`)
  }
}

function refuse(why: string): never {
  throw new HandrailError('invalid_options', `Cannot open an agent: ${why}`)
}
