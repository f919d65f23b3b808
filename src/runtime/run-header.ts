import { modesOf } from '../core/modes.js'
import { logFormat, type RunHeader } from '../core/events.js'
import type { RunHead } from '../store/store.js'
import type { Agent } from './agent.js'
import type { RunModes, RunOptions } from './protocol.js'

/** All that a run depends on and that may be otherwise tomorrow. */
export function headerOf(
  agent: Agent,
  head: RunHead,
  options: Pick<RunOptions, keyof RunModes | 'toolChoice' | 'answer'>,
  previousRun?: string,
): RunHeader {
  const { toolChoice, answer } = options
  const { owner, locale, timeZone } = agent.setup
  return {
    format: logFormat,
    runId: head.runId,
    session: head.session,
    owner,
    ...(previousRun === undefined ? {} : { previousRun }),
    epoch: 1,
    model: agent.modelName,
    contextHash: agent.contextHash,
    ...(agent.setup.scripts && { engine: agent.sandbox.engine }),
    seed: agent.platform.newSeed(),
    locale,
    timeZone,
    budget: agent.budget,
    ...modesOf(options),
    ...(toolChoice ? { toolChoice } : {}),
    ...(answer ? { answer } : {}),
  }
}
