import { PageHost } from '../client/page-host.js'
import type { Decision } from '../core/events.js'
import type { PageApi } from '../runtime/protocol.js'
import type { Tool } from '../tools/tool.js'
import { recordedGuardrails } from './recorded-page.js'

/** The page of now for its own tools, and the recorded one for the others. What guardrails said is recorded of both. */
export function createLivePage(
  tools: readonly Tool[],
  recorded: PageApi,
  decisionFor: (callId: string) => Decision | undefined,
): PageApi {
  const host = new PageHost({ tools, onDelta: () => undefined, onNotice: () => undefined })
  const names = new Set(tools.map(({ definition }) => definition.name))
  const pageOf = (toolName: string): PageApi => (names.has(toolName) ? host : recorded)
  return {
    ...recorded,
    execute: (id, call) => pageOf(call.toolName).execute(id, call),
    reconcile: (call) => pageOf(call.toolName).reconcile(call),
    preview: (call) => pageOf(call.toolName).preview(call),
    async check(call) {
      const reply = await pageOf(call.toolName).check(call)
      if (!reply.ok || !names.has(call.toolName)) return reply
      const answers = [...reply.value.answers, ...recordedGuardrails(decisionFor(call.callId))]
      return { ok: true, value: { ...reply.value, answers } }
    },
    abort: (id) => host.abort(id),
  }
}
