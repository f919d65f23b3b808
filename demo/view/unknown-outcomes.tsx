import { messageOf, type RunView } from '../desk.js'

interface Props {
  readonly runs: readonly RunView[]
  readonly onError: (message: string) => void
}

/** Writes of which nobody knows whether they took effect: only a person can look. */
export function UnknownOutcomes({ runs, onError }: Props) {
  const calls = runs.flatMap(({ run, unknown }) => unknown.map((call) => ({ run, call })))
  return (
    <>
      {calls.map(({ run, call }) => {
        const say = (done: boolean) =>
          run.reconcile(call.callId, done).catch((error: unknown) => onError(messageOf(error)))
        return (
          <div key={`${run.id}-${call.callId}`} class="notice notice-warn notice-action" role="alert">
            <span>
              It is not known whether <code>{call.toolName}</code> took effect. Please look, for example in the table.
            </span>
            <span class="notice-buttons">
              <button type="button" onClick={() => say(true)}>
                It was done
              </button>
              <button type="button" onClick={() => say(false)}>
                It was not done
              </button>
            </span>
          </div>
        )
      })}
    </>
  )
}
