import { amendmentOf, refused, type Amendment } from '../resend.js'
import type { GeminiWay } from './capabilities.js'

const without = amendmentOf<GeminiWay>()

/** What a model may refuse though its row has it. The first that changes the request is tried. */
export const geminiAmendments: readonly Amendment<GeminiWay>[] = [
  // Also what a signature is bound to may have changed.
  without('thoughtSignature', ({ message }) => /thought[_ ]?signature/i.test(message), { isUnsigned: true }, true),
  without('thinkingConfig', refused(/thinking|\bbudget\b/i), { thinking: 'nothing' }),
  without('responseJsonSchema', refused(/response[_ ]?(mime|json|schema|format)|controlled generation/i), {
    answerWithTools: false,
  }),
  without('VALIDATED', refused(/validated/i), { validated: false }),
  without('includeServerSideToolInvocations', refused(/server_?side_?tool_?invocations/i), { invocations: false }),
  without('hosted tools', refused(/built-in tool|multiple tools|tool use with function/i), { mixed: false }),
  without('files in results', refused(/function_?response|multimodal/i), { resultFiles: false }),
]
