import { nearest } from '../core/nearest.js'
import { HandrailError } from '../errors.js'

/**
 * Amounts with the defaults of those that are not given. What is given as undefined takes its default too: it must not become an
 * amount without end.
 * @param option its name, as the app knows it
 * @throws {HandrailError} `invalid_options`, naming the amount that is wrong and what it must be.
 */
export function checkAmounts<Amounts extends object>(
  option: string,
  given: Partial<Amounts>,
  defaults: Amounts,
): Amounts {
  const known = Object.keys(defaults)
  for (const [name, amount] of Object.entries(given)) {
    if (!known.includes(name)) {
      const near = nearest(name, known)
      refuse(
        `"${option}.${name}" is not an option; ${near ? `did you mean "${near}"?` : `there are ${known.join(', ')}`}`,
      )
    }
    if (amount !== undefined && !(typeof amount === 'number' && Number.isFinite(amount) && amount > 0))
      refuse(
        `"${option}.${name}" must be a number above 0; it is ${typeof amount === 'number' ? amount : `of type ${typeof amount}`}`,
      )
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, amount]) => amount !== undefined)) }
}

function refuse(why: string): never {
  throw new HandrailError('invalid_options', `Cannot open an agent: ${why}`)
}
