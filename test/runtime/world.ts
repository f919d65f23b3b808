import type { RunEvent } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { HandrailError, toFailure } from '../../src/errors.js'
import type { GenerateOptions, Model, ModelReply, ModelRequest, ReplyPart } from '../../src/models/model.js'
import type { Locks } from '../../src/runtime/lease.js'
import type { Platform } from '../../src/runtime/platform.js'
import type {
  AgentApi,
  AgentSetup,
  CheckAnswer,
  Notice,
  PageApi,
  PageCall,
  ReconcileAnswer,
  Reply,
  RunOptions,
} from '../../src/runtime/protocol.js'
import { serve } from '../../src/runtime/serve.js'
import type { Sandbox } from '../../src/sandbox/script.js'
import { createMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/store.js'
import { loadValidator } from '../../src/tools/validator.js'
import { createLocks } from './locks.js'

export interface TestTool extends Partial<ToolDefinition> {
  readonly risk: ToolDefinition['risk']
  readonly run: (input: Json, call: PageCall) => Json | Promise<Json>
  check?: () => CheckAnswer | Promise<CheckAnswer>
  /** The fields of `hostInput`. */
  readonly fills?: JsonObject
  reconcile?: (call: PageCall) => ReconcileAnswer
}

export interface WorldOptions {
  readonly tools?: Readonly<Record<string, TestTool>>
  /** The reply to a request: a pure function, so that a resumed run gets the same. */
  readonly model: (request: ModelRequest, options: GenerateOptions) => ModelReply | Promise<ModelReply>
  readonly setup?: Partial<AgentSetup>
  /** What the page does otherwise than by its tools. */
  readonly page?: Partial<PageApi>
}

/** What outlives an agent worker: the store, the tab's locks, and what the tools did. */
export class World {
  store: Store = createMemoryStore()
  locks: Locks = createLocks()
  /** Channels reach the whole process: each world has its own. */
  origin = `${Math.random()}`
  /** Calls that reached a tool, in order. */
  readonly executed: PageCall[] = []
  sandbox: Sandbox = noSandbox
  /** Before a model is there: the download of its SDK. */
  loading: () => Promise<void> = async () => {}
  time = 1_000
  storage: { readonly usage: number; readonly quota: number } | undefined

  constructor(readonly options: WorldOptions) {}

  /** The same store and locks as another world: the same browser, with other options. */
  sharing(other: World): this {
    this.store = other.store
    this.locks = other.locks
    this.origin = other.origin
    return this
  }

  /** A new agent worker, with its page. */
  async agent(): Promise<TestAgent> {
    const agent = new TestAgent(this)
    await agent.ok(agent.api.open(this.#setup()))
    return agent
  }

  #setup(): AgentSetup {
    const tools = Object.entries(this.options.tools ?? {}).map(
      ([name, { run: _run, check, reconcile, fills, ...rest }]): ToolDefinition => ({
        name,
        description: `The tool ${name}`,
        input: { type: 'object' },
        ...((check ?? fills) && { checked: true }),
        ...(reconcile && { reconciles: true }),
        ...rest,
      }),
    )
    return {
      owner: 'ann',
      instructions: 'Help.',
      tools,
      model: { hosted: false, config: { provider: 'test', model: 'test-1' } },
      budget: {},
      limits: {},
      scripts: true,
      policy: {},
      guards: { input: false, call: false, output: false },
      store: 'memory',
      locale: 'en-GB',
      timeZone: 'Europe/Berlin',
      ...this.options.setup,
    }
  }
}

export class TestAgent {
  readonly notices: Notice[] = []
  readonly api: AgentApi
  readonly events: RunEvent[] = []
  onEvent: (event: RunEvent) => void = () => {}
  #watchers: (() => void)[] = []
  readonly #channels: { onmessage: unknown }[] = []

  constructor(private readonly world: World) {
    this.api = serve(this.platform(), this.#page())
  }

  async ok<T>(reply: Promise<Reply<T>>): Promise<T> {
    const answer = await reply
    if (!answer.ok) throw new HandrailError(answer.failure.code, answer.failure.message)
    return answer.value
  }

  run(text: string, options: Partial<RunOptions> & { session?: string } = {}) {
    const { session = 's', runId = 'r1', ...rest } = options
    return this.ok(this.api.run(session, text, { runId, ...rest }))
  }

  /** Events of the run, as the page was told of them. */
  async until(matches: (event: RunEvent) => boolean): Promise<RunEvent> {
    for (;;) {
      const found = this.events.find(matches)
      if (found) return found
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
  }

  async notice(matches: (notice: Notice) => boolean): Promise<Notice> {
    for (;;) {
      const found = this.notices.find(matches)
      if (found) return found
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
  }

  /** Hears nothing more, as a tab that the browser has frozen. */
  freeze(): void {
    for (const channel of this.#channels) channel.onmessage = null
  }

  end(): Promise<RunEvent> {
    return this.until(({ type }) => type === 'run-end')
  }

  /** That its worker runs on. */
  platform(): Platform {
    const { world } = this
    let ids = 0
    const model: Model = {
      provider: 'test',
      model: 'test-1',
      generate: async (request, options) => world.options.model(request, options),
    }
    return {
      openStore: async () => world.store,
      loadModel: () => world.loading().then(() => model),
      loadValidator,
      createSandbox: () => world.sandbox,
      openChannel: (name) => {
        const channel = new BroadcastChannel(world.origin + name)
        ;(channel as unknown as { unref(): void }).unref()
        this.#channels.push(channel)
        return channel as unknown as ReturnType<Platform['openChannel']>
      },
      locks: world.locks,
      storage: async () => world.storage,
      now: () => world.time++,
      newId: () => `id-${++ids}-${Math.random()}`,
      newSeed: () => 7,
    }
  }

  #page(): PageApi {
    const { world } = this
    const tool = (name: string) => world.options.tools?.[name]
    return {
      async execute(_id, call) {
        world.executed.push(call)
        try {
          return { ok: true, value: await tool(call.toolName)!.run(call.input, call) }
        } catch (error) {
          return {
            ok: false,
            failure: { ...toFailure(error), refused: HandrailError.is(error) && error.name === 'ToolError' },
          }
        }
      },
      check: async ({ toolName }) => {
        const answer = (await tool(toolName)?.check?.()) ?? { verdict: 'allow' }
        const filled = tool(toolName)?.fills
        return { ok: true, value: { answers: [{ ...answer, rule: 'check' }], ...(filled && { filled }) } }
      },
      preview: async () => ({ ok: true, value: null }),
      guard: async () => ({ ok: true, value: [] }),
      reconcile: async (call) => ({ ok: true, value: tool(call.toolName)?.reconcile?.(call) ?? { state: 'unknown' } }),
      generate: async () => ({ ok: false, failure: { code: 'none', message: 'No hosted model', retryable: false } }),
      abort: () => undefined,
      notify: (notices) => {
        for (const notice of notices) {
          this.notices.push(notice)
          if (notice.type !== 'event') continue
          this.events.push(notice.event)
          this.onEvent(notice.event)
        }
        for (const wake of this.#watchers.splice(0)) wake()
      },
      ...world.options.page,
    }
  }
}

const noSandbox: Sandbox = {
  engine: 'none',
  runs: () => false,
  start() {
    throw new Error('This world has no sandbox')
  },
}

export const say = (text: string): ModelReply => ({
  parts: [{ type: 'text', text }],
  finish: 'stop',
  usage: { input: 10, output: 5 },
})

export const ask = (...calls: [toolName: string, input: Json][]): ModelReply => ({
  parts: calls.map(([toolName, input], i): ReplyPart => ({
    type: 'call',
    toolName,
    inputText: JSON.stringify(input),
    wireId: `w${i}`,
  })),
  finish: 'calls',
  usage: { input: 10, output: 5 },
})

/** Replies by how many answers the transcript already holds. */
export const inTurn =
  (...replies: (ModelReply | ((request: ModelRequest) => ModelReply))[]) =>
  (request: ModelRequest): ModelReply => {
    const reply = replies[request.messages.filter(({ role }) => role === 'assistant').length]
    if (!reply) throw new HandrailError('model_bad_request', 'The test model has no more replies')
    return typeof reply === 'function' ? reply(request) : reply
  }

export const lastResult = ({ messages }: ModelRequest): string => {
  const last = messages.findLast(({ role }) => role === 'tool')
  return last?.role === 'tool' ? last.text : ''
}
