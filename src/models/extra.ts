import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import { HandrailError } from '../errors.js'
import type { ModelConfig } from './model.js'

/**
 * The body with the fields of `extra` in it.
 * @param ours names of fields that only we may fill in
 * @throws {HandrailError} `model_bad_request` when `extra` has one of them.
 */
export function withExtra<Body extends object>(
  body: Body,
  { extra, provider, model }: ModelConfig,
  ours: readonly string[],
): Body {
  if (extra === undefined) return body
  const taken = ours.find((name) => Object.hasOwn(extra, name))
  if (taken !== undefined)
    throw new HandrailError(
      'model_bad_request',
      `Cannot ask model "${model}" of ${provider}: "extra" may not have "${taken}"`,
    )
  return merged(body as unknown as JsonObject, extra) as unknown as Body
}

function merged(into: JsonObject, more: JsonObject): JsonObject {
  const fields = Object.entries(more).map(([name, value]): [string, Json] => {
    const was = Object.hasOwn(into, name) ? into[name] : undefined
    return [name, isJsonObject(was) && isJsonObject(value) ? merged(was, value) : value]
  })
  return { ...into, ...Object.fromEntries(fields) }
}
