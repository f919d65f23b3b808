import variant from '@jitl/quickjs-ng-wasmfile-release-sync'
import { loadQuickJs } from '@sebastianwessel/quickjs'
import { bodyOf, type Contender } from './contender.js'

const loaded = loadQuickJs(variant)

/** As its README does it: loaded once, a sandbox for each script, which is a module; what it may call is in `env`. */
export const sebastianwessel: Contender = {
  name: '@sebastianwessel/quickjs as in its README',
  async prepare(script, tools) {
    const { runSandboxed } = await loaded
    const env = Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, async (input: unknown) => tool(input as never)]),
    )
    const code = `const tools = env\nexport default await (async () => {${bodyOf(script)}\n})()`
    return {
      async run() {
        const result = await runSandboxed(async ({ evalCode }) => evalCode(code), { env })
        if (!result.ok) throw new Error(result.error.message)
        return result.data as unknown
      },
      close: () => undefined,
    }
  },
}
