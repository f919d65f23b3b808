export { scriptedModel } from './scripted-model.js'
export type {
  ScriptedCall,
  ScriptedError,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedReply,
  ScriptedStep,
} from './scripted-model.js'
export type { GenerateOptions, Model, ModelDelta, ModelReply, ModelRequest, ReplyPart } from '../models/model.js'
