import { expiryOf } from '../core/next.js'
import type { RunLog } from './log.js'

/** The most that a timer takes. */
const longestTimer = 2 ** 31 - 1

/** Ends what asks and was not answered in time; what ran out while nobody drove the run, at once. */
export function watchExpiry(log: RunLog, now: () => number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    const { status, stop, calls, asking } = log.state
    if (status !== 'running' || stop || asking === 0) return
    const at = now()
    let first = Infinity
    for (const call of calls.values()) {
      const expiry = call.phase === 'asking' ? expiryOf(call) : Infinity
      if (expiry > at) first = Math.min(first, expiry)
      else void log.accept({ type: 'approval-expired', callId: call.callId, hash: call.hash! }).catch(() => false)
    }
    if (first < Infinity) timer = setTimeout(look, Math.min(first - at, longestTimer))
  }
  const unsubscribe = log.subscribe(look)
  look()
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}
