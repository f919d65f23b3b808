import type { Json, JsonObject } from '../../src/core/json.js'
import { readKeywords } from './gemini-schemas.js'
import { listOf, record, textOf } from './recorded-json.js'

const dataFields = new Set([
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'toolCall',
  'toolResponse',
  'executableCode',
  'codeExecutionResult',
])
const callName = /^[a-zA-Z_][\w.:-]{0,127}$/

/** Why `generateContent` would answer a request with 400; empty when it would not. */
export function geminiComplaints(body: JsonObject, model: string): string[] {
  const found: string[] = toolComplaints(body, model)
  const isOld = /(^|\/)(gemini-[12]\b|gemma|learnlm)/.test(model)
  const contents = listOf(body.contents)
  if (contents[0]?.role !== 'user') found.push('the first content is not of the user')
  if (contents.at(-1)?.role !== 'user') found.push('the last content is not of the user')
  for (const [i, { role, parts }] of contents.entries()) {
    const list = listOf(parts)
    if (role !== 'user' && role !== 'model') found.push(`content ${i} has the role ${JSON.stringify(role)}`)
    if (list.length === 0) found.push(`content ${i} has no parts`)
    if (role === 'model' && contents[i - 1]?.role === 'model') found.push(`contents ${i - 1} and ${i} are of the model`)
    if (role === 'model' && list.every(({ thought }) => thought === true)) found.push(`content ${i} is only thoughts`)
    for (const part of list) found.push(...partComplaints(part, textOf(role)).map((what) => `content ${i}: ${what}`))
    found.push(...callComplaints(contents, i, model))
    if (isOld && list.some(({ functionResponse }) => record(functionResponse).parts))
      found.push(`content ${i} has files in a result, which ${model} does not take`)
  }
  return [...found, ...configComplaints(record(body.generationConfig), listOf(body.tools).length > 0, model)]
}

function toolComplaints(body: JsonObject, model: string): string[] {
  const found: string[] = []
  const tools = listOf(body.tools)
  const names: string[] = []
  const hosted = tools.flatMap((tool) => Object.keys(tool).filter((key) => key !== 'functionDeclarations'))
  for (const { functionDeclarations } of tools)
    for (const { name, parametersJsonSchema, parameters } of listOf(functionDeclarations)) {
      names.push(textOf(name))
      if (!callName.test(textOf(name))) found.push(`a function is named "${textOf(name)}"`)
      if (parameters !== undefined && parametersJsonSchema !== undefined) found.push('a function has two schemas')
      if (parametersJsonSchema === undefined) continue
      if (record(parametersJsonSchema).type !== 'object') found.push('parameters are not of an object')
      found.push(...schemaComplaints(parametersJsonSchema))
    }
  if ('tools' in body && tools.length === 0) found.push('tools is empty')
  if (new Set(names).size < names.length) found.push('two functions have one name')
  const { functionCallingConfig, includeServerSideToolInvocations: shows } = record(body.toolConfig)
  const isOld = /(^|\/)(gemini-[12]\b|gemma|learnlm)/.test(model)
  if (names.length > 0 && hosted.length > 0 && (isOld || shows !== true))
    found.push(`functions beside ${hosted.join()}${isOld ? `, which ${model} does not take` : ''}`)
  if (isOld && shows !== undefined) found.push('includeServerSideToolInvocations')
  if (body.cachedContent !== undefined)
    for (const key of ['systemInstruction', 'tools', 'toolConfig'])
      if (key in body) found.push(`CachedContent can not be used with ${key}`)
  if (functionCallingConfig === undefined) return found
  const { mode, allowedFunctionNames: allowed } = record(functionCallingConfig)
  if (!/^(AUTO|ANY|NONE|VALIDATED)$/.test(textOf(mode))) found.push(`mode "${textOf(mode)}"`)
  if (mode === 'VALIDATED' && /gemini-(1|2\.0)/.test(model)) found.push('mode "VALIDATED"')
  if (names.length === 0 && hosted.length === 0) found.push('functionCallingConfig without functions')
  if (allowed === undefined) return found
  if (mode !== 'ANY' && mode !== 'VALIDATED') found.push(`allowed_function_names with mode ${textOf(mode)}`)
  const chosen = allowed as readonly string[]
  // Recorded, beside tools of Google alone.
  if (chosen.length === 0 && names.length > 0) found.push('allowed_function_names is empty')
  return [...found, ...chosen.filter((name) => !names.includes(name)).map((name) => `"${name}" is not declared`)]
}

const configFields = new Set(
  'temperature topP topK seed stopSequences maxOutputTokens candidateCount thinkingConfig responseMimeType responseJsonSchema responseSchema responseModalities responseLogprobs logprobs presencePenalty frequencyPenalty mediaResolution speechConfig imageConfig audioTimestamp routingConfig modelSelectionConfig enableEnhancedCivicAnswers audioTranscriptionConfig generationOutputConfig'.split(
    ' ',
  ),
)

