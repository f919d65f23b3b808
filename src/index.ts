export { createAgent, type Agent } from './client/agent.js'
export type { AgentOptions, RunRequest } from './client/check-options.js'
export type { Approval, Run, RunUpdate } from './client/run.js'
export type { Session, SessionListener } from './client/session.js'

export { defineTool, type Tool, type ToolContext, type ToolFields } from './tools/tool.js'
export type { Schema } from './tools/schema.js'

export type {
  Model,
  ModelConfig,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ReplyPart,
  GenerateOptions,
  ScriptLimits,
  ScriptProgress,
  SessionHead,
} from './runtime/protocol.js'
export type { Message } from './core/transcript.js'

export { HandrailError, ToolError } from './errors.js'

export type { Failure, Outcome, RunEvent, RunOutcome, ToolCall, ToolResult } from './core/events.js'
export type { Json, JsonObject, JsonSchema } from './core/json.js'
export type { CallState, RunState } from './core/state.js'
export type { Risk, ToolDefinition } from './core/tool-definition.js'
export type { Budget, Usage } from './core/usage.js'
