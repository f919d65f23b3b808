import { type JsonObject } from '../../src/core/json.js'
import { said } from '../models/gemini-canonical.js'
import { camel } from '../models/gemini-recordings.js'
import { fromOpenApi, readSchema } from '../models/gemini-schemas.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import { bare, textsIn, toolOf } from './normal-pieces.js'

export function normalGemini(given: JsonObject): JsonObject {
  const body = record(camel(given))
  const { responseModalities, responseJsonSchema, responseSchema, thinkingConfig, ...config } = record(
    body.generationConfig,
  )
  const { thinkingLevel, ...thinking } = record(thinkingConfig)
  const isTextOnly = JSON.stringify(responseModalities ?? ['TEXT']) === '["TEXT"]'
  const answer = responseJsonSchema ?? (responseSchema && fromOpenApi(responseSchema))
  const { functionCallingConfig, ...toolConfig } = record(body.toolConfig)
  return {
    ...body,
    contents: said(listOf(body.contents)),
    systemInstruction: textsIn(record(body.systemInstruction).parts),
    generationConfig: {
      ...config,
      ...(thinkingConfig
        ? { thinkingConfig: { ...thinking, thinkingLevel: textOf(thinkingLevel).toUpperCase() } }
        : {}),
      ...(isTextOnly ? {} : { responseModalities: responseModalities! }),
      ...(answer ? { responseJsonSchema: readSchema(answer) } : {}),
    },
    tools: listOf(body.tools).flatMap(({ functionDeclarations, ...hosted }) => [
      ...Object.entries(hosted).map(([name, value]) => ({ [name]: value })),
      ...listOf(functionDeclarations).map(declaration),
    ]),
    toolConfig: bare({
      ...toolConfig,
      ...(record(functionCallingConfig).mode === 'AUTO'
        ? {}
        : { functionCallingConfig: functionCallingConfig ?? null }),
    }),
  }
}

/** Either dialect of the schema, and none for one without parameters. */
function declaration({ parameters, parametersJsonSchema: schema, ...rest }: JsonObject): JsonObject {
  const parametersJsonSchema = readSchema(schema ?? fromOpenApi(parameters ?? { type: 'OBJECT' }))
  return toolOf({ ...rest, parametersJsonSchema }, 'parametersJsonSchema')
}
