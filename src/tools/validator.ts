import type { Validator } from './fault.js'

/** The fast one where code may be made of text, which many content security policies forbid; else the one that interprets. */
export async function loadValidator(): Promise<Validator> {
  return mayGenerateCode()
    ? (await import('./ajv-validator.js')).createAjvValidator()
    : (await import('./interpreted-validator.js')).createInterpretedValidator()
}

function mayGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- it asks whether the policy forbids it
    return new Function('return true')() === true
  } catch (error) {
    if (error instanceof EvalError || error instanceof TypeError) return false
    throw error
  }
}
