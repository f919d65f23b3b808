import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isBuiltIn } from '../../src/core/built-ins.js'
import type { Sandbox } from '../../src/sandbox/script.js'
import type { Attack, Family, Kind } from './escapes/attack.js'
import { globals } from './escapes/globals.js'
import { reach } from './escapes/reach.js'
import { memory, stack } from './escapes/space.js'
import { tampering } from './escapes/tampering.js'
import { floods, syntax, texts } from './escapes/texts.js'
import { endless, native } from './escapes/time.js'
import { results, throws, values } from './escapes/values.js'
import { runScript } from './run-script.js'

const families: readonly Family[] = [
  endless,
  native,
  memory,
  stack,
  tampering,
  values,
  results,
  throws,
  reach,
  globals,
  syntax,
  texts,
  floods,
]

/** Milliseconds of CPU that an attack gets that may use up all of it, and one that may not: on a loaded machine that is soon. */
const [littleCpu, muchCpu] = [100, 5_000]

/**
 * Goes over all that a fresh script can reach, and tells each property with its attributes: whatever one script left for the
 * next, wherever it may be, shows.
 */
const honest = `
  const seen = new Set()
  const lines = []
  const walk = (object, path) => {
    if (seen.has(object)) return
    seen.add(object)
    for (const key of Reflect.ownKeys(object)) {
      const { value, writable, enumerable, configurable } = Reflect.getOwnPropertyDescriptor(object, key)
      const at = path + '.' + String(key)
      lines.push(at + ' ' + typeof value + (writable ? 'w' : '') + (enumerable ? 'e' : '') + (configurable ? 'c' : ''))
      if (typeof value === 'function' || (typeof value === 'object' && value !== null)) walk(value, at)
    }
  }
  walk(globalThis, '')
  print('honest')
  const answers = await Promise.all([1, 2].map((n) => tools.echo({ n, list: ['é', null] })))
  return { reach: lines.join('\\n'), answers, draw: Math.random(), time: Date.now(), state, left: typeof left }`

/**
 * What no script can do to a sandbox, one test for each. After each, the next script finds all as the first did.
 * @param every which attacks are made: 1 for all
 */
export function describeEscapes(name: string, create: () => Sandbox | Promise<Sandbox>, every = 1): void {
  describe(`in ${name} no script`, () => {
    let sandbox: Sandbox
    let first: unknown
    beforeAll(async () => {
      sandbox = await create()
      first = await runScript(sandbox, honest)
      const value = { reach: expect.stringContaining('.Promise.prototype.then function'), left: 'undefined', state: {} }
      expect(first).toMatchObject({ outcome: { status: 'ok', value }, prints: ['honest'] })
    })

    afterEach(async () => {
      expect(await runScript(sandbox, honest)).toEqual(first)
    })

    for (const family of families) {
      describe(`(${family.name})`, () => {
        it.each(family.attacks.filter((_, i) => i % every === 0).map((attack) => [attack.name, attack] as const))(
          '%s',
          (_, attack) => check(family, attack),
        )
      })
    }

    async function check(family: Family, attack: Attack) {
      const ends = endsOf(family, attack)
      const cpuMs = ends.includes('cpu') ? littleCpu : muchCpu
      const { outcome, calls, prints } = await runScript(sandbox, attack.code, {
        ...(attack.answer && { answer: attack.answer }),
        limits: { cpuMs, totalCpuMs: 10_000, ...family.limits, ...attack.limits },
      })
      const kind = outcome.status === 'ok' ? 'ok' : (outcome.failure.code.replace('script_', '') as Kind)
      const value = outcome.status === 'ok' ? outcome.value : undefined
      const message = outcome.status === 'error' ? outcome.failure.message : undefined
      const toTools = calls.filter(({ toolName }) => !isBuiltIn(toolName))
      const isValue = value !== undefined && attack.value !== undefined
      const isSaid = message === undefined || attack.message?.test(message) !== false
      // Only what the attack speaks of is compared.
      expect({
        kind,
        told: attack.told && toTools.map(({ input }) => input),
        prints: attack.prints && prints,
        value: isValue ? value : undefined,
        said: isSaid ? attack.message : message,
      }).toEqual({
        kind: expect.toBeOneOf([...ends]),
        told: attack.told,
        prints: attack.prints,
        value: isValue ? attack.value : undefined,
        said: attack.message,
      })
      expect(message ?? '').toHaveLength(Math.min(message?.length ?? 0, longestMessage))
    }
  })
}

/** Characters of a failure's message: it goes into the log, and to the model. */
const longestMessage = 5_000

function endsOf({ allowed, usual }: Family, { ends = usual ?? allowed }: Attack): readonly Kind[] {
  return typeof ends === 'string' ? [ends] : ends
}

describe('the attacks', () => {
  const all = families.flatMap((family) => family.attacks.map((attack) => ({ family, attack })))

  it('are more than 500, each under a name of its own', () => {
    expect(all.length).toBeGreaterThan(500)
    const names = all.map(({ attack }) => attack.name)
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([])
  })

  it('end only as the table of their family allows', () => {
    const wrong = all.filter(
      ({ family, attack }) => !endsOf(family, attack).every((kind) => family.allowed.includes(kind)),
    )
    expect(wrong.map(({ family, attack }) => `${family.name}: ${attack.name}`)).toEqual([])
  })
})
