/** The tool by which the model runs a script. */
export const scriptToolName = 'run_script'

/**
 * Calls that every script can make without a tool: they are numbered, logged and replayed as tool calls are. A dot is in no
 * tool's name.
 */
export const builtInNames = ['script.sleep', 'script.search', 'script.describe', 'script.results'] as const
export type BuiltInName = (typeof builtInNames)[number]

export const isBuiltIn = (name: string): name is BuiltInName => (builtInNames as readonly string[]).includes(name)
