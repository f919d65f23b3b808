import type { JsonObject } from '../../src/core/json.js'
import { normalAnthropic } from './normal-anthropic.js'
import { normalChat } from './normal-chat.js'
import { normalGemini } from './normal-gemini.js'
import { normalOpenAI } from './normal-openai.js'
import { bare } from './normal-pieces.js'
import type { Family } from './responses.js'

/** A request without what clients spell differently: the rules stand in docs/models.md. */
export const normalised = (family: Family, body: JsonObject): JsonObject => bare(normals[family](body))

const normals: Readonly<Record<Family, (body: JsonObject) => JsonObject>> = {
  openai: normalOpenAI,
  anthropic: normalAnthropic,
  chat: normalChat,
  gemini: normalGemini,
}
