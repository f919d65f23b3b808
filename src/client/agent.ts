import { HandrailError } from '../errors.js'
import type { AgentSetup, Notice, SessionHead } from '../runtime/protocol.js'
import { checkAgent, isHosted, type AgentOptions, type RunRequest } from './check-options.js'
import { Link } from './link.js'
import type { Schema } from '../tools/schema.js'
import type { Amount, PruneOptions } from './prune.js'
import type { Run } from './run.js'
import { LiveSession, type AnswerOf, type Session } from './session.js'

export interface Agent {
  /** When the agent worker is ready. @throws {HandrailError} `worker_failed`, `agent_closed`, codes of the store. */
  readonly ready: Promise<void>
  /** The session that `run` uses. */
  readonly currentSession: string
  /** Starts a run in the current session. @throws as `run` of a session. */
  run<const Answer extends Schema | undefined = undefined>(
    text: string,
    options?: RunRequest<Answer>,
  ): Run<AnswerOf<Answer>>
  /** Opens a session, whose history it loads; a new one if there is none of this id. The same object until it is closed. */
  session(id: string): Session
  /** Of this owner, the one that was started last first. */
  sessions(): Promise<readonly SessionHead[]>
  /** Closes it here, and removes its logs. */
  deleteSession(id: string): Promise<void>
  /** A run as one file of JSON lines, without secrets. */
  exportRun(runId: string): Promise<string>
  /** Stores an exported run, to be read, in a session of its own. @throws {HandrailError} if the file is none, or was changed. */
  importRun(file: string): Promise<{ readonly session: string; readonly runId: string }>
  /** Removes all that a run which is over has stored; its place in the session stays. */
  deleteRun(runId: string): Promise<void>
  /** Removes the oldest sessions beyond the limits, that are closed and have no open run. Gives what it removed. */
  prune(options: PruneOptions): Promise<Amount>
  /** Ends the worker. Open runs stop, and go on when their session is opened again. */
  close(): void
}

/**
 * Starts an agent: its loop runs in a worker of its own, its tools here. It is closed when the page is left.
 * @throws {HandrailError} `invalid_options`, naming the field; `key_in_page`; `insecure_context`.
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgent(options)
  if (!isSecureContext)
    throw new HandrailError('insecure_context', 'Cannot create an agent: Web Locks need a page from https or localhost')
  const { tools, model, worker, guardrails, session: currentSession = crypto.randomUUID() } = options
  const sessions = new Map<string, LiveSession>()
  let closed: HandrailError | undefined

  const link = new Link({
    setup: toSetup(options),
    spawn: (standard) => (typeof worker === 'function' ? worker() : (worker ?? standard())),
    mayRestart: typeof worker !== 'object',
    host: {
      tools,
      ...(guardrails && { guardrails }),
      ...(isHosted(model) && { model }),
      onDelta: (id, delta) => link.delta(id, delta),
      onNotice: (notice: Notice) => sessions.get(notice.session)?.receive(notice),
    },
    onRestart: () => {
      for (const session of sessions.values()) void session.resume()
    },
    onLost: (error) => {
      closed ??= error
      for (const session of sessions.values()) session.end(error)
    },
  })

  const open = (id: string): LiveSession => {
    if (closed) throw closed
    if (typeof id !== 'string' || id === '')
      throw new HandrailError('invalid_options', 'Cannot open a session: its id must be a text that is not empty')
    const known = sessions.get(id)
    if (known) return known
    const session = new LiveSession(id, { link, onClose: () => sessions.delete(id) })
    sessions.set(id, session)
    return session
  }

  const close = () => {
    removeEventListener('pagehide', leave)
    link.close()
  }
  // A page that the browser keeps for the way back keeps its worker too.
  const leave = (event: PageTransitionEvent) => {
    if (!event.persisted) close()
  }
  addEventListener('pagehide', leave)

  return {
    get ready() {
      return link.ready
    },
    currentSession,
    run: (text, request) => open(currentSession).run(text, request),
    session: open,
    sessions: () => link.call((api) => api.sessions()),
    async deleteSession(id) {
      sessions.get(id)?.close()
      await link.call((api) => api.deleteSession(id))
    },
    exportRun: (runId) => link.call((api) => api.exportRun(runId)),
    importRun: (file) => link.call((api) => api.importRun(file)),
    async deleteRun(runId) {
      await link.call((api) => api.deleteRun(runId))
    },
    prune: async (limits) => (await import('./prune.js')).prune(link, limits),
    close,
  }
}

/** `structuredClone` of it crosses to the worker: the functions of tools and models stay here. */
function toSetup({
  model,
  instructions,
  tools,
  owner,
  budget = {},
  limits = {},
  scripts = true,
  store = 'indexeddb',
  policy = {},
  guardrails = {},
}: AgentOptions): AgentSetup {
  return {
    owner,
    instructions,
    tools: tools.map(({ definition }) => definition),
    model: isHosted(model)
      ? { hosted: true, provider: model.provider, model: model.model }
      : { hosted: false, config: model },
    budget,
    limits,
    scripts,
    policy,
    guards: { input: isThere(guardrails.input), call: isThere(guardrails.call), output: isThere(guardrails.output) },
    store,
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

/** One function, or an array that is not empty. */
const isThere = (guardrails: unknown): boolean =>
  guardrails !== undefined && (guardrails as readonly unknown[]).length !== 0
