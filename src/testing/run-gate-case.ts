import { PageHost } from '../client/page-host.js'
import type { RunEvent } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { Model, ModelRequest, ReplyPart } from '../models/model.js'
import type { Locks } from '../runtime/lease.js'
import type { Platform } from '../runtime/platform.js'
import type { AgentApi, AgentSetup, Notice, PageApi } from '../runtime/protocol.js'
import { serve } from '../runtime/serve.js'
import type { Sandbox } from '../sandbox/script.js'
import { createMemoryStore } from '../store/memory.js'
import { loadCachedValidator } from './cached-validator.js'
import type { CaseOutcome, CaseTool, GateCase, GatePath, GateSource, Reaction } from './gate-case.js'
import { gatePaths } from './gate-paths.js'
import { callsOf, type ListedCall } from './listing.js'

export interface CaseRun {
  readonly actual: CaseOutcome
  readonly events: readonly RunEvent[]
  readonly fault?: string
}

const [session, runId] = ['gate', 'run']
/** Milliseconds that a case may take. */
const mostTime = 10_000

/** One case on one path: an agent of its own, whose model asks for what the case says. */
export async function runGateCase(
  gateCase: GateCase,
  path: GatePath,
  source: GateSource,
  sandbox: Sandbox,
): Promise<CaseRun> {
  const runs: { readonly tool: string; readonly input: Json }[] = []
  const fields = gateCase.tools(path).map((tool) => counted(tool, runs))
  const provided = await source.provide(fields)
  const tools = [...provided, ...(path.tools?.(provided) ?? [])]
  const requests: ModelRequest[] = []
  /** How often the tools had run when the call of the case was asked for. */
  let ranBefore = 0
  const model = modelOf(gateCase, path, requests, () => (ranBefore = runs.length))
  const events: RunEvent[] = []
  let resolve: (fault?: string) => void = () => undefined
  const over = new Promise<string | undefined>((done) => (resolve = done))
  const host = new PageHost({
    tools,
    ...(gateCase.guardrails && { guardrails: gateCase.guardrails }),
    onDelta: () => undefined,
    onNotice(notice: Notice) {
      if (notice.type === 'stalled') return resolve(`the run stalled: ${notice.failure.message}`)
      if (notice.type !== 'event') return
      events.push(notice.event)
      if (notice.event.type === 'run-end') resolve()
      if (notice.event.type === 'tool-decision' && notice.event.verdict === 'ask')
        void answer(api, gateCase, events, notice.event)
    },
  })
  const api = serve(platformOf(model, sandbox), pageOf(host))
  const timer = setTimeout(() => resolve(`the run did not end within ${mostTime} ms`), mostTime)
  try {
    const opened = await api.open(setupOf(gateCase, tools))
    if (!opened.ok) return { actual: nothing, events, fault: opened.failure.message }
    const started = await api.run(session, gateCase.message ?? 'Do it.', { runId, ...gateCase.run })
    if (!started.ok && started.failure.code === 'input_denied') return { actual: nothing, events }
    if (!started.ok) return { actual: nothing, events, fault: started.failure.message }
    const stuck = await over
    const leak = gateCase.hidden !== undefined && leakOf(gateCase.hidden, events, requests)
    const actual = outcomeOf(gateCase, events, runs.slice(ranBefore))
    const fault = stuck ?? (leak || undefined)
    return { actual, events, ...(fault !== undefined && { fault }) }
  } finally {
    clearTimeout(timer)
    await api.unfollow(session)
  }
}

const nothing: CaseOutcome = { outcome: 'none', asked: [], runs: 0 }

const counted = (tool: CaseTool, runs: { tool: string; input: Json }[]): CaseTool => ({
  ...tool,
  run(input, context) {
    runs.push({ tool: tool.name, input: input as Json })
    return tool.run(input, context)
  },
})

function modelOf(
  { before = [], beside = [], call }: GateCase,
  path: GatePath,
  requests: ModelRequest[],
  onCall: () => void,
): Model {
  const direct = gatePaths[0]!
  return {
    provider: 'scripted',
    model: 'scripted',
    async generate(request) {
      const turn = requests.push(request) - 1
      if (turn === before.length) onCall()
      const parts: readonly ReplyPart[] =
        turn < before.length
          ? direct.ask(before[turn]!)
          : turn === before.length
            ? [...beside.flatMap(direct.ask), ...path.ask(call)]
            : [{ type: 'text', text: 'Done.' }]
      return { parts, finish: 'stop', usage: { input: 1, output: 1 } }
    },
  }
}

