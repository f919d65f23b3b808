import { canonicalJson, type Json, type JsonObject } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { changedAt, segmentsOf, valuesAt } from '../core/value-path.js'
import { ToolError } from '../errors.js'

/** Characters from which a secret is looked for everywhere. A shorter one is hidden at its path only. */
const shortest = 4
const reference = /secret:[0-9a-f]{8}-[0-9a-f-]{27}/g

/** What the page alone knows: the values that references stand for, as long as the page lives. */
export class Secrets {
  /** By reference. */
  readonly #values = new Map<string, Json>()
  /** By the value, so that one secret has one reference. */
  readonly #references = new Map<string, string>()
  /** References, by the texts that give a secret away. */
  readonly #texts = new Map<string, string>()
  #pattern: RegExp | undefined

  /** A tool's output as it may leave the page. */
  hideOutput(output: Json, { secret }: ToolDefinition): Json {
    // What is within a secret goes with it.
    const outermost = (secret?.output ?? []).toSorted((a, b) => segmentsOf(a).length - segmentsOf(b).length)
    const replaced = outermost.reduce((made, path) => changedAt(made, path, (value) => this.#refer(value)), output)
    return this.hide(replaced)
  }

  /** Fields that the app filled: what is secret in them is the same reference every time, so that no hash changes with it. */
  hideFilled(filled: JsonObject, { secret }: ToolDefinition): JsonObject {
    let hidden: Json = filled
    const places = (secret?.input ?? []).flatMap((path) => valuesAt(filled, path))
    for (const { path, value } of places) this.#learn(value, ofHostField(path))
    hidden = this.hide(hidden)
    for (const { path } of places) hidden = changedAt(hidden, path, () => ofHostField(path))
    return hidden as JsonObject
  }

  /** A copy without anything that is known to be secret, in the names of fields too. */
  hide(value: Json): Json {
    if (this.#texts.size === 0) return value
    if (typeof value === 'string') return this.#hiddenText(value)
    if (typeof value === 'number') return this.#texts.get(String(value)) ?? value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item: Json) => this.hide(item))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [this.#hiddenText(name), this.hide(inner as Json)]),
    )
  }

  /**
   * The input with the values in place of the references, where the tool expects secrets.
   * @param filled the fields that the app fills, with their values
   * @throws {ToolError} `secret_gone`
   */
  resolve(input: Json, { secret }: ToolDefinition, filled: JsonObject): Json {
    return (secret?.input ?? []).reduce((resolved, path) => {
      const hosts = new Map(valuesAt(filled, path).map((place) => [ofHostField(place.path), place.value]))
      for (const [as, value] of hosts) this.#learn(value, as)
      return changedAt(resolved, path, (value) => {
        if (typeof value !== 'string' || !value.startsWith('secret:')) return value
        return hosts.has(value) ? hosts.get(value)! : this.#valueOf(value, path)
      })
    }, input)
  }

  #valueOf(value: string, path: string): Json {
    const known = this.#values.get(value)
    if (known !== undefined) return known
    throw new ToolError(
      'secret_gone',
      `Nothing was done: this page does not know the secret at ${path} any more. Call the tool that returned it again, and pass on the new reference`,
    )
  }

  #refer(value: Json): string {
    if (typeof value === 'string' && this.#values.has(value)) return value
    const key = canonicalJson(value)
    const known = this.#references.get(key)
    if (known !== undefined) return known
    const made = `secret:${crypto.randomUUID()}`
    this.#references.set(key, made)
    this.#values.set(made, value)
    this.#learn(value, made)
    return made
  }

  #learn(value: Json, as: string): void {
    for (const text of textsOf(value)) {
      if (text.length < shortest || this.#texts.has(text)) continue
      for (const form of formsOf(text)) this.#texts.set(form, as)
      this.#pattern = undefined
    }
  }

  /** References stay as they are, though a secret may be a piece of one. */
  #hiddenText(text: string): string {
    let [hidden, end] = ['', 0]
    for (const { 0: found, index } of text.matchAll(reference)) {
      if (!this.#values.has(found)) continue
      hidden += this.#withoutSecrets(text.slice(end, index)) + found
      end = index + found.length
    }
    return hidden + this.#withoutSecrets(text.slice(end))
  }

  #withoutSecrets(text: string): string {
    this.#pattern ??= toPattern([...this.#texts.keys()])
    return text.replace(this.#pattern, (found) => this.#texts.get(found)!)
  }
}

const ofHostField = (path: string): string => `secret:hostInput${path}`

/** The longest first: one secret may begin another. */
const toPattern = (texts: readonly string[]): RegExp =>
  new RegExp(
    texts
      .toSorted((a, b) => b.length - a.length)
      .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
      .join('|'),
    'g',
  )

/** Every text and number within, as a text. */
function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((inner) => textsOf(inner as Json))
    : []
}

/** As it is, within JSON, within JSON in JSON, and within a URL. */
function formsOf(text: string): ReadonlySet<string> {
  const escaped = (part: string) => JSON.stringify(part).slice(1, -1)
  const url = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
  return new Set([text, escaped(text), escaped(escaped(text)), url, url.replaceAll('%20', '+')])
}
