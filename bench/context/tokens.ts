import { encode } from 'gpt-tokenizer/encoding/o200k_base'

/** Exactly as many as OpenAI's models since GPT-4o make of it. */
export const tokensOf = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length
