import { trustedWorker } from '../src/client/trusted-worker.js'
import { compileEngine, createScriptSandbox, type AgentWorkerParts } from '../src/worker.js'

function spawnSandboxWorker(): Worker {
  try {
    return new Worker(new URL('./sandbox.worker.js', import.meta.url), { type: 'module', name: 'handrail-sandbox' })
  } catch (cause) {
    const Worker = trustedWorker('sandbox', cause)
    return new Worker(new URL('./sandbox.worker.js', import.meta.url), { type: 'module', name: 'handrail-sandbox' })
  }
}

/** What the agent worker is made of, for one of your own that has a provider more: `startAgentWorker({ ...agentParts, … })`. */
export const agentParts: AgentWorkerParts = {
  providers: {
    openai: async (config) => (await import('../src/models/openai/model.js')).createOpenAIModel(config),
    anthropic: async (config) => (await import('../src/models/anthropic/model.js')).createAnthropicModel(config),
    'openai-compatible': async (config) => (await import('../src/models/chat/model.js')).createChatModel(config),
    gemini: async (config) => (await import('../src/models/gemini/model.js')).loadGeminiModel(config),
  },
  createSandbox: () =>
    createScriptSandbox({
      spawn: spawnSandboxWorker,
      module: () => compileEngine(new URL('./quickjs.wasm', import.meta.url)),
    }),
}
