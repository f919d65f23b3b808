import type { AssistantMessage, RunHeader, ToolCall } from './events.js'

/** Nothing about it is in doubt: it says something, it is whole, and the run demands nothing of it. */
export function isPlainAnswer(
  { header, owesCall }: { readonly header?: RunHeader; readonly owesCall: boolean },
  { parts, finish }: AssistantMessage,
): boolean {
  if (owesCall || header?.answer || finish === 'length' || finish === 'context') return false
  return parts.some((part) => {
    // What the provider made itself, such as an image, is in no text.
    if (part.type === 'other') return true
    return (part.type === 'text' || part.type === 'refusal') && part.text.trim() !== ''
  })
}

/** Whether it is a call that the run's tool choice names. */
export const isDemanded = (header: RunHeader | undefined, { toolName }: ToolCall): boolean =>
  header?.toolChoice?.tools?.includes(toolName) ?? true
