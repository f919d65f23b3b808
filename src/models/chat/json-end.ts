/** Finds the end of an object or array that comes in pieces, without reading it twice. */
export interface JsonEnd {
  depth: number
  inString: boolean
  escaped: boolean
  isWhole: boolean
}

export const startOfJson = (): JsonEnd => ({ depth: 0, inString: false, escaped: false, isWhole: false })

/** @returns the index behind the end, when it is in this piece, or the length of the text */
export function readOn(state: JsonEnd, text: string, from = 0): number {
  for (let at = from; at < text.length && !state.isWhole; at++) {
    const character = text[at]
    if (state.escaped) state.escaped = false
    else if (state.inString && character === '\\') state.escaped = true
    else if (character === '"') state.inString = !state.inString
    else if (state.inString) continue
    else if (character === '{' || character === '[') state.depth++
    else if (character === '}' || character === ']') state.isWhole = --state.depth === 0
    if (state.isWhole) return at + 1
  }
  return text.length
}
