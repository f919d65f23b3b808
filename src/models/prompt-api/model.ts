import type { GenerateOptions, Model, ModelDelta, ModelReply, ModelRequest, ReplyPart } from '../../index.js'
import { toConstraint } from './constraint.js'
import { Conversation } from './conversation.js'
import { isFiltered, isOverflow, noModel, toModelError, type Stage } from './failure.js'
import { languageModel, type Availability, type LanguageModelCoreOptions, type Prompt } from './language-model.js'
import { toPrompts, toSystemPrompt } from './prompts.js'
import { toDelta, toPart, wholeDelta } from './reply.js'

export type { Availability }

export interface PromptApiOptions extends Pick<LanguageModelCoreOptions, 'samplingMode'> {
  /** That are read and written, as in `['en', 'ja']`. Default `['en']`. */
  readonly languages?: readonly string[]
}

/** The model that a browser has built in. It runs on the page, and serves the agent worker from there. */
export interface PromptApiModel extends Model {
  /** Whether this computer has the model, or can have it. @throws {HandrailError} `model_unavailable` in another browser. */
  availability(): Promise<Availability>
  /**
   * Downloads the model, if need be. Call it in the handler of a click, which browsers demand for that.
   * @param onProgress is told how much has come, from 0 to 1
   * @throws {HandrailError} `model_unavailable`, `model_aborted`
   */
  download(onProgress?: (loaded: number) => void, signal?: AbortSignal): Promise<void>
}

/** The model of the browser's Prompt API, for `createAgent({ model })`. Holds the last conversation in memory. */
export function promptApiModel(options: PromptApiOptions = {}): PromptApiModel {
  return new BuiltInModel(options)
}

class BuiltInModel implements PromptApiModel {
  readonly provider = 'prompt-api'
  readonly model = 'built-in'
  readonly #core: LanguageModelCoreOptions
  /** The one that the next request is likely to continue. A request takes it away, so that no two write to one. */
  #last: Conversation | undefined

  constructor({ languages = ['en'], samplingMode }: PromptApiOptions) {
    const texts = [{ type: 'text', languages }] as const
    this.#core = { expectedInputs: texts, expectedOutputs: texts, ...(samplingMode && { samplingMode }) }
  }

  async availability(): Promise<Availability> {
    return languageModel().availability(this.#core)
  }

  async download(onProgress?: (loaded: number) => void, signal = new AbortController().signal): Promise<void> {
    try {
      const conversation = await Conversation.open(this.#core, [], signal, onProgress)
      conversation.end()
    } catch (error) {
      throw toModelError(error, 'create', signal)
    }
  }

  async generate(request: ModelRequest, { signal, onDelta }: GenerateOptions): Promise<ModelReply> {
    const prompts = [toSystemPrompt(request), ...toPrompts(request.messages, this)]
    const textTools = request.tools.filter(({ input }) => input.type === 'string').map(({ name }) => name)
    const isText = (tool: string | undefined) => (tool === undefined ? !request.answer : textTools.includes(tool))
    let stage: Stage = 'create'
    let conversation: Conversation | undefined
    try {
      conversation = await this.#conversation(prompts, signal)
      stage = 'prompt'
      let shown = 0
      const show = (delta: ModelDelta | undefined) => {
        if (!delta || delta.text.length <= shown) return
        onDelta({ ...delta, text: delta.text.slice(shown) })
        shown = delta.text.length
      }
      const options = { responseConstraint: toConstraint(request), omitResponseConstraintInput: true, signal } as const
      const { text, usage } = await conversation.reply(prompts, options, (written) => {
        stage = 'stream'
        show(toDelta(written, isText))
      })
      const part = toPart(text, isText)
      show(wholeDelta(part))
      this.#last?.end()
      this.#last = conversation
      const isLost = request.toolChoice?.mode === 'required' && part.type === 'text'
      const remarks = isLost ? { remarks: [{ code: 'tool_choice_emulated', detail: { ...request.toolChoice } }] } : {}
      return { parts: [part], finish: part.type === 'call' ? 'calls' : 'stop', ...(usage && { usage }), ...remarks }
    } catch (error) {
      conversation?.end()
      if (!signal.aborted && isOverflow(error)) return { parts: [], finish: 'context' }
      if (!signal.aborted && isFiltered(error)) return { parts: [withheld], finish: 'content-filter' }
      throw toModelError(error, stage, signal)
    }
  }

  async #conversation(prompts: readonly Prompt[], signal: AbortSignal): Promise<Conversation> {
    const last = this.#last
    this.#last = undefined
    if (last?.leadsTo(prompts)) return last
    last?.end()
    if ((await this.availability()) === 'unavailable') throw noModel()
    return Conversation.open(this.#core, prompts.slice(0, 1), signal)
  }
}

const withheld: ReplyPart = { type: 'refusal', text: 'The browser withheld what its model said.' }
