import { HandrailError } from '../errors.js'

/** `doing` completes the sentence "Cannot ...". */
export const conflictWith = (doing: string, holds: string): HandrailError =>
  new HandrailError('store_conflict', `Cannot ${doing}: ${holds}`)

/** What went wrong in the platform, as one of the codes of a store. `doing` completes the sentence "Cannot ...". */
export function toStoreError(error: unknown, doing: string): HandrailError {
  if (HandrailError.is(error)) return error
  const cause = { cause: error }
  switch (error instanceof Error ? error.name : '') {
    case 'QuotaExceededError':
      return new HandrailError('store_full', `Cannot ${doing}: the storage quota of this origin is used up`, cause)
    case 'VersionError':
      return new HandrailError('store_outdated', `Cannot ${doing}: a newer version has upgraded it; reload`, cause)
    default:
      return new HandrailError('store_failed', `Cannot ${doing}: ${textOf(error)}`, cause)
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
