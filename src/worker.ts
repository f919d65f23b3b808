import { serveAgent } from './client/rpc-worker.js'
import { HandrailError } from './errors.js'
import type { Model, ModelConfig } from './models/model.js'
import type { Platform } from './runtime/platform.js'
import { serve } from './runtime/serve.js'
import { withCheck } from './sandbox/check.js'
import type { Sandbox } from './sandbox/script.js'
import { withTypeScript } from './sandbox/typescript.js'
import { createRemoteSandbox, type RemoteSandboxOptions } from './sandbox/worker/remote.js'
import { openIndexedDbStore } from './store/indexeddb.js'
import { createMemoryStore } from './store/memory.js'
import { loadValidator } from './tools/validator.js'

export type { Model, ModelConfig, ModelDelta, ModelReply, ModelRequest, ReplyPart } from './models/model.js'
export { compileEngine } from './sandbox/worker/compile.js'
export type { RemoteSandboxOptions }
export type { Sandbox, Script, ScriptOptions, ScriptTurn } from './sandbox/script.js'

const loadReader = async () => (await import('./sandbox/check/reader.js')).scriptReader
const loadStripper = async () => (await import('./sandbox/strip-types.js')).stripTypes

/** A sandbox in workers, with the check and TypeScript: `maxWorkers` scripts run or wait at a time. */
export const createScriptSandbox = (options: RemoteSandboxOptions): Sandbox =>
  withCheck(withTypeScript(createRemoteSandbox(options), loadStripper), loadReader, loadStripper)

/** What an agent worker is made of besides the platform: the providers it knows, each loaded when it is first asked for. */
export interface AgentWorkerParts {
  readonly providers: Readonly<Record<string, (config: ModelConfig) => Promise<Model>>>
  readonly createSandbox: () => Sandbox
}

/** Makes this worker the agent worker of the page that started it. */
export function startAgentWorker(parts: AgentWorkerParts): void {
  serveAgent((page) => serve(browser(parts), page))
}

const browser = ({ providers, createSandbox }: AgentWorkerParts): Platform => ({
  openStore: async (kind) => (kind === 'memory' ? createMemoryStore() : openIndexedDbStore()),
  async loadModel(config) {
    const load = Object.hasOwn(providers, config.provider) ? providers[config.provider] : undefined
    if (load) return load(config)
    const known = Object.keys(providers).join(', ')
    throw new HandrailError(
      'unknown_provider',
      `There is no provider "${config.provider}" in this worker; it has ${known}`,
    )
  },
  loadValidator,
  createSandbox,
  openChannel: (name) => new BroadcastChannel(name),
  locks: navigator.locks,
  storage: async () => {
    const { usage, quota } = await navigator.storage.estimate()
    return usage === undefined || quota === undefined ? undefined : { usage, quota }
  },
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  newSeed: () => crypto.getRandomValues(new Uint32Array(1))[0]!,
})
