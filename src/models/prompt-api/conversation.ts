import type { Usage } from '../../index.js'
import {
  languageModel,
  type LanguageModelCoreOptions,
  type LanguageModelSession,
  type Prompt,
  type PromptOptions,
} from './language-model.js'

/** A session of the browser's model, and all that it has read and written. */
export class Conversation {
  #overflows = false

  private constructor(
    private readonly session: LanguageModelSession,
    private prompts: readonly Prompt[],
  ) {
    session.addEventListener('contextoverflow', () => (this.#overflows = true))
  }

  /** @param onProgress of a download, from 0 to 1 */
  static async open(
    core: LanguageModelCoreOptions,
    initialPrompts: readonly Prompt[],
    signal: AbortSignal,
    onProgress?: (loaded: number) => void,
  ): Promise<Conversation> {
    // A signal that is given to `create` would end the session later, too.
    const creation = new AbortController()
    const stop = () => creation.abort(signal.reason)
    signal.throwIfAborted()
    signal.addEventListener('abort', stop, { once: true })
    const monitor = (progress: EventTarget) =>
      progress.addEventListener('downloadprogress', (event) => onProgress?.((event as ProgressEvent).loaded))
    try {
      const session = await languageModel().create({ ...core, initialPrompts, signal: creation.signal, monitor })
      return new Conversation(session, initialPrompts)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Whether these prompts are what was said here, and more. */
  leadsTo(prompts: readonly Prompt[]): boolean {
    return (
      this.prompts.length < prompts.length &&
      this.prompts.every(({ role, content }, i) => prompts[i]!.role === role && prompts[i]!.content === content)
    )
  }

  /**
   * Reads what is new in the prompts, and writes the reply to it.
   * @throws {DOMException} of the browser. `QuotaExceededError` also where it would forget what was said before to make room.
   */
  async reply(prompts: readonly Prompt[], options: PromptOptions, onText: (soFar: string) => void): Promise<Written> {
    const { session } = this
    const fresh = prompts.slice(this.prompts.length)
    const before = session.contextUsage
    const asked = await session.measureContextUsage?.(fresh, options)
    if (asked !== undefined && before + asked > session.contextWindow) throw doesNotFit()
    let text = ''
    for await (const piece of session.promptStreaming(fresh, options)) {
      text += piece
      onText(text)
    }
    options.signal.throwIfAborted()
    if (this.#overflows) throw doesNotFit()
    const said: Prompt = { role: 'assistant', content: text }
    this.prompts = [...prompts, said]
    if (asked === undefined) return { text }
    const input = before + asked
    const counted = session.contextUsage - input
    // Not every version counts what it writes.
    const output = counted > 0 ? counted : await session.measureContextUsage!([said], options)
    return { text, usage: { input, output } }
  }

  end(): void {
    this.session.destroy()
  }
}

export interface Written {
  readonly text: string
  /** Absent: the browser does not count. */
  readonly usage?: Usage
}

const doesNotFit = () => new DOMException('The conversation is longer than the window', 'QuotaExceededError')
