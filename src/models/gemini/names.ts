import { legalName } from '../history.js'

/** A name that Gemini takes: it may not begin with a digit or a dash. */
export const geminiName = (name: string): string =>
  legalName(name)
    .replace(/^[^a-zA-Z_]/, '_$&')
    .slice(0, 64)
