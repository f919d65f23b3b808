/** What the platform throws where the language has no class for it. */
export const exception = `kit => {
const { own, Error, Symbol: { toStringTag } } = kit
const codes = { __proto__: null, InvalidCharacterError: 5, DataCloneError: 25, QuotaExceededError: 22, TypeMismatchError: 17, AbortError: 20, TimeoutError: 23, NotSupportedError: 9, SyntaxError: 12 }
class DOMException extends Error {
  constructor(message = '', name = 'Error') {
    super(message)
    const text = kit.String(name)
    // Data, for what reads errors without calling their getters.
    own(this, 'name', text, false)
    own(this, 'code', codes[text] ?? 0, false)
  }
}
own(DOMException.prototype, toStringTag, 'DOMException', false)
const make = (message, name) => new DOMException(message, name)
return { __proto__: null, DOMException, make }
}`
