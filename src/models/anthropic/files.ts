import { fileNote, type AttachedFile } from '../../core/attached-file.js'
import type { JsonObject } from '../../core/json.js'
import type { AnthropicCapabilities } from './capabilities.js'

const images = /^image\/(jpeg|png|gif|webp)$/
const texts = /^(text\/|application\/(.+\+)?(json|xml)$)/

/** A file as the model is given it; one of a kind that it does not take is named. */
export function toFileBlock(file: AttachedFile, can: Pick<AnthropicCapabilities, 'documents'>): JsonObject {
  const { mediaType, name } = file
  const titled: JsonObject = name === undefined ? {} : { title: name }
  const source: JsonObject =
    'url' in file ? { type: 'url', url: file.url } : { type: 'base64', media_type: mediaType, data: file.data }
  if (images.test(mediaType)) return { type: 'image', source }
  if (can.documents && mediaType === 'application/pdf') return { type: 'document', source, ...titled }
  const text = can.documents && 'data' in file && texts.test(mediaType) ? textOf(file.data) : ''
  if (text.trim() === '') return { type: 'text', text: fileNote(file) }
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...titled }
}

/** Nothing when it is no UTF-8. */
function textOf(data: string): string {
  try {
    const bytes = Uint8Array.from(atob(data), (byte) => byte.codePointAt(0)!)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return ''
  }
}
