import type { OpenAI } from 'openai'
import type { Remark } from '../../core/events.js'
import type { ToolChoice } from '../../core/tool-definition.js'
import type { ModelConfig } from '../model.js'
import { isForModel } from '../offered.js'
import { textAt } from '../wire.js'
import type { OpenAICapabilities } from './capabilities.js'
import type { WireTools } from './tools.js'

type Body = OpenAI.Responses.ResponseCreateParamsStreaming
interface Chosen {
  readonly tool_choice?: Body['tool_choice']
  /** The API cannot be told so: the loop sees to it. */
  readonly remark?: Remark
}

/**
 * A subset goes out as `allowed_tools`, by which the tools stay the same bytes. What is deferred or in a namespace cannot be
 * named in a choice.
 */
export function toChoice(
  choice: ToolChoice | undefined,
  { tools, offered, runsPrograms }: WireTools,
  { hostedTools = [] }: ModelConfig,
  can: OpenAICapabilities,
): Chosen {
  if (!choice || tools.length === 0) return {}
  const { mode, tools: names } = choice
  if (mode === 'none') return { tool_choice: 'none' }
  if (mode === 'required' && !can.forcedChoice) return emulated(choice)
  if (!names) return mode === 'required' ? { tool_choice: 'required' } : {}
  const found = names.flatMap((name) => offered.get(name) ?? [])
  const direct = found.filter(({ definition }) => isForModel(definition))
  const isNameable = found.every(
    ({ isDeferred, isAdded, namespace }) => !isDeferred && !isAdded && namespace === undefined,
  )
  const remote = names.flatMap((name) => {
    const server = hostedTools.find(({ tool }) => name.startsWith(`${textAt(tool, 'server_label') || '?'}.`))
    const server_label = textAt(server?.tool, 'server_label')
    return server ? [{ type: 'mcp' as const, server_label, name: name.slice(server_label.length + 1) }] : []
  })
  const allowed = [
    ...found.map(({ type, name }) => ({ type, name })),
    ...remote,
    ...(runsPrograms && found.some(({ isForPrograms }) => isForPrograms)
      ? [{ type: 'programmatic_tool_calling' as const }]
      : []),
  ]
  if (mode === 'auto') {
    if (found.length + remote.length === 0) return { tool_choice: 'none' }
    return isNameable && can.allowedTools ? { tool_choice: { type: 'allowed_tools', mode, tools: allowed } } : {}
  }
  if (direct.length + remote.length === 0 || !isNameable) return emulated(choice)
  if (found.length + remote.length === 1)
    return { tool_choice: remote[0] ?? { type: direct[0]!.type, name: direct[0]!.name } }
  if (can.allowedTools) return { tool_choice: { type: 'allowed_tools', mode, tools: allowed } }
  return { tool_choice: 'required', ...emulated(choice) }
}

const emulated = ({ mode, tools = [] }: ToolChoice): Chosen => ({
  remark: { code: 'tool_choice_emulated', detail: { mode, tools: [...tools] } },
})
