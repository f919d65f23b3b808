import { trustedWorker } from '../src/client/trusted-worker.js'
import { withCheck } from '../src/sandbox/check.js'
import { compileEngine } from '../src/sandbox/worker/compile.js'
import { createRemoteSandbox } from '../src/sandbox/worker/remote.js'
import { withTypeScript } from '../src/sandbox/typescript.js'
import { startAgentWorker } from '../src/worker.js'

const loadReader = async () => (await import('../src/sandbox/check/reader.js')).scriptReader
const loadStripper = async () => (await import('../src/sandbox/strip-types.js')).stripTypes

function spawnSandboxWorker(): Worker {
  try {
    return new Worker(new URL('./sandbox.worker.js', import.meta.url), { type: 'module', name: 'handrail-sandbox' })
  } catch (cause) {
    const Worker = trustedWorker('sandbox', cause)
    return new Worker(new URL('./sandbox.worker.js', import.meta.url), { type: 'module', name: 'handrail-sandbox' })
  }
}

startAgentWorker({
  providers: {
    openai: async (config) => (await import('../src/models/openai/model.js')).createOpenAIModel(config),
    anthropic: async (config) => (await import('../src/models/anthropic/model.js')).createAnthropicModel(config),
    'openai-compatible': async (config) => (await import('../src/models/chat/model.js')).createChatModel(config),
    gemini: async (config) => (await import('../src/models/gemini/model.js')).loadGeminiModel(config),
  },
  createSandbox: () => {
    const sandbox = createRemoteSandbox({
      spawn: spawnSandboxWorker,
      module: () => compileEngine(new URL('./quickjs.wasm', import.meta.url)),
    })
    return withCheck(withTypeScript(sandbox, loadStripper), loadReader, loadStripper)
  },
})
