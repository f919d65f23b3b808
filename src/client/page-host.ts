import type { Json } from '../core/json.js'
import { HandrailError, ToolError, toFailure } from '../errors.js'
import type {
  CheckCall,
  GuardSubject,
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
import { describeFaults, parseValue } from '../tools/parse-value.js'
import type { ReconcileAnswer, Tool } from '../tools/tool.js'
import { asJson } from './as-json.js'
import { askGuardrails, type Guardrails } from './guardrails.js'
import { inTime } from './in-time.js'
import { about, checkCall, resolved, type About } from './page-check.js'
import { Secrets } from './secrets.js'
import { toNames, withLocks } from './tool-locks.js'

export interface PageHostOptions {
  readonly tools: readonly Tool[]
  readonly guardrails?: Guardrails
  readonly model?: Model
  onDelta(id: string, delta: ModelDelta): void
  onNotice(notice: Notice): void
}

/** The page's half of an agent: its tools and its hosted model, for one agent worker. No secret of a tool leaves it. */
export class PageHost implements PageApi {
  /** Looked up in a map, because the name of a call is the model's: `constructor` is no tool. */
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #secrets: Secrets
  readonly #running = new Map<string, { readonly controller: AbortController; readonly isWrite: boolean }>()

  /** @param before that of a worker which died: its references stay good */
  constructor(
    private readonly options: PageHostOptions,
    before?: PageHost,
  ) {
    this.#tools = new Map(options.tools.map((tool) => [tool.definition.name, tool]))
    this.#secrets = before ? before.#secrets : new Secrets()
  }

  execute(id: string, call: PageCall): Promise<Reply<Json>> {
    const { toolName, runId, callId, idempotencyKey } = call
    return this.#track<Json>(id, this.#tools.get(toolName)?.definition.risk !== 'read', async (signal) => {
      const tool = this.#tool(toolName)
      const input = await this.#parse(tool, call)
      const locks = await untouched('invalid_locks', () => toNames(toolName, tool.locks?.(input) ?? []))
      if (signal.aborted) throw new ToolError('aborted', `The call was aborted before ${toolName} ran`)
      const output = await withLocks(locks, signal, tool.definition.timeout, async () =>
        tool.run(input, { signal, runId, callId, idempotencyKey }),
      )
      try {
        return { ok: true, value: this.#outputOf(tool, output, `the output of ${toolName}`) }
      } catch (error) {
        return { ok: false, failure: { ...this.#toFailure(error), ran: true } }
      }
    })
  }

  check(call: CheckCall): Promise<Reply<PageCheck>> {
    const { guardrails = {} } = this.options
    return this.#reply(() => {
      // A guardrail has a say in calls of what is not the page's, too.
      const tool = guardrails.call ? this.#tools.get(call.toolName) : this.#tool(call.toolName)
      return checkCall(tool, call, this.#secrets, guardrails)
    })
  }

  preview(call: CheckCall): Promise<Reply<Json>> {
    const { toolName } = call
    return this.#reply(async () => {
      const tool = this.#tool(toolName)
      if (!tool.preview) throw new HandrailError('no_preview', `Tool "${toolName}" has no preview`)
      const input = await this.#parse(tool, call)
      const shown: unknown = await inTime(`The preview of "${toolName}"`, (signal) =>
        tool.preview!(input, { ...about(call), signal }),
      )
      return this.#secrets.hide(asJson(shown, 'preview_not_json', `the preview of ${toolName}`))
    })
  }

  guard(subject: GuardSubject): Promise<Reply<readonly RuleAnswer[]>> {
    const { input, output } = this.options.guardrails ?? {}
    return this.#reply(async () => {
      const answers =
        subject.on === 'input' ? await askGuardrails(input, subject) : await askGuardrails(output, subject)
      return answers.map((answer) => ({ ...(this.#secrets.hide({ ...answer }) as typeof answer), rule: 'guardrail' }))
    })
  }

  reconcile(call: PageCall): Promise<Reply<ReconcileAnswer>> {
    const { toolName, idempotencyKey } = call
    return this.#reply(async () => {
      const tool = this.#tool(toolName)
      if (!tool.reconcile) return { state: 'unknown' }
      const answer: unknown = await tool.reconcile({ idempotencyKey, input: await this.#parse(tool, call) })
      const { state, output } = (answer ?? {}) as { state?: unknown; output?: unknown }
      if (state === 'done')
        return { state, output: this.#outputOf(tool, output, `the output that ${toolName} reconciled`) }
      if (state === 'void' || state === 'unknown') return { state }
      throw new HandrailError(
        'invalid_reconcile',
        `Cannot use the answer of "reconcile" of tool "${toolName}": its "state" must be done, void or unknown`,
      )
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

  #outputOf({ definition }: Tool, output: unknown, what: string): Json {
    return this.#secrets.hideOutput(asJson(output, 'output_not_json', what), definition)
  }

  /** What the tool's functions get. Whatever goes wrong here, the tool has not run. */
  async #parse(tool: Tool, call: About & { readonly input: Json }): Promise<unknown> {
    const parsed = await untouched('invalid_input', async () =>
      parseValue(tool.input, await resolved(tool, call.input, call, this.#secrets)),
    )
    if ('value' in parsed) return parsed.value
    throw new ToolError('invalid_input', `The input is not valid: ${describeFaults(parsed.faults)}`)
  }

  async #reply<T>(work: () => Promise<T>): Promise<Reply<T>> {
    try {
      return { ok: true, value: await work() }
    } catch (error) {
      return { ok: false, failure: this.#toFailure(error) }
    }
  }

  /** A call that is sent again may carry the id of one that is still running: the newest is the one to abort. */
  async #track<T>(id: string, isWrite: boolean, work: (signal: AbortSignal) => Promise<Reply<T>>): Promise<Reply<T>> {
    const running = { controller: new AbortController(), isWrite }
    this.#running.set(id, running)
    try {
      return await work(running.controller.signal)
    } catch (error) {
      return { ok: false, failure: this.#toFailure(error) }
    } finally {
      if (this.#running.get(id) === running) this.#running.delete(id)
    }
  }

  /** A `ToolError` may come from another copy of this library. */
  #toFailure(error: unknown): ReplyFailure {
    const isRefusal = error instanceof ToolError || (HandrailError.is(error) && error.name === 'ToolError')
    const failure = this.#secrets.hide({ ...toFailure(error) }) as unknown as ReplyFailure
    return isRefusal ? { ...failure, refused: true } : failure
  }
}

/** Before the tool is run, every failure means that nothing was done. */
async function untouched<T>(code: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { message, ...failure } = toFailure(error, code)
    throw new ToolError(failure.code, message, { ...failure, cause: error })
  }
}
