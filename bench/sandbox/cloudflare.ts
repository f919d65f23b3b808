import { IframeSandboxExecutor } from '@cloudflare/codemode/browser'
import { bodyOf, type Contender } from './contender.js'

const executor = new IframeSandboxExecutor()

/** As its README does it: a frame for each script, a message for each call. Only a page has it. */
export const cloudflare: Contender = {
  name: "Cloudflare's iframe executor",
  async prepare(script, tools) {
    const fns = Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, async (input: unknown) => tool(input as never)]),
    )
    return {
      async run() {
        const { result, error } = await executor.execute(`async () => { ${bodyOf(script)} }`, [{ name: 'tools', fns }])
        if (error !== undefined) throw new Error(error)
        return result
      },
      close: () => undefined,
    }
  },
}
