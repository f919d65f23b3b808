import { fileNote, type AttachedFile } from '../../core/attached-file.js'
import type { JsonObject } from '../../core/json.js'
import type { OpenAICapabilities } from './capabilities.js'

const image = /^image\/(png|jpeg|gif|webp)$/
const document =
  /^(text\/|application\/(pdf|json|xml|rtf|msword|yaml|x-yaml|javascript|typescript|vnd\.(ms-(excel|powerpoint|word)|openxmlformats-officedocument\.|oasis\.opendocument\.))|message\/rfc822$)/

/** A text and files as content. A file that the model does not take is told in words. */
export function toContent(
  text: string,
  files: readonly AttachedFile[] | undefined,
  can: OpenAICapabilities,
): string | JsonObject[] {
  if (!files?.length) return text
  const pieces = files.map((file) => toPiece(file, can))
  return [...(text.trim() === '' ? [] : [inputText(text)]), ...pieces]
}

const inputText = (text: string): JsonObject => ({ type: 'input_text', text })

function toPiece(file: AttachedFile, can: OpenAICapabilities): JsonObject {
  const { mediaType, name } = file
  if ('id' in file) return toKnown(file, can)
  const url = 'url' in file ? file.url : `data:${mediaType};base64,${file.data}`
  if (can.images && image.test(mediaType)) return { type: 'input_image', image_url: url, detail: 'auto' }
  if (!can.documents || !document.test(mediaType)) return inputText(fileNote(file))
  if ('url' in file) return { type: 'input_file', file_url: url }
  return { type: 'input_file', filename: name ?? unnamed(mediaType), file_data: url }
}

/** One that the provider has already. */
function toKnown(file: Extract<AttachedFile, { readonly id: string }>, can: OpenAICapabilities): JsonObject {
  const { mediaType, id: file_id, provider } = file
  if (provider !== 'openai') return inputText(fileNote(file))
  if (can.images && image.test(mediaType)) return { type: 'input_image', file_id, detail: 'auto' }
  return can.documents && document.test(mediaType) ? { type: 'input_file', file_id } : inputText(fileNote(file))
}

/** Some types are known by the end of the name only. */
const unnamed = (mediaType: string): string => {
  const [, end] = /^\w+\/(\w{2,5})$/.exec(mediaType) ?? []
  return end ? `file.${end}` : mediaType.startsWith('text/') ? 'file.txt' : 'file'
}
