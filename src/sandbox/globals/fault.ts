/** What a function of the host throws in the guest where JavaScript has no class for it: a DOMException of this name. */
export class Fault extends Error {
  constructor(
    override readonly name: string,
    message: string,
  ) {
    super(message)
  }
}
