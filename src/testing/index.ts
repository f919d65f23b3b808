export { scriptedModel } from './scripted-model.js'
export type {
  ScriptedCall,
  ScriptedError,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedReply,
  ScriptedStep,
} from './scripted-model.js'
export { checkGate, type GateCheckOptions, type GateResult } from './check-gate.js'
export type { CaseCall, CaseOutcome, CaseTool, GateCase, GatePath, GateSource, Reaction } from './gate-case.js'
export { gateCases } from './gate-cases.js'
export { gatePaths, pageTools } from './gate-paths.js'
export { expectRun, type Expected, type RunExpectation } from './expect-run.js'
export { replay, type ReplayResult } from './replay.js'
export type { ReplayOptions } from './replay-options.js'
export type { RecordedRun } from './recording.js'
export type { Divergence } from './divergence.js'
export type { GenerateOptions, Model, ModelDelta, ModelReply, ModelRequest, ReplyPart } from '../models/model.js'
