import { isJsonObject, type Json } from './json.js'

/** An image or another file, as a model is given it. */
export type AttachedFile = {
  /** As in `image/png`. */
  readonly mediaType: string
  readonly name?: string
} & (
  | { /** Its bytes in Base64. */ readonly data: string }
  | { /** Where the provider gets it: http or https. */ readonly url: string }
  | { /** What the provider calls it, which has it already. */ readonly id: string; readonly provider: string }
)

/** What stands for a file where it cannot be shown. */
export function fileNote(file: AttachedFile): string {
  const where =
    'data' in file ? `${bytesIn(file.data)} bytes` : 'url' in file ? file.url : `${file.id} of ${file.provider}`
  return `[file${file.name === undefined ? '' : ` ${JSON.stringify(file.name)}`}: ${file.mediaType}, ${where}]`
}

export function isAttachedFile(value: Json | undefined): boolean {
  if (!isJsonObject(value) || typeof value.mediaType !== 'string' || !/^\w+\/[\w.+-]+$/.test(value.mediaType))
    return false
  const { name, data, url, id, provider } = value
  if (name !== undefined && typeof name !== 'string') return false
  if (id !== undefined || provider !== undefined)
    return data === undefined && url === undefined && isName(id) && isName(provider)
  if (data !== undefined) return url === undefined && typeof data === 'string' && /^[\w+/]+={0,2}$/.test(data)
  return typeof url === 'string' && /^https?:\/\//.test(url)
}

const isName = (value: Json | undefined): boolean => typeof value === 'string' && value.trim() !== ''

const bytesIn = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
