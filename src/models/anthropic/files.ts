import { fileNote, type AttachedFile } from '../../core/attached-file.js'
import type { JsonObject } from '../../core/json.js'
import type { AnthropicCapabilities } from './capabilities.js'

const images = /^image\/(jpeg|png|gif|webp)$/
const texts = /^(text\/|application\/(.+\+)?(json|xml)$)/

type Documents = Pick<AnthropicCapabilities, 'documents'>

/**
 * A file as the model is given it; one of a kind that it does not take is named.
 * @param runs whether there are programs, which can read what the model cannot
 */
export function toFileBlock(file: AttachedFile, can: Documents, runs = false): JsonObject {
  const { mediaType, name } = file
  if ('id' in file) return toKnown(file, can, runs)
  const titled: JsonObject = name === undefined ? {} : { title: name }
  const source: JsonObject =
    'url' in file ? { type: 'url', url: file.url } : { type: 'base64', media_type: mediaType, data: file.data }
  if (images.test(mediaType)) return { type: 'image', source }
  if (can.documents && mediaType === 'application/pdf') return { type: 'document', source, ...titled }
  const text = can.documents && 'data' in file && texts.test(mediaType) ? textOf(file.data) : ''
  if (text.trim() === '') return { type: 'text', text: fileNote(file) }
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...titled }
}

/** One that the provider has already. */
function toKnown(file: Extract<AttachedFile, { readonly id: string }>, can: Documents, runs: boolean): JsonObject {
  const { mediaType, name, id: file_id, provider } = file
  if (provider !== 'anthropic') return { type: 'text', text: fileNote(file) }
  const source = { type: 'file', file_id }
  if (images.test(mediaType)) return { type: 'image', source }
  const isDocument = can.documents && /^(application\/pdf|text\/plain)$/.test(mediaType)
  if (isDocument) return { type: 'document', source, ...(name !== undefined && { title: name }) }
  return runs ? { type: 'container_upload', file_id } : { type: 'text', text: fileNote(file) }
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
