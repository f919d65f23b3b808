import type { RunEvent } from '../core/events.js'

/** What a value must be: a kind of scalar, anything (`json`), one of some texts, a list, or an object with these fields at least. */
type Shape =
  | 'text'
  | 'number'
  | 'flag'
  | 'json'
  | readonly string[]
  | { readonly list: Shape }
  | { readonly fields: Fields }
/** A name that ends in `?` may be absent. */
type Fields = Readonly<Record<string, Shape>>

const list = (shape: Shape): Shape => ({ list: shape })
const object = (fields: Fields): Shape => ({ fields })
const texts = list('text')

const failure = object({ code: 'text', message: 'text', retryable: 'flag', 'retryAfter?': 'number' })
const modes: Fields = { 'allow?': texts, 'readOnly?': 'flag', 'askAll?': 'flag' }
const toolCalls = list(
  object({
    callId: 'text',
    toolName: 'text',
    caller: ['model', 'script', 'program'],
    'inputText?': 'text',
    'wireId?': 'text',
    'line?': 'number',
    'executor?': ['provider'],
  }),
)
const numbers = (...names: string[]): Shape =>
  object(Object.fromEntries(names.map((name) => [name, 'number'] as const)))
const outcomes = ['ok', 'error', 'denied', 'cancelled', 'timeout', 'unknown', 'skipped']

const shapes: Readonly<Record<RunEvent['type'], Fields>> = {
  'run-start': {
    format: 'number',
    runId: 'text',
    session: 'text',
    owner: 'text',
    'previousRun?': 'text',
    epoch: 'number',
    model: object({ provider: 'text', model: 'text' }),
    contextHash: 'text',
    'engine?': 'text',
    seed: 'number',
    locale: 'text',
    timeZone: 'text',
    budget: numbers('steps', 'attempts', 'calls', 'scripts', 'tokens', 'bytes', 'time'),
    'toolChoice?': object({ mode: ['auto', 'none', 'required'], 'tools?': texts }),
    'answer?': object({ name: 'text', schema: object({}) }),
    ...modes,
  },
  'lease-start': { epoch: 'number' },
  'user-message': {
    text: 'text',
    'files?': list(object({ mediaType: 'text', 'name?': 'text', 'data?': 'text', 'url?': 'text', 'id?': 'text' })),
    'instructions?': 'text',
    'warnings?': texts,
  },
  'step-start': { step: 'number', attempt: 'number' },
  'assistant-message': {
    step: 'number',
    complete: 'flag',
    parts: list(
      object({ type: ['text', 'reasoning', 'refusal', 'call', 'other'], 'text?': 'text', 'callId?': 'text' }),
    ),
    calls: toolCalls,
    'finish?': 'text',
    'usage?': object({ input: 'number', output: 'number' }),
    'failure?': failure,
    'remarks?': list(object({ code: 'text' })),
  },
  'answer-check': { step: 'number', verdict: ['accept', 'repair', 'fail'], 'note?': 'text', 'failure?': failure },
  'script-turn': {
    callId: 'text',
    turn: 'number',
    'fed?': 'text',
    calls: toolCalls,
    'prints?': texts,
    'outcome?': object({ status: ['ok', 'error'], 'failure?': failure }),
    'state?': object({ 'set?': object({}), 'removed?': texts }),
  },
  'tool-decision': {
    callId: 'text',
    verdict: ['allow', 'deny', 'ask'],
    mode: ['read', 'write', 'script'],
    hash: 'text',
    'reasons?': texts,
    'rules?': texts,
    'failure?': failure,
    'detail?': object({
      'risk?': ['read', 'reversible', 'irreversible', 'sensitive'],
      'filled?': texts,
      'sources?': list(object({ path: 'text', from: ['user', 'app', 'tool', 'person', 'model'] })),
      'untrusted?': texts,
      'previewFailure?': 'text',
      'expires?': 'number',
      'line?': 'number',
      'repeats?': object({ call: 'text', outcome: ['ok', 'unknown'] }),
    }),
    'grant?': 'text',
  },
  'approval-response': {
    callId: 'text',
    hash: 'text',
    approved: 'flag',
    'reason?': 'text',
    'edit?': object({ input: 'json', hash: 'text' }),
    'grant?': object({
      approved: 'flag',
      toolName: 'text',
      tool: 'text',
      'count?': 'number',
      fixed: object({}),
      reasons: texts,
      untrusted: 'flag',
    }),
  },
  'approval-expired': { callId: 'text', hash: 'text' },
  'tool-start': { callId: 'text', hash: 'text', 'grant?': 'text', 'tools?': texts, 'limits?': object({}) },
  'tool-result': {
    callId: 'text',
    outcome: outcomes,
    'ref?': 'text',
    'prints?': 'text',
    'failure?': failure,
    'outputInvalid?': 'text',
    'bytes?': 'number',
    'trusted?': 'flag',
    'warnings?': texts,
    'attempts?': 'number',
    'note?': 'text',
    'tellPerson?': 'flag',
    'hasFiles?': 'flag',
    'hasTools?': 'flag',
  },
  'tool-reconciled': {
    callId: 'text',
    toolName: 'text',
    'runId?': 'text',
    done: 'flag',
    by: ['late', 'person'],
    'trusted?': 'flag',
    'warnings?': texts,
  },
  'mode-change': modes,
  'run-stop': { reason: ['cancelled', 'deadline'] },
  'run-end': {
    outcome: ['completed', 'cancelled', 'failed', 'budget-exceeded'],
    'budget?': 'text',
    'failure?': failure,
    'message?': 'text',
  },
}

/** What is wrong with an event that came from outside, where, and what was expected. Fields that are not known are let be. */
export const eventShapeFault = (event: { readonly type: RunEvent['type'] }): string | undefined =>
  fault(event, { fields: { ...shapes[event.type], at: 'number' } }, event.type)

function fault(value: unknown, shape: Shape, where: string): string | undefined {
  if (shape === 'json') return value === undefined ? `${where}: expected a value` : undefined
  if (typeof shape === 'string') return isScalar(value, shape) ? undefined : `${where}: expected a ${shape}`
  if (Array.isArray(shape)) return shape.includes(value) ? undefined : `${where}: expected one of ${shape.join(', ')}`
  if (typeof value !== 'object' || value === null)
    return `${where}: expected ${'list' in shape ? 'a list' : 'an object'}`
  if ('list' in shape) {
    if (!Array.isArray(value)) return `${where}: expected a list`
    return first(value.keys(), (i) => fault(value[i], shape.list, `${where}/${i}`))
  }
  if (Array.isArray(value)) return `${where}: expected an object`
  return first(Object.entries((shape as { readonly fields: Fields }).fields), ([key, inner]) => {
    const name = key.replace(/\?$/, '')
    const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
    return field === undefined && name !== key ? undefined : fault(field, inner, `${where}/${name}`)
  })
}

const isScalar = (value: unknown, kind: 'text' | 'number' | 'flag'): boolean =>
  kind === 'number' ? Number.isFinite(value) : typeof value === (kind === 'text' ? 'string' : 'boolean')

function first<T>(items: Iterable<T>, of: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = of(item)
    if (found !== undefined) return found
  }
  return undefined
}
