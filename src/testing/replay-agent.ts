import { isBuiltIn, scriptToolName } from '../core/built-ins.js'
import type { EventBody, RunEvent } from '../core/events.js'
import { isJsonObject } from '../core/json.js'
import type { Effect } from '../core/next.js'
import type { Context, ToolDefinition } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { openAgent, type Agent } from '../runtime/agent.js'
import { Notices } from '../runtime/notices.js'
import type { Platform } from '../runtime/platform.js'
import type { AgentSetup, PageApi } from '../runtime/protocol.js'
import type { Sandbox } from '../sandbox/script.js'
import { createMemoryStore } from '../store/memory.js'
import { loadCachedValidator } from './cached-validator.js'
import type { Tool } from '../tools/tool.js'
import { createIsolateSandbox } from './isolate-sandbox.js'
import { createLivePage } from './live-page.js'
import { policyOf } from './recorded-policy.js'
import { createRecordedPage } from './recorded-page.js'
import type { Recording } from './recording.js'
import type { ReplayOptions } from './replay-options.js'
import type { Stage } from './stage.js'

export interface ReplayAgent {
  readonly agent: Agent
  /** What comes of the effect is taken from the log, and not done. */
  isRecorded(effect: Effect, event: EventBody): boolean
  /** It asks a model or a tool: what it would do can't be looked at without doing it. */
  isOfOutside(effect: Effect): boolean
}

/** The agent of a recorded run: as its log and its context say it was, with what is live in place of what was recorded. */
export async function openReplayAgent(
  recording: Recording,
  stage: Stage,
  { tools = [], model, sandbox }: ReplayOptions,
): Promise<ReplayAgent> {
  const { header } = recording
  const live = new Map(tools.map((tool) => [tool.definition.name, tool]))
  const context = contextOf(recording, tools)
  const definitions = context.tools.filter(({ name }) => name !== scriptToolName)
  const recorded = createRecordedPage(new Map(definitions.map((tool) => [tool.name, tool])), (id) =>
    stage.decisionFor(id),
  )
  const page: PageApi = tools.length > 0 ? createLivePage(tools, recorded, stage) : recorded
  const setup: AgentSetup = {
    owner: header.owner,
    instructions: context.instructions,
    tools: definitions,
    model: { hosted: false, config: header.model },
    budget: header.budget,
    limits: limitsOf(recording.events),
    scripts: header.engine !== undefined,
    policy: policyOf(recording.events, definitions),
    // So that the page is asked about every call.
    guards: { input: false, call: true, output: false },
    store: 'memory',
    locale: header.locale,
    timeZone: header.timeZone,
  }
  const platform: Platform = {
    openStore: async () => createMemoryStore(),
    async loadModel() {
      if (model) return model
      throw new HandrailError('not_recorded', 'The recorded run holds no more answers of its model')
    },
    loadValidator: loadCachedValidator,
    createSandbox: () => withPatience(sandbox ?? createIsolateSandbox()),
    openChannel: unreachable,
    locks: { request: unreachable },
    now: () => stage.now(),
    newId: () => `${header.runId}:${stage.position}`,
    storage: async () => undefined,
    newSeed: () => header.seed,
  }
  return {
    agent: await openAgent(setup, platform, new Notices(page)),
    isOfOutside: ({ type }) => type === 'call-model' || type === 'execute-tool' || type === 'reconcile-tool',
    isRecorded(effect, event) {
      if (effect.type === 'call-model') return !model || (event.type === 'assistant-message' && !event.complete)
      if (effect.type === 'reconcile-tool') return true
      if (effect.type === 'advance-script') return event.type === 'script-turn' && endsByChance(event)
      if (effect.type !== 'execute-tool') return false
      const { toolName, executor } = effect.call
      if (executor === 'provider') return false
      if (isBuiltIn(toolName)) return tools.length === 0 || toolName === 'script.sleep'
      return !live.has(toolName) || (event.type === 'tool-result' && event.outcome === 'cancelled')
    },
  }
}

/** With the tools of now in the place of those of their names. */
function contextOf({ context, events }: Recording, tools: readonly Tool[]): Context {
  if (!context && tools.length === 0 && events.some(({ type }) => type === 'tool-decision'))
    throw new HandrailError(
      'invalid_recording',
      'Cannot replay the run: its context is missing, which says what tools it had; export it, or give "tools"',
    )
  const given = new Map(tools.map(({ definition }) => [definition.name, definition]))
  const known = (context?.tools ?? []).map(toWhole)
  const now = known.map((definition): ToolDefinition => given.get(definition.name) ?? definition)
  const added = [...given.values()].filter(({ name }) => !known.some((tool) => tool.name === name))
  return { instructions: context?.instructions ?? '', tools: [...now, ...added] }
}

/** A context holds a definition as the model was told of it: the fields that the app filled are put back, as anything. */
function toWhole(definition: ToolDefinition): ToolDefinition {
  const { hostInput = [], input } = definition
  const properties = isJsonObject(input.properties) ? input.properties : {}
  const missing = hostInput.filter((field) => !Object.hasOwn(properties, field))
  if (missing.length === 0) return definition
  const filled = Object.fromEntries(missing.map((field) => [field, {}]))
  return { ...definition, input: { ...input, properties: { ...properties, ...filled } } }
}

/** Those of its scripts, as the first one was started with them. */
function limitsOf(events: readonly RunEvent[]): AgentSetup['limits'] {
  const start = events.find((event) => event.type === 'tool-start' && event.limits)
  return start?.type === 'tool-start' ? (start.limits ?? {}) : {}
}

/** How fast the machine is, or that its worker was lost, ended the script: that does not come again. */
function endsByChance({
  outcome,
}: {
  readonly outcome?: { readonly status: string; readonly failure?: unknown }
}): boolean {
  const { code } = (outcome?.failure ?? {}) as { readonly code?: string }
  return code === 'script_cpu' || code === 'script_wall' || code === 'script_crashed'
}

/** Times the CPU that a script may take, as it kept its limits once, perhaps on a faster machine. */
const patience = 8
const mostCpuMs = 3_600_000

const withPatience = (sandbox: Sandbox): Sandbox => ({
  ...sandbox,
  start(options) {
    const { limits } = options
    const cpuMs = Math.min(mostCpuMs, limits.cpuMs * patience)
    return sandbox.start({ ...options, limits: { ...limits, cpuMs, totalCpuMs: limits.totalCpuMs * patience } })
  },
})

function unreachable(): never {
  throw new Error('A replay has one tab')
}
