/** The base URL as an SDK takes it. One that begins with a slash is on the page's own server. */
export function absoluteUrl(baseURL: string | undefined): string | null {
  if (baseURL === undefined) return null
  return baseURL.startsWith('/') ? `${globalThis.location?.origin ?? ''}${baseURL}` : baseURL
}

/** Milliseconds to the first byte of an answer. */
export const timeout = 120_000
/** An SDK demands a key; a proxy puts its own in. */
export const placeholderKey = 'none'
