import { importContents } from '../models/gemini-canonical.js'
import { camel } from '../models/gemini-recordings.js'
import { listOf, record } from '../models/recorded-json.js'
import { limitOf, requestOf, textIn, toolOf, type Imported, type RecordedRequest } from './import-pieces.js'

export function importGemini({ request, url }: RecordedRequest): Imported {
  const body = record(camel(request))
  const model = /models\/([^/:]+):/.exec(url)?.[1] ?? ''
  const config = { provider: 'gemini', model, ...limitOf(record(body.generationConfig), 'maxOutputTokens') }
  const missing = new Set<string>()
  const { messages, unsupported: odd } = importContents(listOf(body.contents), config)
  for (const what of odd) missing.add(`content ${what}`)
  const tools = listOf(body.tools).flatMap(({ functionDeclarations, ...hosted }) => {
    for (const key of Object.keys(hosted)) missing.add(`tool ${key}`)
    return listOf(functionDeclarations).flatMap((one) => toolOf(one, one.parametersJsonSchema, missing))
  })
  const instructions = textIn(record(body.systemInstruction).parts, new Set())
  return { request: requestOf(instructions, tools, messages), config, missing: [...missing] }
}
