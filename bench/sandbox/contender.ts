/** What a script may call. */
export type Tools = Readonly<Record<string, (input: never) => unknown>>

/** A script, as a function whose text is handed to the engines. It uses nothing but its argument and the language. */
export type Script = (tools: Record<string, (input: object) => Promise<never>>) => unknown

/** One way to run the body of an async function that calls `tools.NAME(input)` and returns JSON. */
export interface Contender {
  readonly name: string
  /** An isolate that nothing has run in, with these tools. */
  prepare(script: Script, tools: Tools): Promise<Prepared>
}

export interface Prepared {
  readonly run: () => Promise<unknown>
  /** Gives up what the script held. */
  readonly close: () => void
}

export const bodyOf = (script: Script): string => `return (${String(script)})(tools)`

/** Milliseconds from a script's call of `begin` to its result, without what the isolate takes. */
export async function timeOfRun(contender: Contender, script: Script, tools: Tools = {}): Promise<number> {
  let start = 0
  const begin = () => {
    start = performance.now()
    return null
  }
  const { run, close } = await contender.prepare(script, { ...tools, begin })
  await run()
  const milliseconds = performance.now() - start
  close()
  return milliseconds
}

/** Milliseconds from nothing to the result, an isolate. */
export async function timeOfAll(contender: Contender, script: Script, times: number): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < times; i++) {
    const { run, close } = await contender.prepare(script, {})
    await run()
    close()
  }
  return (performance.now() - start) / times
}

/** Milliseconds from the host having the value to the script having it, and back. */
export async function timeOfEcho(contender: Contender, value: unknown): Promise<{ in: number; out: number }> {
  let given = 0
  let taken = 0
  let told = 0
  const { run, close } = await contender.prepare(echo, {
    rows: () => {
      given = performance.now()
      return value
    },
    mark: () => {
      taken = performance.now()
      // The script goes on in a task of its own.
      return new Promise((resolve) => setTimeout(() => resolve((told = performance.now())), 0))
    },
  })
  await run()
  const out = performance.now() - told
  close()
  return { in: taken - given, out }
}

const echo: Script = async (tools) => {
  const value = await tools['rows']!({})
  await tools['mark']!({})
  return value
}
