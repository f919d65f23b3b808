import type { Json } from 'handrail'

/** What could make a text look like another one. */
const unseen = /[\p{Bidi_Control}\u200b-\u200d\u2060\ufeff]/gu

/** All of it, as it will be executed: a text as it is, anything else as JSON. */
export const showInput = (input: Json): string =>
  (typeof input === 'string' ? input : JSON.stringify(input, null, 2)).replaceAll(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
