import { canonicalJson } from '../core/json.js'
import type { Validate, Validator } from '../tools/fault.js'
import { loadValidator } from '../tools/validator.js'

/** A test opens many agents with the same tools, and to compile a schema takes longer than to run with it. */
export function loadCachedValidator(): Promise<Validator> {
  return (cached ??= loadValidator().then(cachedOver))
}

let cached: Promise<Validator> | undefined
/** Schemas that are kept. */
const most = 1_000

function cachedOver(validator: Validator): Validator {
  const known = new Map<string, Validate>()
  return {
    ...validator,
    compile(schema, name) {
      const key = `${name} ${canonicalJson(schema)}`
      const validate = known.get(key) ?? validator.compile(schema, name)
      if (known.size >= most) known.clear()
      known.set(key, validate)
      return validate
    },
  }
}
