import { canonicalJson, type Json } from '../core/json.js'
import { limitFault } from '../core/limit-ranges.js'
import type { Context, ToolDefinition } from '../core/tool-definition.js'
import { defaultBudget, type Budget } from '../core/usage.js'
import { HandrailError } from '../errors.js'
import { checkModelConfig } from '../models/check-config.js'
import type { Model } from '../models/model.js'
import { defaultLimits, type Sandbox, type ScriptLimits } from '../sandbox/script.js'
import type { Store } from '../store/store.js'
import { sha256 } from '../tools/hash.js'
import type { Validator } from '../tools/fault.js'
import type { ToolSearch } from '../tools/search.js'
import type { ToolSet } from '../tools/tool-set.js'
import { checkAmounts } from './check-amounts.js'
import { checkPolicy } from './check-policy.js'
import { HostedModels } from './hosted-model.js'
import type { Notices } from './notices.js'
import type { Platform } from './platform.js'
import type { AgentSetup, PageApi } from './protocol.js'

/** An agent that is ready to work: what all its sessions share. */
export interface Agent {
  readonly setup: AgentSetup
  readonly platform: Platform
  readonly page: PageApi
  readonly notices: Notices
  readonly store: Store
  readonly tools: ToolSet
  readonly validator: Validator
  readonly context: Context
  readonly contextHash: string
  readonly sandbox: Sandbox
  readonly budget: Budget
  readonly limits: ScriptLimits
  /** Loaded when it is first needed. */
  model(): Promise<Model>
  /** Of tools that a script may call. */
  search(tools: readonly ToolDefinition[]): Promise<ToolSearch>
  readonly hostedModels: HostedModels
  readonly modelName: { readonly provider: string; readonly model: string }
}

export async function openAgent(setup: AgentSetup, platform: Platform, notices: Notices): Promise<Agent> {
  if (!setup.model.hosted) checkModelConfig(setup.model.config)
  checkPolicy(setup.policy)
  const page = notices.inOrder
  const [store, validator, { createToolSet }] = await Promise.all([
    platform.openStore(setup.store),
    platform.loadValidator(),
    import('../tools/tool-set.js'),
  ])
  const limits = inRange(checkAmounts('limits', setup.limits, defaultLimits))
  const hasGrammar = setup.tools.some((tool) => tool?.grammar)
  const grammars = hasGrammar ? await import('../tools/grammar/compile.js') : {}
  const budget = checkAmounts('budget', setup.budget, defaultBudget)
  const tools = createToolSet(setup.tools, validator, { scripts: setup.scripts, limits, ...grammars })
  const context: Context = { instructions: setup.instructions, tools: tools.definitions }
  const hostedModels = new HostedModels(page, platform.newId)
  let loaded: Promise<Model> | undefined
  const { model } = setup
  const load = async (): Promise<Model> => {
    try {
      return await (model.hosted ? hostedModels.model(model) : platform.loadModel(model.config))
    } catch (error) {
      // A network that was down may be up again for the next request.
      loaded = undefined
      throw error
    }
  }
  return {
    setup,
    platform,
    page,
    notices,
    store,
    tools,
    validator,
    context,
    contextHash: sha256(canonicalJson(context as unknown as Json)),
    sandbox: platform.createSandbox(),
    budget,
    limits,
    search: searchOnce(),
    hostedModels,
    model: () => (loaded ??= load()),
    modelName: model.hosted ? model : { provider: model.config.provider, model: model.config.model },
  }
}

/** An index for the tools that were last asked for: runs with other rights have others. */
function searchOnce(): Agent['search'] {
  let last: { readonly names: string; readonly search: ToolSearch } | undefined
  return async (tools) => {
    const { createToolSearch } = await import('../tools/search.js')
    const names = tools.map(({ name }) => name).join()
    if (last?.names !== names) last = { names, search: createToolSearch(tools) }
    return last.search
  }
}

/** @throws {HandrailError} `invalid_options` for what the engine cannot be given. */
function inRange(limits: ScriptLimits): ScriptLimits {
  for (const name of Object.keys(limits) as (keyof ScriptLimits)[]) {
    const fault = limitFault(name, limits[name])
    if (fault)
      throw new HandrailError(
        'invalid_options',
        `Cannot open an agent: "limits.${name}" ${fault}; it is ${limits[name]}`,
      )
  }
  return limits
}
