import { startAgentWorker } from '../src/worker.js'
import { agentParts } from './agent-parts.js'

startAgentWorker(agentParts)
