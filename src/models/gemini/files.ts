import { fileNote, type AttachedFile } from '../../core/attached-file.js'
import type { JsonObject } from '../../core/json.js'

/** What every model of the API takes. */
const media = /^(image\/(png|jpe?g|webp|hei[cf])|audio\/.+|video\/.+|application\/pdf|text\/.+)$/
/** What it takes inside of a result. */
const inResults = /^(image\/(png|jpe?g|webp)|application\/pdf|text\/plain)$/

/** A file of the provider's own is one of a URL. */
type SentFile = Exclude<AttachedFile, { readonly id: string }>
const isSent = (file: AttachedFile): file is SentFile => !('id' in file) && media.test(file.mediaType)

/** A file as a part, or a note of it. */
export const toFilePart = (file: AttachedFile): JsonObject => (isSent(file) ? toData(file) : { text: fileNote(file) })

const toData = (file: SentFile): JsonObject => {
  const { mediaType: mimeType } = file
  return 'data' in file ? { inlineData: { mimeType, data: file.data } } : { fileData: { mimeType, fileUri: file.url } }
}

/** The files of a result that go into it, and those that come after all results. A note of each is in the text of its result. */
export function resultFiles(
  files: readonly AttachedFile[],
  canHold: boolean,
): { readonly inside: JsonObject[]; readonly after: JsonObject[] } {
  const isInside = ({ mediaType }: AttachedFile) => canHold && inResults.test(mediaType)
  return {
    inside: files.filter(isSent).filter(isInside).map(toData),
    after: files
      .filter(isSent)
      .filter((file) => !isInside(file))
      .map(toData),
  }
}
