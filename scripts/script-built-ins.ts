import type { BuiltInName } from '../src/core/built-ins.js'
import { isJsonObject, type Json } from '../src/core/json.js'
import type { HostResult } from '../src/sandbox/script.js'

interface Answered {
  readonly result: HostResult
  readonly delayMs: number
}

/** Answers what a script calls that is no tool, as far as names of tools are enough for it. */
export function answerBuiltIn(name: BuiltInName, input: Json, tools: readonly string[]): Answered {
  const { ms, query, limit, name: wanted, handle } = isJsonObject(input) ? input : {}
  switch (name) {
    case 'script.sleep':
      return typeof ms === 'number'
        ? ok(null, Math.max(0, ms))
        : refused('invalid_input', 'sleep() takes milliseconds.')
    case 'script.search': {
      if (typeof query !== 'string') return refused('invalid_input', 'search() takes a text.')
      const words = query.toLowerCase().split(/\W+/).filter(Boolean)
      const found = tools.filter((tool) => words.some((word) => tool.toLowerCase().includes(word)))
      return ok(found.slice(0, typeof limit === 'number' ? limit : mostFound).map((tool) => ({ name: tool })))
    }
    case 'script.describe':
      return typeof wanted === 'string' && tools.includes(wanted)
        ? ok({ name: wanted, input: {} })
        : refused(
            'not_found',
            `There is no tool ${JSON.stringify(wanted ?? null)}. There are: ${tools.join(', ') || 'none'}.`,
          )
    case 'script.results':
      return refused('not_found', `There is no result ${JSON.stringify(handle ?? null)}. There are: none yet.`)
  }
}

const mostFound = 10
const ok = (value: Json, delayMs = 0): Answered => ({ result: { status: 'ok', value }, delayMs })
const refused = (code: string, message: string): Answered => ({
  result: { status: 'error', failure: { code, message, retryable: false } },
  delayMs: 0,
})
