import type { Rules } from './world.js'

/** A rule broken on purpose. `scenario` and `trouble` are the smallest place where the checks notice. */
export interface Mutant {
  readonly rule: string
  readonly broken: { readonly promise: keyof Rules } | Edit
  readonly scenario: string
  readonly trouble: number
}
export interface Edit {
  readonly file: 'next' | 'state' | 'transcript' | 'grants'
  readonly from: string
  readonly to: string
}

const edit = (file: Edit['file'], from: string, to: string): Edit => ({ file, from, to })

export const mutants: readonly Mutant[] = [
  {
    rule: 'an append is refused unless its effect is still due',
    broken: { promise: 'guard' },
    scenario: 'asked read after a write',
    trouble: 0,
  },
  {
    rule: 'a drive loop that starts again takes a new epoch',
    broken: { promise: 'freshEpoch' },
    scenario: 'two asked writes',
    trouble: 1,
  },
  {
    rule: 'not done means that the key was made void',
    broken: { promise: 'voidKey' },
    scenario: 'asked read after a write',
    trouble: 2,
  },
  {
    rule: 'nothing is sent again once the run is stopped',
    broken: { promise: 'stopBeforeResend' },
    scenario: 'asked read after a write',
    trouble: 2,
  },
  {
    rule: 'an aborted write that was not sent is not sent',
    broken: { promise: 'abortBeforeSend' },
    scenario: 'asked read after a write',
    trouble: 1,
  },
  {
    rule: 'a write waits for earlier calls of the run, not only of its step or turn',
    broken: edit(
      'next',
      'isEarlier(other, callId)) return',
      'parentOf(other) === parentOf(callId) && isEarlier(other, callId)) return',
    ),
    scenario: 'direct write, then a script',
    trouble: 0,
  },
  {
    rule: 'a write does not wait for its own script',
    broken: edit('next', ' || other === parentOf(callId)) continue', ') continue'),
    scenario: 'script, then a direct write',
    trouble: 0,
  },
  {
    rule: 'a read waits for an executing write',
    broken: edit('next', 'if (busy.write) return false', "if (busy.write && mode === 'write') return false"),
    scenario: 'asked read after a write',
    trouble: 0,
  },
  {
    rule: 'a write waits for executing reads, also later ones',
    broken: edit('next', 'if (busy.read) return false', ''),
    scenario: 'asked read after a write',
    trouble: 0,
  },
  {
    rule: 'an interrupted write is reconciled, not decided again',
    broken: edit('next', "if (mode === 'write')\n", "if (mode === 'write' && call.toolName !== 'askPlain')\n"),
    scenario: 'one request a step',
    trouble: 0,
  },
  {
    rule: 'an interrupted idempotent write is reconciled too, not decided again',
    broken: edit('next', "if (mode === 'write')\n", "if (mode === 'write' && call.toolName === 'askPlain')\n"),
    scenario: 'asked read after a write',
    trouble: 0,
  },
  {
    rule: 'a started write is not cancelled',
    broken: edit('next', "mode === 'read' && (state.stop", "mode !== 'script' && (state.stop"),
    scenario: 'asked read after a write',
    trouble: 1,
  },
  {
    rule: 'an approval counts only for its hash',
    broken: edit(
      'state',
      "(verdict !== 'deny' && call.approved === hash)",
      "(verdict !== 'deny' && call.approved !== undefined)",
    ),
    scenario: 'two asked writes',
    trouble: 1,
  },
  {
    rule: 'a late approval is refused',
    broken: edit(
      'next',
      "call?.phase !== 'asking' || call.hash !== event.hash",
      "(call?.phase !== 'asking' && call?.phase !== 'refused')",
    ),
    scenario: 'two asked writes',
    trouble: 0,
  },
  {
    rule: 'a run ends after its calls',
    broken: edit(
      'next',
      'if (state.calls.size > 0) return effects',
      'if (state.calls.size > 0 && !state.stop) return effects',
    ),
    scenario: 'two reads, one asked write',
    trouble: 1,
  },
  {
    rule: 'a script is fed in log order',
    broken: edit('next', 'turn === 0 ? undefined : queue[0]', 'turn === 0 ? undefined : queue.at(-1)'),
    scenario: 'script: all(read, asked write), then write',
    trouble: 0,
  },
  {
    rule: 'calls of an ended script are skipped',
    broken: edit('next', "ended ? 'skipped' : undefined", 'undefined'),
    scenario: 'script that ends with calls open',
    trouble: 0,
  },
  {
    rule: 'a script waits for its calls before it settles',
    broken: edit('next', 'return hasOpenChild(state, callId) ? undefined : settle', 'return settle'),
    scenario: 'script that ends with calls open',
    trouble: 0,
  },
  {
    rule: 'news waits for the next step-start',
    broken: edit('transcript', 'news: [...t.news, {', 'messages: [...t.messages, {'),
    scenario: 'a plain write, then a second step',
    trouble: 1,
  },
  {
    rule: 'a stop is heard by what is asked',
    broken: edit(
      'next',
      "if (phase !== 'started' && closed)",
      "if (phase !== 'started' && phase !== 'asking' && closed)",
    ),
    scenario: 'a plain write, then a second step',
    trouble: 1,
  },
  {
    rule: 'a paused model is asked again',
    broken: edit('state', "if (event.finish === 'resend') return { ...state, step: following(state) }", ''),
    scenario: 'a pause between two reads',
    trouble: 0,
  },
  {
    rule: 'an answer in doubt is checked',
    broken: edit('state', "isPlainAnswer(state, event) ? 'final' : 'answered'", "'final'"),
    scenario: 'an answer in doubt, then a write',
    trouble: 0,
  },
  {
    rule: 'a demand holds until the call that it names',
    broken: edit('state', '!event.calls.some((call) => isDemanded(state.header, call))', 'event.calls.length === 0'),
    scenario: 'a call that is demanded',
    trouble: 0,
  },
  {
    rule: 'a model that is sent back goes on',
    broken: edit('state', "if (event.verdict === 'repair') return { ...state, step: following(state) }", ''),
    scenario: 'an answer in doubt, then a write',
    trouble: 0,
  },
  {
    rule: 'an answer that fails ends the run',
    broken: edit('state', "event.verdict === 'accept' ? 'final' : 'failed'", "'final'"),
    scenario: 'an answer in doubt, then a write',
    trouble: 0,
  },
  {
    rule: 'a stop is heard before an answer is checked',
    broken: edit(
      'next',
      "  if (state.stop) return state.stop === 'deadline'",
      "  if (state.stop && phase !== 'answered') return state.stop === 'deadline'",
    ),
    scenario: 'an answer in doubt, then a write',
    trouble: 1,
  },
  {
    rule: 'a note waits for the next step-start',
    broken: edit(
      'transcript',
      "{ ...t, note: { role: 'note', text: wellFormed(event.note) } }",
      "{ ...t, messages: [{ role: 'note', text: event.note }, ...t.messages] }",
    ),
    scenario: 'an answer in doubt, then a write',
    trouble: 0,
  },
  {
    rule: 'a failure that cannot be retried ends the run',
    broken: edit('state', "event.failure?.retryable === false ? 'failed' : 'due'", "'due'"),
    scenario: 'two reads, one asked write',
    trouble: 1,
  },
  {
    rule: 'a cut stream is tried again',
    broken: edit('state', "event.failure?.retryable === false ? 'failed' : 'due'", "'failed'"),
    scenario: 'two reads, one asked write',
    trouble: 1,
  },
  {
    rule: 'attempts at one step are limited',
    broken: edit('next', ' || attempt >= budgetOf(state).attempts', ''),
    scenario: 'one request a step',
    trouble: 1,
  },
  {
    rule: 'a used up budget ends the run',
    broken: edit('next', 'if (over) return', 'if (over && attempt > 0) return'),
    scenario: 'three requests in a budget of two',
    trouble: 0,
  },
  {
    rule: 'a deadline ends the run as budget-exceeded',
    broken: edit('next', "state.stop === 'deadline' ? end('budget-exceeded', 'time') : ", ''),
    scenario: 'two reads, one asked write',
    trouble: 1,
  },
  {
    rule: 'a stop ends the run before another request',
    broken: edit('next', 'if (state.stop) return state.stop', 'if (state.stop && attempt > 0) return state.stop'),
    scenario: 'two reads, one asked write',
    trouble: 1,
  },
  {
    rule: 'a settled call does not wait for a person any more',
    broken: edit('state', 'state.asking - Number(isAsking(state, callId))\n  const', 'state.asking\n  const'),
    scenario: 'script that ends with calls open',
    trouble: 0,
  },
  {
    rule: 'an answered call does not wait for a person any more',
    broken: edit('state', ' - Number(isAsking(state, call.callId))', ''),
    scenario: 'two reads, one asked write',
    trouble: 0,
  },
  {
    rule: '"not done" is not final',
    broken: edit('state', '!event.done || event.runId !== undefined', 'event.runId !== undefined'),
    scenario: 'two asked writes',
    trouble: 2,
  },
  {
    rule: 'news of another run changes nothing in this one',
    broken: edit('state', '!event.done || event.runId !== undefined', '!event.done'),
    scenario: 'two asked writes',
    trouble: 2,
  },
  {
    rule: 'what was fed leaves the queue',
    broken: edit('state', 'event.fed === undefined ? queue : queue.slice(1)', 'queue'),
    scenario: 'script: all(read, asked write), then write',
    trouble: 0,
  },
  {
    rule: 'a driver that was frozen cannot append',
    broken: { promise: 'fence' },
    scenario: 'two asked writes',
    trouble: 1,
  },
  {
    rule: 'a reason less does not ask again',
    broken: { promise: 'keepReasons' },
    scenario: 'two asked writes',
    trouble: 1,
  },
  {
    rule: 'a write asks while the outcome of another is unknown',
    broken: { promise: 'unknownAsks' },
    scenario: 'an unknown write beside another',
    trouble: 1,
  },
  {
    rule: 'the same write asks when it is made again',
    broken: { promise: 'repeatAsks' },
    scenario: 'the same write again',
    trouble: 0,
  },
  {
    rule: 'the modes are looked at once more right before the start',
    broken: { promise: 'gateAtStart' },
    scenario: 'modes that change, with approvals',
    trouble: 1,
  },
  {
    rule: '"not done" of a query means that it cannot be done any more',
    broken: { promise: 'voidQuery' },
    scenario: 'a write that can be looked up, then another',
    trouble: 1,
  },
  {
    rule: 'an answer for the rest is for one script',
    broken: { promise: 'grantOfScript' },
    scenario: 'for the rest of one of two scripts',
    trouble: 0,
  },
  {
    rule: 'an answer for the rest is for the reasons that were shown',
    broken: { promise: 'grantReasons' },
    scenario: 'for the rest, one after the other',
    trouble: 1,
  },
  {
    rule: 'an answer for the rest is for the values that were fixed',
    broken: { promise: 'grantFixed' },
    scenario: 'for the rest of a script',
    trouble: 0,
  },
  {
    rule: 'an answer for the rest is for so many calls',
    broken: { promise: 'grantCount' },
    scenario: 'for the rest, one after the other',
    trouble: 0,
  },
  {
    rule: 'a denial for the rest denies',
    broken: { promise: 'denialForRest' },
    scenario: 'for the rest, one after the other',
    trouble: 0,
  },
  {
    rule: 'the calls that start on an answer for the rest are counted',
    broken: edit('grants', 'used: grant.used + 1', 'used: grant.used'),
    scenario: 'for the rest, one after the other',
    trouble: 0,
  },
  {
    rule: 'a call that spends an answer for the rest makes the others ask the gate again',
    broken: edit(
      'grants',
      "calls: askedAnew(calls, (other) => other.phase === 'ready' && parentOf(other.callId) === grant.parent)",
      'calls',
    ),
    scenario: 'for the rest, with reads that start together',
    trouble: 0,
  },
  {
    rule: 'what asks already is decided again when the person answers for the rest',
    broken: edit('grants', 'calls: askedAnew(calls, (call) => isOther(call) && waits(call))', 'calls'),
    scenario: 'for the rest of a script',
    trouble: 0,
  },
  {
    rule: 'an answer for the rest ends with its script',
    broken: edit('state', 'call.script ? withoutScript(state.grants, callId) : state.grants', 'state.grants'),
    scenario: 'for the rest, one after the other',
    trouble: 0,
  },
  {
    rule: 'a change of the modes makes the gate answer again',
    broken: edit('state', 'askedAnew(state.calls, (call) => isBeforeGate(state, call))', 'state.calls'),
    scenario: 'modes that change, with a slow gate',
    trouble: 1,
  },
  {
    rule: 'a change of the modes is kept',
    broken: edit('state', 'modes: modesOf(event),\n        calls', 'modes: state.modes,\n        calls'),
    scenario: 'modes that change, with a slow gate',
    trouble: 1,
  },
  {
    rule: 'what the page forbids is not sent again',
    broken: edit('next', 'resend: !closed && maySend(state.modes, call)', 'resend: !closed'),
    scenario: 'modes that change, with a slow gate',
    trouble: 2,
  },
  {
    rule: 'an answer after its time is refused',
    broken: edit('next', 'at < expiryOf(call) && isOf', 'isOf'),
    scenario: 'answers that have a time',
    trouble: 0,
  },
  {
    rule: 'nothing expires before its time',
    broken: edit('next', '? at >= expiryOf(call)', '? at >= 0'),
    scenario: 'answers that have a time',
    trouble: 0,
  },
  {
    rule: 'the reasons that were shown are kept',
    broken: edit('state', 'verdict, hash, reasons, ', 'verdict, hash, '),
    scenario: 'two asked writes',
    trouble: 1,
  },
]
