import type { RunUpdate } from 'handrail'

/** What is shown of a reply while it comes. Nothing is decided by it. */
export interface Draft {
  readonly text: string
  /** The tool whose arguments are being written. */
  readonly toolName?: string
}

/** The draft after one more update: the message itself takes its place when it is in the log. */
export function streamed(draft: Draft | undefined, update: RunUpdate | undefined): Draft | undefined {
  if (update?.type === 'delta') {
    const { delta } = update
    if (delta.type === 'text') return { text: (draft?.text ?? '') + delta.text }
    return delta.type === 'call' ? { text: draft?.text ?? '', toolName: delta.toolName } : (draft ?? { text: '' })
  }
  if (update?.type !== 'event') return draft
  if (update.event.type === 'step-start' || update.event.type === 'assistant-message') return undefined
  return draft
}
