import type { Effect } from '../core/next.js'
import { advanceScript } from './advance-script.js'
import { callModel } from './call-model.js'
import { checkAnswer } from './check-answer.js'
import { decideTool } from './decide-tool.js'
import type { Perform } from './drive.js'
import { endRun } from './end-run.js'
import { executeTool } from './execute-tool.js'
import type { RunPorts } from './ports.js'
import { reconcileTool } from './reconcile-tool.js'
import { settleTool } from './settle-tool.js'
import { startStep } from './start-step.js'
import { startTool } from './start-tool.js'

/** Each effect against the outside world. One file an effect; each answers with the one event that came of it. */
export const performWith =
  (ports: RunPorts): Perform =>
  async (effect: Effect, signal) => {
    switch (effect.type) {
      case 'start-step':
        return startStep(ports, effect, signal)
      case 'call-model':
        return callModel(ports, effect, signal)
      case 'check-answer':
        return checkAnswer(ports, effect)
      case 'decide-tool':
        return decideTool(ports, effect)
      case 'start-tool':
        return startTool(ports, effect)
      case 'execute-tool':
        return executeTool(ports, effect, signal)
      case 'reconcile-tool':
        return reconcileTool(ports, effect, signal)
      case 'advance-script':
        return advanceScript(ports, effect, signal)
      case 'settle-tool':
        return settleTool(ports, effect)
      case 'end-run':
        return endRun(ports, effect)
    }
  }
