import type { Json, JsonObject } from '../../src/core/json.js'
import { createInterpretedValidator } from '../../src/tools/interpreted-validator.js'

interface Prompt {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What the model writes: JSON, or a text that is written as it is, or an exception. */
export type MockReply = Json | Raw | Error

/** Written as it is, and broken off by the exception. */
interface Raw {
  readonly raw: string
  readonly error?: Error
}

export interface MockOptions {
  readonly availability?: 'unavailable' | 'downloadable' | 'downloading' | 'available'
  /** The page was clicked a moment ago. */
  readonly isClicked?: () => boolean
  /** Tokens, of four characters. */
  readonly contextWindow?: number
  /** Makes room by forgetting the oldest, as Chrome does, in place of an exception, as the specification has it. */
  readonly forgets?: boolean
  /** Characters of one piece. */
  readonly pieceSize?: number
  /** Whether `contextUsage` counts what the model wrote. */
  readonly countsReplies?: boolean
  /** Whether it has `measureContextUsage`. */
  readonly measures?: boolean
  readonly reply: (asked: Asked) => MockReply | Promise<MockReply>
}

export interface Asked {
  /** All that the session has read, and what it wrote. */
  readonly prompts: readonly Prompt[]
  readonly constraint: JsonObject
}

const understood = new Set(['type', 'enum', 'properties', 'required', 'additionalProperties', 'items', 'anyOf'])
const tokens = (prompts: readonly Prompt[]) =>
  prompts.reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0)
const exception = (name: string, message = `The mock says ${name}`) => new DOMException(message, name)

/** A `LanguageModel` as its specification has it, whose words are given, and whose sessions are counted. */
export function mockLanguageModel(options: MockOptions) {
  const { contextWindow = 6_000, forgets = false, pieceSize = 5, countsReplies = true, measures = true } = options
  let { availability = 'available' } = options
  const calls: string[] = []
  const created: unknown[] = []
  const sessions = new Set<Session>()

  class Session extends EventTarget {
    readonly contextWindow = contextWindow
    contextUsage: number
    #prompts: Prompt[]
    #isDestroyed = false

    constructor(initial: readonly Prompt[]) {
      super()
      this.#prompts = [...initial]
      this.contextUsage = tokens(initial)
      if (!measures) Object.defineProperty(this, 'measureContextUsage', { value: undefined })
      sessions.add(this)
    }

    async measureContextUsage(input: readonly Prompt[]): Promise<number> {
      this.#check(input)
      return tokens(input)
    }

    promptStreaming(
      input: readonly Prompt[],
      given: { responseConstraint?: JsonObject; omitResponseConstraintInput?: boolean; signal?: AbortSignal } = {},
    ): ReadableStream<string> {
      const { responseConstraint: constraint, omitResponseConstraintInput, signal } = given
      calls.push(`prompt ${input.length}`)
      const before = { prompts: [...this.#prompts], usage: this.contextUsage }
      const takeBack = () => {
        this.#prompts = before.prompts
        this.contextUsage = before.usage
      }
      const start = async (controller: ReadableStreamDefaultController<string>) => {
        try {
          this.#check(input)
          if (omitResponseConstraintInput && !constraint) throw new TypeError('There is no constraint to omit')
          for (const keyword of keywords(constraint ?? {}))
            if (!understood.has(keyword)) throw exception('NotSupportedError', `The keyword ${keyword} is unknown`)
          this.#read(input)
          const reply = await options.reply({ prompts: [...this.#prompts], constraint: constraint ?? {} })
          if (reply instanceof Error) throw reply
          const text = isRaw(reply) ? reply.raw : JSON.stringify(reply)
          if (constraint && !isRaw(reply) && !fits(reply, constraint))
            throw exception('SyntaxError', `It wrote ${text}`)
          for (let at = 0; at < text.length; at += pieceSize) {
            await new Promise((resolve) => setTimeout(resolve, 0))
            if (signal?.aborted) throw signal.reason
            if (this.#isDestroyed) throw exception('AbortError')
            controller.enqueue(text.slice(at, at + pieceSize))
          }
          if (isRaw(reply) && reply.error) throw reply.error
          const said: Prompt = { role: 'assistant', content: text }
          this.#prompts.push(said)
          if (countsReplies) this.contextUsage += tokens([said])
          controller.close()
        } catch (error) {
          takeBack()
          controller.error(error)
        }
      }
      return new ReadableStream<string>({ start: (controller) => void start(controller) })
    }

    destroy(): void {
      this.#isDestroyed = true
      sessions.delete(this)
    }

    #check(input: readonly Prompt[]): void {
      if (this.#isDestroyed) throw exception('InvalidStateError')
      if (input.some(({ role }) => role === 'system')) throw new TypeError('A system prompt is not the first')
      if (input.some(({ content }) => typeof content !== 'string')) throw new TypeError('Content is no text')
    }

    #read(input: readonly Prompt[]): void {
      const asked = tokens(input)
      if (this.contextUsage + asked > contextWindow) {
        const [system] = this.#prompts
        if (!forgets || tokens([system!]) + asked > contextWindow) throw exception('QuotaExceededError')
        this.#prompts = [system!]
        this.contextUsage = tokens([system!])
        this.dispatchEvent(new Event('contextoverflow'))
      }
      this.#prompts.push(...input)
      this.contextUsage += asked
    }
  }

  const LanguageModel = {
    async availability(core: unknown) {
      calls.push('availability')
      created.push(core)
      return availability
    },
    async create(core: {
      initialPrompts?: readonly Prompt[]
      signal?: AbortSignal
      monitor?: (m: EventTarget) => void
    }) {
      calls.push('create')
      if (core.signal?.aborted) throw core.signal.reason
      if (availability === 'unavailable') throw exception('NotSupportedError')
      if (availability !== 'available') {
        if (!options.isClicked?.()) throw exception('NotAllowedError')
        const monitor = new EventTarget()
        core.monitor?.(monitor)
        for (const loaded of [0, 0.5, 1]) {
          await new Promise((resolve) => setTimeout(resolve, 0))
          if (core.signal?.aborted) throw core.signal.reason
          monitor.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }))
        }
        availability = 'available'
      }
      const { initialPrompts = [] } = core
      if (tokens(initialPrompts) > contextWindow) throw exception('QuotaExceededError')
      const session = new Session(initialPrompts)
      core.signal?.addEventListener('abort', () => session.destroy())
      return session
    },
  }
  /** What was asked of it, in order; the options that `availability` got; the sessions that are not destroyed. */
  return { LanguageModel, calls, created, sessions }
}

const isRaw = (reply: MockReply): reply is Raw =>
  typeof reply === 'object' && reply !== null && 'raw' in reply && typeof reply.raw === 'string'

const fits = (reply: Json, constraint: JsonObject): boolean =>
  createInterpretedValidator().compile(constraint, 'the constraint')(reply).length === 0

/** Of a schema and all schemas in it. */
function keywords(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  const { properties = {}, items = null, anyOf = [], additionalProperties = null } = schema as JsonObject
  const inner = [...Object.values(properties as JsonObject), items, additionalProperties, ...(anyOf as Json[])]
  return [...Object.keys(schema), ...inner.flatMap(keywords)]
}