function configComplaints(config: JsonObject, hasTools: boolean, model: string): string[] {
  const found = Object.keys(config).flatMap((key) => (configFields.has(key) ? [] : [`Unknown name "${key}"`]))
  const { thinkingConfig, responseMimeType, responseJsonSchema } = config
  const { thinkingLevel, thinkingBudget } = record(thinkingConfig)
  const isOld = /(^|\/)(gemini-[12]\b|gemma|learnlm)/.test(model)
  if (thinkingLevel !== undefined && thinkingBudget !== undefined) found.push('a level and a budget')
  if (thinkingLevel !== undefined && (isOld || !/^(MINIMAL|LOW|MEDIUM|HIGH|XHIGH)$/.test(textOf(thinkingLevel))))
    found.push(`thinking level "${textOf(thinkingLevel)}"`)
  if (
    typeof thinkingBudget === 'number' &&
    /gemini-2\.5-pro/.test(model) &&
    thinkingBudget >= 0 &&
    thinkingBudget < 128
  )
    found.push(`The thinking budget ${thinkingBudget} is invalid`)
  if (thinkingConfig !== undefined && /gemini-(1|2\.0)/.test(model)) found.push('Thinking is not supported')
  if (responseJsonSchema === undefined) return found
  if (!/^(application\/json|text\/x\.enum)$/.test(textOf(responseMimeType)))
    found.push('a schema without its mime type')
  if (hasTools && isOld) found.push("Function calling with a response mime type: 'application/json' is unsupported")
  return [...found, ...schemaComplaints(responseJsonSchema)]
}

function partComplaints(part: JsonObject, role: string): string[] {
  const found: string[] = []
  const data = Object.keys(part).filter((key) => key !== 'thought' && key !== 'thoughtSignature')
  if (data.length === 0) found.push('a part has no data')
  if (data.filter((key) => dataFields.has(key)).length > 1) found.push(`a part has ${data.join(' and ')}`)
  if (part.text === '' && !part.thoughtSignature) found.push('a text is empty')
  const { functionCall: call, functionResponse: response, inlineData, fileData } = part
  const known = data.filter((key) => dataFields.has(key))
  if (role === 'user' && data.length > 0 && known.length === 0) found.push(`a part has only ${data.join()}`)
  if (inlineData !== undefined && !(textOf(record(inlineData).mimeType) && textOf(record(inlineData).data)))
    found.push('inlineData has no type or no data')
  if (fileData !== undefined && !textOf(record(fileData).fileUri)) found.push('fileData has no URI')
  if (call !== undefined) {
    if (role !== 'model') found.push('a call is not of the model')
    if (!callName.test(textOf(record(call).name))) found.push(`a call is of "${textOf(record(call).name)}"`)
    const { args = {} } = record(call)
    if (typeof args !== 'object' || args === null || Array.isArray(args)) found.push('args is not an object')
  }
  if (response !== undefined) {
    if (role !== 'user') found.push('a response is not of the user')
    const value = record(response).response
    if (typeof value !== 'object' || value === null || Array.isArray(value)) found.push('a response is not an object')
  }
  return found
}

function callComplaints(contents: readonly JsonObject[], i: number, model: string): string[] {
  const calls = listOf(contents[i]!.parts).filter(({ functionCall }) => functionCall !== undefined)
  const before = listOf(contents[i - 1]?.parts).filter(({ functionCall }) => functionCall !== undefined)
  const parts = listOf(contents[i]!.parts)
  const responses = parts.filter(({ functionResponse }) => functionResponse !== undefined)
  const found: string[] = []
  if (responses.length !== before.length)
    found.push(`content ${i} has ${responses.length} function responses to ${before.length} function calls`)
  if (responses.length > 0 && parts.length > responses.length)
    found.push(`content ${i} mixes responses with other parts`)
  for (const [n, { functionResponse }] of responses.entries())
    for (const key of ['name', 'id'])
      if (record(functionResponse)[key] !== record(before[n]?.functionCall)[key])
        found.push(`response ${n} of content ${i} has the ${key} of another call`)
  if (calls.length > 0 && i + 1 === contents.length) found.push('the last calls have no responses')
  // Not of older models, which have no signatures.
  const isStrict = /gemini-([3-9]|\d\d)|latest/.test(model)
  if (isStrict && calls.length > 0 && !calls[0]!.thoughtSignature)
    found.push(`the first function call of content ${i} is missing a thought_signature`)
  return found
}

function schemaComplaints(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return ['a schema is not an object']
  const found = Object.keys(schema).flatMap((key) => (readKeywords.has(key) ? [] : [`a schema has ${key}`]))
  const { $ref, properties = {}, $defs = {}, items, additionalProperties: more } = schema as JsonObject
  if ($ref !== undefined && Object.keys(schema).some((key) => !key.startsWith('$'))) found.push('a $ref has siblings')
  if (Array.isArray(items)) found.push('items is a list')
  const lists = ['anyOf', 'oneOf', 'prefixItems'].flatMap((key) => listOf((schema as JsonObject)[key]))
  const inside = [...Object.values(record(properties)), ...Object.values(record($defs)), ...lists]
  if (items !== undefined) inside.push(items)
  if (more !== undefined && typeof more !== 'boolean') inside.push(more)
  return [...found, ...inside.flatMap(schemaComplaints)]
}
