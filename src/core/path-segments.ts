import type { ValuePath } from './tool-definition.js'

/** The segments of a path. @throws {SyntaxError} if it is no JSON Pointer (RFC 6901). */
export function segmentsOf(path: ValuePath): readonly string[] {
  if (path === '') return []
  if (!path.startsWith('/')) throw new SyntaxError('must be empty, or begin with "/"')
  if (/~(?![01])/.test(path)) throw new SyntaxError('must have "~0" for "~" and "~1" for "/"')
  return path
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
