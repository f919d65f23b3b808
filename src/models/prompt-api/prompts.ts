import {
  fileNote,
  resultText,
  type AttachedFile,
  type Message,
  type Model,
  type ModelRequest,
  type Part,
  type ToolDefinition,
} from '../../index.js'
import { toldTools } from './constraint.js'
import type { Prompt } from './language-model.js'

/** The same for all requests of a session: what is told of tools does not depend on which of them may be called now. */
export function toSystemPrompt(request: ModelRequest): Prompt {
  const tools = toldTools(request)
  const forms = ['{"answer": …} says something to the user, and ends your turn']
  if (tools.length > 0) forms.push('{"tool": NAME, "input": …} calls a tool; you are given its result, and go on')
  const sections = [
    request.instructions.trim(),
    `You write one JSON object at a time:\n${forms.map((form) => `- ${form}`).join('\n')}`,
    tools.length > 0 ? `Your tools:\n${tools.map(described).join('\n')}` : '',
  ]
  return { role: 'system', content: sections.filter((section) => section !== '').join('\n\n') }
}

function described({ name, description, input, grammar }: ToolDefinition): string {
  const rule = grammar ? ` The input must match this ${grammar.syntax}: ${grammar.definition}` : ''
  return `- ${name}: ${description} Input: ${JSON.stringify(input)}${rule}`
}

/**
 * The transcript as the browser takes it. The next request of the session begins with the same prompts, so that only what is
 * new has to be read.
 */
export const toPrompts = (messages: readonly Message[], self: Origin): readonly Prompt[] =>
  messages.flatMap((message) => promptsOf(message, self))

type Origin = Pick<Model, 'provider' | 'model'>

function promptsOf(message: Message, self: Origin): Prompt[] {
  switch (message.role) {
    case 'user':
      return [user(withFiles(message.text, message.files))]
    case 'instructions':
      return [user(`From now on these instructions hold, too:\n${message.text}`)]
    case 'assistant': {
      const { provider, model } = message.origin
      const isOwn = provider === self.provider && model === self.model
      return message.parts.flatMap((part) => {
        if (isOwn && typeof part.native === 'string') return [{ role: 'assistant', content: part.native }]
        const form = formOf(part, message)
        return form === undefined ? [] : [{ role: 'assistant', content: JSON.stringify(form) }]
      })
    }
    case 'tool': {
      const { call, outcome, text, files } = message
      const what = outcome === 'ok' ? 'returned' : `did not succeed (${outcome})`
      return [user(`The tool ${call.toolName} ${what}:\n${resultText({ ...message, text: withFiles(text, files) })}`)]
    }
    case 'news':
    case 'note':
      return [user(message.text)]
  }
}

const user = (content: string): Prompt => ({ role: 'user', content })

/** Of another model, or of this one where it was cut: in the form in which this one would have said it. */
function formOf(part: Part, { calls }: Message & { role: 'assistant' }): object | undefined {
  if (part.type === 'text' || part.type === 'refusal')
    return part.text.trim() === '' ? undefined : { answer: part.text }
  if (part.type !== 'call') return undefined
  const call = calls.find(({ callId }) => callId === part.callId)
  return call && { tool: call.toolName, input: call.input ?? call.inputText ?? {} }
}

/** The browser is asked for text alone. */
const withFiles = (text: string, files: readonly AttachedFile[] = []): string =>
  [text, ...files.map(fileNote)].join('\n')
