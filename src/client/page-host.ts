import type { Json } from '../core/json.js'
import { HandrailError, ToolError, toFailure } from '../errors.js'
import type {
  CheckCall,
  Model,
  ModelDelta,
  ModelReply,
  ModelRequest,
  Notice,
  PageApi,
  PageCall,
  PageCheck,
  Reply,
  ReplyFailure,
  RuleAnswer,
} from '../runtime/protocol.js'
import { describeFaults } from '../tools/schema.js'
import { checkInput, parseInput, type ReconcileAnswer, type Tool } from '../tools/tool.js'
import { asJson } from './as-json.js'

export interface PageHostOptions {
  readonly tools: readonly Tool[]
  readonly model?: Model
  onDelta(id: string, delta: ModelDelta): void
  onNotice(notice: Notice): void
}

/** The page's half of an agent: its tools and its hosted model, for one agent worker. */
export class PageHost implements PageApi {
  /** Looked up in a map, because the name of a call is the model's: `constructor` is no tool. */
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #running = new Map<string, { readonly controller: AbortController; readonly isWrite: boolean }>()

  constructor(private readonly options: PageHostOptions) {
    this.#tools = new Map(options.tools.map((tool) => [tool.definition.name, tool]))
  }

  execute(id: string, { toolName, input, runId, callId, idempotencyKey }: PageCall): Promise<Reply<Json>> {
    return this.#track<Json>(id, this.#tools.get(toolName)?.definition.risk !== 'read', async (signal) => {
      const tool = this.#tool(toolName)
      const parsed = await parse(tool, input)
      if (signal.aborted) throw new ToolError('aborted', `The call was aborted before ${toolName} ran`)
      const output = await tool.run(parsed, { signal, runId, callId, idempotencyKey })
      try {
        return { ok: true, value: asJson(output, 'output_not_json', `the output of ${toolName}`) }
      } catch (error) {
        return { ok: false, failure: { ...toFailure(error), ran: true } }
      }
    })
  }

  check({ toolName, input, runId, callId }: CheckCall): Promise<Reply<PageCheck>> {
    const { signal } = new AbortController()
    return reply(async () => {
      const answer = await checkInput(this.#tool(toolName), input, { signal, runId, callId })
      return { answers: [{ ...answer, rule: 'check' }] }
    })
  }

  preview({ toolName }: CheckCall): Promise<Reply<Json>> {
    return reply(async () => {
      throw new HandrailError('no_preview', `Tool "${toolName}" has no preview`)
    })
  }

  guard(): Promise<Reply<readonly RuleAnswer[]>> {
    return reply(async () => [])
  }

  reconcile({ toolName, input, idempotencyKey }: PageCall): Promise<Reply<ReconcileAnswer>> {
    return reply(async () => {
      const tool = this.#tool(toolName)
      if (!tool.reconcile) return { state: 'unknown' }
      const answer: unknown = await tool.reconcile({ idempotencyKey, input: await parse(tool, input) })
      return toReconcileAnswer(toolName, answer)
    })
  }

  generate(id: string, request: ModelRequest): Promise<Reply<ModelReply>> {
    return this.#track(id, false, async (signal) => {
      const { model } = this.options
      if (!model) throw new HandrailError('no_hosted_model', 'Cannot generate: this page hosts no model')
      const answer = await model.generate(request, {
        signal,
        onDelta: (delta) =>
          this.options.onDelta(id, asJson(delta, 'model_bad_reply', 'a delta of the model') as ModelDelta & Json),
      })
      return { ok: true, value: asJson(answer, 'model_bad_reply', 'the reply of the model') as ModelReply & Json }
    })
  }

  abort(id: string): void {
    this.#running.get(id)?.controller.abort()
  }

  notify(notices: readonly Notice[]): void {
    for (const notice of notices) this.options.onNotice(notice)
  }

  /** Ends what nobody waits for any more. A write that runs is left to finish: stopped halfway, it would be known even less. */
  end(): void {
    for (const { controller, isWrite } of this.#running.values()) if (!isWrite) controller.abort()
  }

  #tool(name: string): Tool {
    const tool = this.#tools.get(name)
    if (!tool) throw new ToolError('unknown_tool', `Cannot find tool "${name}": the page has no tool of that name`)
    return tool
  }

  /** A call that is sent again may carry the id of one that is still running: the newest is the one to abort. */
  async #track<T>(id: string, isWrite: boolean, work: (signal: AbortSignal) => Promise<Reply<T>>): Promise<Reply<T>> {
    const running = { controller: new AbortController(), isWrite }
    this.#running.set(id, running)
    try {
      return await work(running.controller.signal)
    } catch (error) {
      return { ok: false, failure: toReplyFailure(error) }
    } finally {
      if (this.#running.get(id) === running) this.#running.delete(id)
    }
  }
}

async function reply<T>(work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    return { ok: false, failure: toReplyFailure(error) }
  }
}

/** Whatever goes wrong here, the tool has not run. */
async function parse(tool: Tool, input: Json): Promise<unknown> {
  const parsed = await parseInput(tool, input).catch((error: unknown) => {
    throw new ToolError('invalid_input', toFailure(error).message, { cause: error })
  })
  if ('value' in parsed) return parsed.value
  throw new ToolError('invalid_input', `The input is not valid: ${describeFaults(parsed.faults)}`)
}

/** A `ToolError` may come from another copy of this library. */
function toReplyFailure(error: unknown): ReplyFailure {
  const isRefusal = error instanceof ToolError || (HandrailError.is(error) && error.name === 'ToolError')
  return isRefusal ? { ...toFailure(error), refused: true } : toFailure(error)
}

function toReconcileAnswer(toolName: string, answer: unknown): ReconcileAnswer {
  const { state, output } = (answer ?? {}) as { state?: unknown; output?: unknown }
  if (state === 'done')
    return { state, output: asJson(output, 'output_not_json', `the output that ${toolName} reconciled`) }
  if (state === 'void' || state === 'unknown') return { state }
  throw new HandrailError(
    'invalid_reconcile',
    `Cannot use the answer of "reconcile" of tool "${toolName}": its "state" must be done, void or unknown`,
  )
}
