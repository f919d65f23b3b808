import type { EventBody } from '../core/events.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'
import { recoverWrite } from './recover-write.js'

/** A write that was started under an earlier epoch: whether its request went out is not known, so it is never decided again. */
export async function reconcileTool(ports: RunPorts, { id, call }: EffectOf<'reconcile-tool'>): Promise<EventBody> {
  const why = 'The page was closed or its worker ended while the call was executing.'
  const resend = () =>
    ports.log.due.some((effect) => effect.type === 'reconcile-tool' && effect.id === id && effect.resend)
  return { type: 'tool-result', callId: call.callId, ...(await recoverWrite(ports, call, { resend, why })) }
}
