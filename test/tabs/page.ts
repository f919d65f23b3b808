import { createAgent, defineTool, HandrailError, type Run, type RunEvent } from 'handrail'
import { scriptedModel } from 'handrail/testing'
import { Ledger } from '../chaos/ledger.js'
import { readStored, type StoredRun } from '../chaos/stored.js'

/** What a tab shows of a session. */
export interface Shown {
  readonly runs: readonly { readonly runId: string; readonly status: string; readonly events: readonly RunEvent[] }[]
  readonly approvals: readonly string[]
  /** Text that was streamed here. */
  readonly streamed: string
}

const query = new URLSearchParams(location.search)
const [name, owner, session] = ['tab', 'owner', 'session'].map((key) => query.get(key)!) as [string, string, string]

let requests = 0
let streamed = ''
/** Where the tool waits. */
let held: 'check' | 'run' | undefined
let letGo: () => void = () => undefined
const waitAt = (place: typeof held) =>
  held === place ? new Promise<void>((resolve) => (letGo = resolve)) : Promise.resolve()

const ledger = Ledger.open()
const agent = createAgent({
  owner,
  session,
  instructions: 'Help.',
  tools: [
    defineTool({
      name: 'send',
      description: 'Sends a letter',
      input: { type: 'object' },
      risk: 'irreversible',
      check: () => waitAt('check'),
      async run(_, { runId, idempotencyKey: key }) {
        await (await ledger).act({ runId, key, input: { tab: name } }, false)
        await waitAt('run')
        return { sent: true }
      },
    }),
  ],
  // What it says is made of the conversation alone: any tab can host it.
  model: {
    provider: 'scripted',
    model: 'scripted',
    generate(request, options) {
      requests++
      const { messages } = request
      const last = messages.at(-1)
      const text = messages.findLast(({ role }) => role === 'user')
      if (text?.role === 'user' && text.text === 'Send' && last?.role === 'user')
        return scriptedModel([{ calls: [{ tool: 'send', input: {} }] }]).generate(request, options)
      const isSlow = text?.role === 'user' && text.text === 'Count'
      const words = 'One two three four five six seven eight nine ten eleven twelve.'
      const reply = isSlow ? { text: words } : { text: 'Done.' }
      return scriptedModel([reply], { chunkSize: 4, delay: isSlow ? 150 : 0 }).generate(request, options)
    },
  },
})
const opened = agent.session(session)
opened.subscribe((_, update) => {
  if (update?.type === 'delta' && update.delta.type === 'text') streamed += update.delta.text
})

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (HandrailError.is(error) ? error.code : `not ours: ${String(error)}`),
  )
const openRun = (): Run => {
  const run = opened.openRun
  if (!run) throw new Error('There is no open run here')
  return run
}

const tab = {
  open: () => codeOf(opened.opened),
  start: (text: string) => opened.run(text).id,
  show: (): Shown => ({
    runs: opened.runs.map(({ id, state, events }) => ({ runId: id, status: state.status, events })),
    approvals: opened.openRun?.approvals.map(({ callId, hash }) => `${callId} ${hash}`) ?? [],
    streamed,
  }),
  /** The code of what it ended with. */
  approve: (callId: string) => codeOf(openRun().approve(callId)),
  cancel: () => codeOf(openRun().cancel()),
  approveRun: (runId: string, callId: string) =>
    codeOf(Promise.resolve().then(() => opened.runs.find(({ id }) => id === runId)?.approve(callId) ?? fail('no run'))),
  sessions: async () => (await agent.sessions()).map((head) => head.session),
  deleteSession: () => codeOf(agent.deleteSession(session)),
  /** Requests to the model that this tab hosts. */
  requests: () => requests,
  effects: async () => (await ledger).effects(),
  stored: (): Promise<StoredRun[]> => readStored(session),
  /** The tool's check does not answer, or it sends and does not return, until `letGo`. */
  hold: (place: 'check' | 'run') => void (held = place),
  letGo: () => letGo(),
}
export type Tab = typeof tab
Object.assign(globalThis, { tab })

function fail(why: string): never {
  throw new Error(why)
}
