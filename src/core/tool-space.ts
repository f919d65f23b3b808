/** A tool's name as a script may read it: `github__list` is `list` of `github`. */
export interface SpacedName {
  readonly space: string
  readonly name: string
}

/** The first `__` splits; a name that begins or ends with it is of no namespace. */
export function spacedName(toolName: string): SpacedName | undefined {
  const [, space, name] = /^(?!__)(.+?)__(.+)$/s.exec(toolName) ?? []
  return space === undefined || name === undefined ? undefined : { space, name }
}
