import { fileNote, type AttachedFile } from '../../core/attached-file.js'
import type { JsonObject } from '../../core/json.js'
import type { ChatCapabilities } from './capabilities.js'

export type Content = string | readonly JsonObject[]

/** Blank content is refused by some servers. */
export const said = (text: string): string => (text.trim() === '' ? '(no text)' : text)

/** What the user says, with each file as the server takes it, or as a note. */
export function toContent(text: string, files: readonly AttachedFile[] = [], can: ChatCapabilities): Content {
  const texts = text.trim() === '' && files.length > 0 ? [] : [said(text)]
  const parts = files.map((file) => toFilePart(file, can) ?? fileNote(file))
  const all = [...texts, ...parts]
  return all.every((part) => typeof part === 'string') ? all.join('\n\n') : all.map(toPart)
}

/** Two contents as one. */
export const joined = (a: Content, b: Content): Content =>
  typeof a === 'string' && typeof b === 'string' ? `${a}\n\n${b}` : [...partsOf(a), ...partsOf(b)]

const partsOf = (content: Content): readonly JsonObject[] => (typeof content === 'string' ? [toPart(content)] : content)

const toPart = (part: JsonObject | string): JsonObject =>
  typeof part === 'string' ? { type: 'text', text: part } : part

/** The results of calls are text: their files come after them, from the user. A note of each is in the text of its result. */
export function toResultFiles(
  toolName: string,
  files: readonly AttachedFile[],
  can: ChatCapabilities,
): readonly JsonObject[] {
  const parts = files.map((file) => toFilePart(file, can)).filter((part) => part !== undefined)
  return parts.length === 0 ? [] : [toPart(`From the result of ${toolName}:`), ...parts]
}

/** Undefined where the server is not known to take it. */
function toFilePart(file: AttachedFile, can: ChatCapabilities): JsonObject | undefined {
  if ('id' in file) {
    const takes = can.files === 'file' && file.provider === 'openai' && !file.mediaType.startsWith('image/')
    return takes ? { type: 'file', file: { file_id: file.id } } : undefined
  }
  const { mediaType, name } = file
  const url = 'data' in file ? `data:${mediaType};base64,${file.data}` : file.url
  if (/^image\/(png|jpe?g|webp|gif)$/.test(mediaType)) {
    const takes = can.images === 'any' || (can.images === 'bytes' && 'data' in file)
    return takes ? { type: 'image_url', image_url: { url } } : undefined
  }
  if (mediaType === 'application/pdf') {
    if (can.files === 'document_url') return { type: 'document_url', document_url: url }
    const takes = can.files === 'file, any' || (can.files === 'file' && 'data' in file)
    return takes ? { type: 'file', file: { filename: name ?? 'file.pdf', file_data: url } } : undefined
  }
  if (mediaType.startsWith('video/')) return can.video ? { type: 'video_url', video_url: { url } } : undefined
  const format = audioFormats[mediaType]
  if (format && can.audio && 'data' in file) return { type: 'input_audio', input_audio: { data: file.data, format } }
  return undefined
}

const audioFormats: Readonly<Record<string, string>> = {
  __proto__: null as never,
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}
