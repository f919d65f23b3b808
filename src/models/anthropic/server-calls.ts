import { isJsonObject, type JsonObject } from '../../core/json.js'
import type { Message } from '../../core/transcript.js'
import { isOwn, nativeOf } from '../history.js'
import type { ModelConfig } from '../model.js'
import { inner, textAt } from '../wire.js'

/** A block with a call that the provider runs, its id; of a call of a program, the id of what runs the program. */
export const serverCallIn = (block: JsonObject): string | undefined => {
  const type = textAt(block, 'type')
  if (type === 'tool_use') return textAt(inner(block, 'caller'), 'tool_id') || undefined
  return type.endsWith('_tool_use') ? textAt(block, 'id') : undefined
}

/** The id of the call of the provider that a block is the result of. */
export const serverResultIn = (block: JsonObject): string | undefined =>
  textAt(block, 'type').endsWith('_tool_result') ? textAt(block, 'tool_use_id') : undefined

/** Ids of calls that these blocks leave open: what comes next may hold results only. */
export function openCalls(blocks: readonly JsonObject[]): ReadonlySet<string> {
  const open = new Set<string>()
  for (const block of blocks) {
    const [called, answered] = [serverCallIn(block), serverResultIn(block)]
    if (called !== undefined) open.add(called)
    if (answered !== undefined) open.delete(answered)
  }
  return open
}

/**
 * Ids of the provider's calls that will never have a result, since another message came: that of another model, or one that was
 * cut or refused. With them a history is a 400.
 */
export function deadCalls(messages: readonly Message[], config: ModelConfig): ReadonlySet<string> {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const opened = new Map<string, number>()
  const begun = new Set<string>()
  for (const [i, message] of messages.entries()) {
    if (message.role !== 'assistant' || !isOwn(message.origin, config)) continue
    for (const block of message.parts.map(nativeOf).filter(isJsonObject)) {
      const [called, answered] = [serverCallIn(block), serverResultIn(block)]
      if (called !== undefined && block.type !== 'tool_use') begun.add(called)
      if (called !== undefined) opened.set(called, begun.has(called) ? i : -1)
      if (answered !== undefined) opened.delete(answered)
    }
  }
  return new Set([...opened].filter(([, at]) => at !== last).map(([id]) => id))
}
