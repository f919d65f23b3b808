/** A piece of content: what the model thinks, or what it says. */
export interface Spoken {
  readonly thinks: boolean
  readonly text: string
}

export interface ThinkTag {
  push(piece: string): Spoken[]
  /** What was held back. */
  end(): Spoken[]
}

const [opening, closing] = ['<think>', '</think>']

/** Tells apart what a model thinks at the beginning of its content, in tags that its server did not read, from what it says. */
export function createThinkTag(): ThinkTag {
  let state: 'before' | 'thinking' | 'after' | 'saying' = 'before'
  let held = ''

  const read = (): Spoken[] => {
    switch (state) {
      case 'before': {
        const begun = held.trimStart()
        if (begun.length < opening.length && opening.startsWith(begun)) return []
        state = begun.startsWith(opening) ? 'thinking' : 'saying'
        if (state === 'thinking') held = begun.slice(opening.length)
        return read()
      }
      case 'thinking': {
        const at = held.indexOf(closing)
        const text = at < 0 ? held.slice(0, held.length - startAtEnd(held)) : held.slice(0, at)
        held = held.slice(at < 0 ? text.length : at + closing.length)
        if (at >= 0) state = 'after'
        return [{ thinks: true, text }, ...(at < 0 ? [] : read())]
      }
      case 'after':
        held = held.trimStart()
        if (held === '') return []
        state = 'saying'
        return read()
      case 'saying': {
        const text = held
        held = ''
        return [{ thinks: false, text }]
      }
    }
  }
  return {
    push(piece) {
      held += piece
      return read()
    },
    end() {
      const text = held
      held = ''
      return [{ thinks: state === 'thinking', text }]
    },
  }
}

/** Characters at the end of a text with which the closing tag may begin. */
function startAtEnd(text: string): number {
  let length = Math.min(closing.length - 1, text.length)
  while (!text.endsWith(closing.slice(0, length))) length--
  return length
}
