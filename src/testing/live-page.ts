import { PageHost } from '../client/page-host.js'
import type { RunEvent } from '../core/events.js'
import type { PageApi } from '../runtime/protocol.js'
import type { Tool } from '../tools/tool.js'
import { recordedGuardrails } from './recorded-page.js'
import { SecretNames } from './secret-names.js'
import type { Stage } from './stage.js'

/** The page of now for its own tools, and the recorded one for the others. What guardrails said is recorded of both. */
export function createLivePage(tools: readonly Tool[], recorded: PageApi, stage: Stage): PageApi {
  const host = new PageHost({ tools, onDelta: () => undefined, onNotice: () => undefined })
  const names = new Set(tools.map(({ definition }) => definition.name))
  const secrets = new SecretNames()
  const pageOf = (toolName: string): PageApi => (names.has(toolName) ? host : recorded)
  return {
    ...recorded,
    async execute(id, call) {
      const reply = await pageOf(call.toolName).execute(id, secrets.toNow(call))
      const { output, failure } = resultOf(stage.expected)
      if (reply.ok) secrets.learn(output, reply.value)
      else secrets.learn(failure?.message, reply.failure.message)
      return secrets.toRecorded(reply)
    },
    reconcile: (call) => pageOf(call.toolName).reconcile(secrets.toNow(call)),
    preview: (call) => pageOf(call.toolName).preview(secrets.toNow(call)),
    async check(call) {
      const reply = await pageOf(call.toolName).check(secrets.toNow(call))
      if (!reply.ok || !names.has(call.toolName)) return reply
      const answers = [...reply.value.answers, ...recordedGuardrails(stage.decisionFor(call.callId))]
      return { ok: true, value: { ...reply.value, answers } }
    },
    abort: (id) => host.abort(id),
  }
}

const resultOf = (event: RunEvent | undefined) => (event?.type === 'tool-result' ? event : {}) as Partial<Result>
type Result = RunEvent & { readonly type: 'tool-result' }
