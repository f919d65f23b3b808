import type { JsonObject } from '../core/json.js'
import { HandrailError } from '../errors.js'
import type { ModelConfig } from './model.js'

/**
 * The tools that a provider runs, as it names them, for one that asks nobody before it does.
 * @throws {HandrailError} `model_bad_request` for a tool that is to be asked about.
 */
export function hostedTools({ hostedTools: hosted = [], provider, model }: ModelConfig): readonly JsonObject[] {
  const asking = hosted.findIndex(({ risk }) => risk === 'ask')
  if (asking >= 0)
    throw new HandrailError(
      'model_bad_request',
      `Cannot ask model "${model}" of ${provider}: its provider asks nobody before it runs "hostedTools[${asking}]", so it must have the risk "read"`,
    )
  return hosted.map(({ tool }) => tool)
}
