import { isJsonObject, type Json } from './json.js'

/** An image or another file, as a model is given it. */
export type AttachedFile = {
  /** As in `image/png`. */
  readonly mediaType: string
  readonly name?: string
} & (
  | { /** Its bytes in Base64, with its padding. */ readonly data: string }
  | { /** Where the provider gets it: http or https. */ readonly url: string }
  | { /** What the provider calls it, which has it already. */ readonly id: string; readonly provider: string }
)

/** Characters of a name that a model is told. */
const longestName = 120
/** What ends a line, or turns what follows around. */
const unruly = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** What stands for a file where it cannot be shown. A name is from whoever made the file: it stays within its quotes. */
export function fileNote(file: AttachedFile): string {
  const where =
    'data' in file ? `${bytesIn(file.data)} bytes` : 'url' in file ? file.url : `${file.id} of ${file.provider}`
  const name = file.name === undefined ? '' : ` ${JSON.stringify(shownName(file.name))}`
  return `[file${name}: ${file.mediaType}, ${where}]`
}

const shownName = (name: string): string => {
  const clean = name.replaceAll(unruly, '\ufffd')
  return clean.length <= longestName ? clean : `${clean.slice(0, longestName)}…`
}

export function isAttachedFile(value: Json | undefined): boolean {
  if (!isJsonObject(value) || typeof value.mediaType !== 'string' || !mediaTypePattern.test(value.mediaType))
    return false
  const { name, data, url, id, provider } = value
  if (name !== undefined && typeof name !== 'string') return false
  if (id !== undefined || provider !== undefined)
    return data === undefined && url === undefined && isName(id) && isName(provider)
  if (data !== undefined) return url === undefined && typeof data === 'string' && isBase64(data)
  return isName(url) && /^https?:\/\//.test(url) && URL.canParse(url)
}

const mediaTypePattern = /^[\w-]{1,64}\/[\w.+-]{1,128}$/

const isBase64 = (data: string): boolean => data.length % 4 === 0 && /^[A-Za-z\d+/]+={0,2}$/.test(data)

/** One word: it stands in a note without quotes. */
const isName = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^[^\p{C}\p{Z}]+$/u.test(value)

const bytesIn = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
