// What the fragments of the pages take for granted.
import type * as handrail from 'handrail'

declare global {
  const createAgent: typeof handrail.createAgent
  const defineTool: typeof handrail.defineTool
  /** The rest of the options. */
  const app: Omit<handrail.AgentOptions, 'model'>
  const agent: handrail.Agent
  const run: handrail.Run
  function showLine(line: number | undefined): void
}