function setupOf(
  { policy = {}, budget = {}, guardrails = {} }: GateCase,
  tools: readonly { readonly definition: AgentSetup['tools'][number] }[],
): AgentSetup {
  return {
    owner: 'tester',
    instructions: '',
    tools: tools.map(({ definition }) => definition),
    model: { hosted: false, config: { provider: 'scripted', model: 'scripted' } },
    budget,
    limits: {},
    scripts: true,
    policy,
    guards: { input: !!guardrails.input, call: !!guardrails.call, output: !!guardrails.output },
    store: 'memory',
    locale: 'en-GB',
    timeZone: 'UTC',
  }
}

const platformOf = (model: Model, sandbox: Sandbox): Platform => ({
  openStore: async () => createMemoryStore(),
  loadModel: async () => model,
  loadValidator: loadCachedValidator,
  createSandbox: () => sandbox,
  openChannel: () => ({ postMessage: () => undefined, onmessage: null, close: () => undefined }),
  locks: ownLocks,
  now: () => Date.now(),
  newId: () => crypto.randomUUID(),
  storage: async () => undefined,
  newSeed: () => 1,
})

/** As it comes over the wire: plain functions. */
const pageOf = (host: PageHost): PageApi => ({
  execute: (id, call) => host.execute(id, call),
  check: (call) => host.check(call),
  preview: (call) => host.preview(call),
  guard: host.guard.bind(host),
  reconcile: (call) => host.reconcile(call),
  generate: (id, request) => host.generate(id, request),
  abort: (id) => host.abort(id),
  notify: (notices) => host.notify(notices),
})

/** Nobody else is there to hold one. */
const ownLocks: Locks = { request: async (name, _options, callback) => callback({ name }) }

/** The person: does what the case says when its call asks, and approves what the path needs besides. */
async function answer(
  api: AgentApi,
  gateCase: GateCase,
  events: readonly RunEvent[],
  { callId, hash }: RunEvent & { readonly type: 'tool-decision' },
): Promise<void> {
  const isOfCase = caseCall(gateCase, events)?.callId === callId
  const asked = callsOf(events).find((call) => call.callId === callId)?.asked.length ?? 1
  const reaction = isOfCase ? gateCase.person?.at(Math.min(asked, gateCase.person.length) - 1) : undefined
  for (const command of commandsOf(reaction ?? { do: 'approve' }, callId, hash)) await api.command(session, command)
}

function commandsOf(reaction: Reaction, callId: string, hash: string): Parameters<AgentApi['command']>[1][] {
  const call = { runId, callId, hash } as const
  switch (reaction.do) {
    case 'approve':
      return [{ type: 'approve', ...call, ...(reaction.input !== undefined && { input: reaction.input }) }]
    case 'approve-or-deny':
      return [
        { type: 'approve', ...call, input: reaction.input },
        { type: 'deny', ...call },
      ]
    case 'deny':
      return [{ type: 'deny', ...call }]
    case 'forge':
      return [
        { type: 'approve', ...call, hash: '0'.repeat(64) },
        { type: 'deny', ...call },
      ]
    case 'approve-after':
      return [
        { type: 'mode', runId, modes: reaction.modes },
        { type: 'approve', ...call },
      ]
    case 'wait':
      return []
  }
}

/** The last one of its tool, once those before it are through. */
function caseCall({ before = [], call }: GateCase, events: readonly RunEvent[]): ListedCall | undefined {
  const same = callsOf(events).filter(({ tool }) => tool === call.tool)
  const earlier = before.filter(({ tool }) => tool === call.tool).length
  return same.length > earlier ? same.at(-1) : undefined
}

function outcomeOf(
  gateCase: GateCase,
  events: readonly RunEvent[],
  runs: readonly { readonly tool: string; readonly input: Json }[],
): CaseOutcome {
  const call = caseCall(gateCase, events)
  const own = runs.filter(({ tool }) => tool === gateCase.call.tool)
  const ranWith = own.at(-1)?.input
  return {
    outcome: call?.outcome ?? 'none',
    ...(call?.code !== undefined && { code: call.code }),
    asked: call?.asked.map(({ rules }) => rules) ?? [],
    runs: own.length,
    ...(ranWith !== undefined && { ranWith }),
  }
}

function leakOf(hidden: string, events: readonly RunEvent[], requests: readonly ModelRequest[]): string | undefined {
  if (JSON.stringify(events).includes(hidden)) return 'what must be hidden is in the log'
  return JSON.stringify(requests.map(({ messages }) => messages)).includes(hidden)
    ? 'what must be hidden was sent to the model'
    : undefined
}
