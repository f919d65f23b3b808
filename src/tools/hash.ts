import { sha256 as digest } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * SHA-256 of a text, in hex. Not by `crypto.subtle`: that crosses to another thread and back, which at two hashes a call is
 * most of what the gate takes.
 */
export const sha256 = (text: string): string => bytesToHex(digest(utf8ToBytes(text)))
