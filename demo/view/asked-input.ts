import type { AskDetail, Json, RunEvent } from 'handrail'

type Source = NonNullable<AskDetail['sources']>[number]

/** A field of the input that a person is asked about. */
export interface InputRow {
  /** Absent: of a text tool, which has one text. */
  readonly name?: string
  readonly value: Json
  /** The app put it in: nobody edits it. */
  readonly isFilled: boolean
  /** Where its values came from. */
  readonly origins: readonly string[]
}

/** Origins of one field that are told; the rest is counted. */
const mostOrigins = 4

/** The fields of an input, in their order, and where each came from. */
export function inputRows(input: Json, { filled = [], sources = [] }: AskDetail = {}): readonly InputRow[] {
  if (!isFields(input)) return [{ value: input, isFilled: false, origins: originsOf(sources, '') }]
  return Object.entries(input).map(([name, value]) => {
    const isFilled = filled.includes(name)
    const own = sources.filter(({ path }) => path === pathOf(name) || path.startsWith(`${pathOf(name)}/`))
    return {
      name,
      value: value as Json,
      isFilled,
      origins: isFilled ? ['filled in by the app'] : originsOf(own, pathOf(name)),
    }
  })
}

function originsOf(sources: readonly Source[], at: string): readonly string[] {
  const texts = [...new Set(sources.map((source) => originText(source, source.path.slice(at.length))))]
  const more = texts.length - mostOrigins
  return more > 0 ? [...texts.slice(0, mostOrigins), `and ${more} more`] : texts
}

function originText({ from, toolName = 'a tool', trusted }: Source, below: string): string {
  const what = below === '' ? '' : `${below.slice(1)}: `
  switch (from) {
    case 'user':
      return `${what}from your words`
    case 'app':
      return `${what}from the app`
    case 'person':
      return `${what}changed by you`
    case 'model':
      return `${what}written by the model`
    case 'tool':
      return `${what}from ${toolName}${trusted ? '' : ', which anybody may have written'}`
  }
}

const isFields = (input: Json): input is { readonly [key: string]: Json } =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

/** A JSON Pointer to a field of the input. */
export const pathOf = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The input without what the app filled: what may be edited. */
export const ownInput = (input: Json, { filled = [] }: AskDetail = {}): Json =>
  isFields(input) ? Object.fromEntries(Object.entries(input).filter(([name]) => !filled.includes(name))) : input

export const scriptOf = (callId: string): string | undefined => {
  const at = callId.lastIndexOf('/')
  return at < 0 ? undefined : callId.slice(0, at)
}

/** A line of a script with its neighbours, numbered; `isAsking` is the one that asks. */
export interface ScriptLine {
  readonly number: number
  readonly text: string
  readonly isAsking: boolean
}

/** What stands around the line of a script that made a call. */
export function scriptLines(events: readonly RunEvent[], callId: string, line: number): readonly ScriptLine[] {
  const lines = codeOf(events, scriptOf(callId) ?? '').split('\n')
  return lines.flatMap((text, i) =>
    Math.abs(i + 1 - line) <= 1 ? [{ number: i + 1, text, isAsking: i + 1 === line }] : [],
  )
}

function codeOf(events: readonly RunEvent[], callId: string): string {
  let input: Json | undefined
  for (const event of events) {
    if (event.type === 'assistant-message') input ??= event.calls.find((call) => call.callId === callId)?.input
    if (event.type === 'tool-decision' && event.callId === callId) input = event.input ?? input
  }
  return input !== undefined && isFields(input) && typeof input.code === 'string' ? input.code : ''
}
