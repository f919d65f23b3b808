import { describe, expect, it, vi } from 'vitest'
import type { decide } from '../../src/tools/gate.js'
import { checkGate, type GateResult } from '../../src/testing/check-gate.js'
import type { GateCase, GatePath, GateSource } from '../../src/testing/gate-case.js'
import { gateCases } from '../../src/testing/gate-cases.js'
import { gatePaths, pageTools } from '../../src/testing/gate-paths.js'
import { createIsolateSandbox } from '../../src/testing/isolate-sandbox.js'
import { replay } from '../../src/testing/replay.js'
import { toOffered } from '../../src/tools/offered-definition.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { defineTool } from '../../src/tools/tool.js'

/** Who is let through unseen, to see that it is noticed. */
const broken = vi.hoisted(() => ({ caller: undefined as string | undefined }))

vi.mock('../../src/tools/gate.js', async (load) => {
  const real = await load<{ decide: typeof decide }>()
  const open: typeof decide = async (call, context) => {
    const decision = await real.decide(call, context)
    if (call.caller !== broken.caller || call.toolName === 'run_script') return decision
    const { failure: _failure, reasons: _reasons, rules: _rules, detail: _detail, ...rest } = decision
    return { ...rest, verdict: 'allow' }
  }
  return { ...real, decide: open }
})

const sandbox = createIsolateSandbox()
const wrong = (results: readonly GateResult[]): string[] =>
  results
    .filter(({ ok }) => !ok)
    .map(({ path, expected, actual, fault, ...result }) => {
      const sides = `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
      return `${result.case} (${path}): ${sides}${fault === undefined ? '' : `; ${fault}`}`
    })

describe('the gate', () => {
  it.each(gateCases.map((each) => [each.name, each] as const))('keeps on every path: %s', async (_name, gateCase) => {
    const definitions: ToolDefinition[][] = []
    const source: GateSource = {
      name: 'noted',
      async provide(tools) {
        const provided = await pageTools.provide(tools)
        definitions.push(provided.map(({ definition }) => toOffered(definition)))
        return provided
      },
    }
    const results = await checkGate({ cases: [gateCase], sandbox, source })
    expect(wrong(results)).toEqual([])
    for (const [i, { events, path }] of results.entries()) {
      if (path !== 'direct' || events.length === 0) continue
      const again = await replay({ events, context: { instructions: '', tools: definitions[i]! } }, { sandbox })
      expect(again.same || `${path}: ${again.divergence.text}`).toBe(true)
    }
  })
})

/** Cases in which something is denied, or a person says no. */
const closed = gateCases.filter(
  ({ expected, before }) => expected.runs === 0 && expected.outcome === 'denied' && before === undefined,
)

describe('the kit notices', () => {
  it.each(gatePaths.map((path) => [path.name, path] as const))(
    'a gate that is open on the path %s',
    async (_name, path) => {
      broken.caller = path.caller
      try {
        const cases = closed.filter(({ differs }) => differs?.[path.caller]?.outcome !== 'none')
        const results = await checkGate({ cases, paths: [path], sandbox })
        expect(results.length).toBeGreaterThan(14)
        expect(results.filter(({ ok }) => ok).map((result) => result.case)).toEqual([])
      } finally {
        broken.caller = undefined
      }
    },
  )

  it('a path that calls the tools itself', async () => {
    const around: GatePath = {
      name: 'around',
      caller: 'model',
      ask: (call) => [{ type: 'call', toolName: 'handle', inputText: JSON.stringify(call) }],
      tools: (tools) => [
        defineTool({
          name: 'handle',
          description: 'Hands the call over.',
          risk: 'read',
          input: { type: 'object' },
          async run(input, context) {
            const { tool: name, input: given } = input as unknown as GateCase['call']
            return (await tools.find(({ definition }) => definition.name === name)?.run(given, context)) as never
          },
        }),
      ],
    }
    const results = await checkGate({ cases: closed, paths: [around], sandbox })
    expect(results.filter(({ ok }) => ok).map((result) => result.case)).toEqual([])
  })

  it('a tool source that runs a tool twice, or not at all', async () => {
    const cases = gateCases.filter(({ name }) => name.startsWith('a write asks, and runs'))
    for (const times of [0, 2]) {
      const results = await checkGate({
        cases,
        sandbox,
        source: {
          name: 'careless',
          provide: (tools) =>
            tools.map((tool) =>
              defineTool({
                ...tool,
                async run(input, context) {
                  for (let i = 0; i < times; i++) await tool.run(input, context)
                  return 'done' as never
                },
              }),
            ),
        },
      })
      expect(results.filter(({ path, ok }) => ok && path !== 'program')).toEqual([])
    }
  })
})
