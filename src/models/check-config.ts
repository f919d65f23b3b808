import { isJsonObject, type Json } from '../core/json.js'
import { nearest } from '../core/nearest.js'
import { HandrailError } from '../errors.js'
import type { Effort, ModelConfig } from './model.js'

type Rule = readonly [is: (value: unknown) => boolean, must: string]

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const text: Rule = [isText, 'must be a text that is not empty']
const flag: Rule = [(value) => typeof value === 'boolean', 'must be true or false']
const count: Rule = [(value) => Number.isSafeInteger(value) && (value as number) > 0, 'must be a whole number above 0']
const oneOf = (...values: readonly string[]): Rule => [
  (value) => values.includes(value as string),
  `must be one of ${values.join(', ')}`,
]
const efforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

const rules: Readonly<Record<keyof ModelConfig, Rule>> = {
  provider: text,
  model: text,
  baseURL: text,
  headers: [
    (value) => isJsonObject(value as Json) && Object.values(value as object).every((one) => typeof one === 'string'),
    'must be an object of texts',
  ],
  apiKey: text,
  timeout: [(value) => isNumber(value) && value > 0 && value < 2 ** 31, 'must be a number of milliseconds above 0'],
  maxOutputTokens: count,
  effort: oneOf(...efforts),
  temperature: [(value) => isNumber(value) && value >= 0, 'must be a number of 0 or above'],
  topP: [(value) => isNumber(value) && value >= 0 && value <= 1, 'must be a number from 0 to 1'],
  topK: count,
  seed: [(value) => Number.isSafeInteger(value), 'must be a whole number'],
  stop: [
    (value) => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== ''),
    'must be an array of texts that are not empty',
  ],
  parallelCalls: flag,
  cache: oneOf('off', 'short', 'long'),
  serviceTier: text,
  stored: flag,
  programs: flag,
  toolSearch: flag,
  hostedTools: [Array.isArray, 'must be an array of { tool, risk }'],
  extra: [(value) => isJsonObject(value as Json), 'must be an object'],
}

/**
 * Checks what the page gave, in the worker.
 * @throws {HandrailError} `invalid_options`, naming the field that is wrong and what it must be.
 */
export function checkModelConfig(config: ModelConfig): void {
  const known = Object.keys(rules)
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(rules, key)) {
      const near = nearest(key, known)
      refuse(`"model.${key}" is not an option; ${near ? `did you mean "${near}"?` : `there are ${known.join(', ')}`}`)
    }
    const [is, must] = rules[key as keyof ModelConfig]
    if (value !== undefined && !is(value)) refuse(`"model.${key}" ${must}`)
  }
  for (const [i, hosted] of (config.hostedTools ?? []).entries()) {
    const place = `"model.hostedTools[${i}]`
    if (!isJsonObject(hosted as unknown as Json)) refuse(`${place}" must be { tool, risk }`)
    if (!isJsonObject(hosted.tool)) refuse(`${place}.tool" must be the provider's own definition, an object`)
    if (hosted.risk !== 'read' && hosted.risk !== 'ask')
      refuse(
        `${place}.risk" must be "read" for a tool that changes nothing, or "ask" for one that the provider asks about`,
      )
  }
}

function refuse(why: string): never {
  throw new HandrailError('invalid_options', `Cannot open an agent: ${why}`)
}
