export { createAgent, type Agent } from './client/agent.js'
export type { Amount, PruneOptions } from './client/prune.js'
export type { AgentOptions, RunRequest } from './client/check-options.js'
export type { Approval, ApproveOptions, DenyOptions, FailedCall } from './client/answers.js'
export type { Run, RunUpdate } from './client/run.js'
export type { AnswerOf, Session, SessionListener } from './client/session.js'

export { defineTool, type Tool, type ToolContext, type ToolFields } from './tools/tool.js'
export type { CheckContext, CheckResult } from './tools/tool.js'
export type { Schema } from './tools/schema.js'
export type { GuardedCall, GuardedInput, GuardedOutput, Guardrail, Guardrails } from './client/guardrails.js'

export type {
  Effort,
  HostedTool,
  Model,
  ModelConfig,
  ModelDelta,
  ModelReply,
  ModelRequest,
  GrantRequest,
  Policy,
  Pruned,
  Retention,
  ReplyPart,
  GenerateOptions,
  ScriptLimits,
  ScriptProgress,
  SessionHead,
} from './runtime/protocol.js'
export type { Message } from './core/transcript.js'

export { HandrailError, ToolError } from './errors.js'

export { fileNote, type AttachedFile } from './core/attached-file.js'
export { resultText, type ToldResult } from './core/framed.js'
export type {
  Failure,
  FinishReason,
  Outcome,
  Part,
  Remark,
  RunEvent,
  RunOutcome,
  ToolCall,
  ToolResult,
} from './core/events.js'
export type { Json, JsonObject, JsonSchema } from './core/json.js'
export type { RunState } from './core/state.js'
export {
  audit,
  type AnswerAudit,
  type Audit,
  type CallAudit,
  type DecisionAudit,
  type ReconciledAudit,
  type ResultAudit,
  type RunAudit,
  type StartAudit,
} from './core/audit.js'
export type { CallState } from './core/call-state.js'
export type { AskDetail, Grant, Repeated, RunModes, Source } from './core/approval.js'
export type { AnswerFormat, Caller, Grammar, Risk, ToolChoice, ToolDefinition } from './core/tool-definition.js'
export type { Budget, Usage } from './core/usage.js'
