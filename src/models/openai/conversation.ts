import type { JsonObject } from '../../core/json.js'
import type { ModelConfig } from '../model.js'
import { inner, textAt } from '../wire.js'

/** The id of a conversation that the provider keeps, which a request may name and a response then tells. */
export function conversationIn(body: JsonObject | undefined): string | undefined {
  const conversation = body?.conversation
  return (typeof conversation === 'string' ? conversation : textAt(inner(body, 'conversation'), 'id')) || undefined
}

/** Whether the provider is to keep what is said: in a conversation that the app named it does anyway. */
export const isStored = ({ stored, extra }: ModelConfig): boolean =>
  stored === true || conversationIn(extra) !== undefined
