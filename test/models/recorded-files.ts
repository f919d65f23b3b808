/** The media type of a URL, by what it says itself. */
export function mediaTypeOf(url: string, otherwise: string): string {
  const said = /^data:([^;,]+)/.exec(url)?.[1]
  if (said) return said
  const ending = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''
  return endings[ending] ?? otherwise
}

export const dataOf = (url: string): string => url.slice(url.indexOf(',') + 1)

const endings: Readonly<Record<string, string>> = {
  __proto__: null as never,
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  webm: 'video/webm',
}
