/** A place in a text, and what encloses it there. */
export interface Place {
  index: number
  fence: string
  ticks: string
  thinking: boolean
}

export const startOfText = (): Place => ({ index: 0, fence: '', ticks: '', thinking: false })

const opener =
  /<tool_call>\s*[{<]|<tools>\s*[{[]|<function=[^<>\s]+>|\[TOOL_REQUEST\]\s*\{|<\|python_tag\|>\s*[{<]|\[TOOL_CALLS\]\s*[{[]/
const token = new RegExp(String.raw`^[ \t]*(?:${'`{3,}'}|~{3,})|\n|${'`+'}|<\/?think>|${opener.source}`, 'gm')

/**
 * Moves on to where a call may begin, or to `end`. Examples in code and what a model thinks are passed over.
 * @returns the index, or undefined when there is none before `end`
 */
export function nextOpener(text: string, place: Place, end = text.length): number | undefined {
  token.lastIndex = place.index
  for (let match = token.exec(text); match && match.index < end; match = token.exec(text)) {
    const [found] = match
    place.index = token.lastIndex
    if (isOpener(found)) {
      if (!place.fence && !place.ticks && !place.thinking) return (place.index = match.index)
      place.index = token.lastIndex = match.index + 1
    } else enclose(place, found, match.index === 0 || text[match.index - 1] === '\n')
  }
  place.index = Math.max(place.index, end)
  return undefined
}

const isOpener = (found: string): boolean => /^[<[]/.test(found) && !/^<\/?think>$/.test(found)

function enclose(place: Place, found: string, startsLine: boolean): void {
  const mark = found.replace(/^[ \t]+/, '')
  if (mark === '\n') place.ticks = ''
  else if (mark === '<think>') place.thinking ||= !place.fence && !place.ticks
  else if (mark === '</think>') place.thinking = false
  else if (place.thinking) return
  else if (place.fence) {
    if (startsLine && mark.startsWith(place.fence)) place.fence = ''
  } else if (place.ticks) {
    if (mark === place.ticks) place.ticks = ''
  } else if (startsLine && mark.length >= 3) place.fence = mark
  else place.ticks = mark
}

/** What may be the first part of a token, when more text comes. */
const unsure = /(?:^|\n)[ \t]*[`~]*$|`+$|<[/|]?\w*(?:=[^<>\s]*|\|)?$|<\|?\w+\|?>\s*$|\[[A-Z_]*\]?\s*$/
/** No token is longer, so what is held back is not either. */
const longest = 256

/** Lets a growing text through as long as no call may begin in it: what follows then is known at its end. */
export function createTagWatch(): { pass(piece: string): string } {
  const place = startOfText()
  /** What was not let through yet, behind the last character before it. */
  let held = ''
  let before = '\n'
  let isOpen = false
  return {
    pass(piece) {
      if (isOpen) return ''
      held += piece
      const tail = unsure.exec(held.slice(-longest))?.[0].length ?? 0
      place.index = 1
      const end = held.length - (tail < longest ? tail : 0)
      const text = before + held
      const open = nextOpener(text, place, end + 1)
      isOpen = open !== undefined
      const passed = text.slice(1, open ?? end + 1)
      held = held.slice(passed.length)
      before = passed.at(-1) ?? before
      return passed
    },
  }
}
