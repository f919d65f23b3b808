import { agentParts } from 'handrail/agent-parts'
import { startAgentWorker } from 'handrail/worker'
import { disturbThisWorker } from './disturbed-worker.js'

disturbThisWorker()
startAgentWorker(agentParts)
