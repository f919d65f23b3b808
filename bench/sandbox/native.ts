import type { Contender } from './contender.js'

/** The limit: the same script as a function of the browser. Not shut in. */
export const native: Contender = {
  name: 'a native async function',
  async prepare(script, tools) {
    const asynchronous = Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, async (input: object) => tool(input as never) as never]),
    )
    return { run: async () => script(asynchronous), close: () => undefined }
  },
}
