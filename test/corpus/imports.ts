import { importAnthropic } from './import-anthropic.js'
import { importChat } from './import-chat.js'
import { importGemini } from './import-gemini.js'
import { importOpenAI } from './import-openai.js'
import type { Imported, RecordedRequest } from './import-pieces.js'
import type { Family } from './responses.js'

export const importRequest = (recorded: RecordedRequest): Imported => importers[recorded.family](recorded)

const importers: Readonly<Record<Family, (recorded: RecordedRequest) => Imported>> = {
  openai: importOpenAI,
  anthropic: importAnthropic,
  chat: importChat,
  gemini: importGemini,
}
