import { type JsonObject } from '../../src/core/json.js'
import { said } from '../models/gemini-canonical.js'
import { camel } from '../models/gemini-recordings.js'
import { listOf, record } from '../models/recorded-json.js'
import { textsIn, toolOf } from './normal-pieces.js'

export function normalGemini(given: JsonObject): JsonObject {
  const body = record(camel(given))
  const { responseModalities, ...config } = record(body.generationConfig)
  const isTextOnly = JSON.stringify(responseModalities ?? ['TEXT']) === '["TEXT"]'
  return {
    ...body,
    contents: said(listOf(body.contents)),
    systemInstruction: textsIn(record(body.systemInstruction).parts),
    generationConfig: isTextOnly ? config : { ...config, responseModalities: responseModalities ?? null },
    tools: listOf(body.tools).map(({ functionDeclarations, ...rest }) => ({
      ...rest,
      functionDeclarations: listOf(functionDeclarations).map((one) => toolOf(one, 'parametersJsonSchema')),
    })),
    toolConfig:
      record(record(body.toolConfig).functionCallingConfig).mode === 'AUTO' ? null : (body.toolConfig ?? null),
  }
}
