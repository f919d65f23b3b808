import { useState } from 'preact/hooks'
import { messageOf, type Desk } from '../desk.js'
import { isBuiltIn, providerNames, type Endpoint } from '../model/choice.js'
import { ApprovalDialog } from './approval-dialog.js'
import { Composer } from './composer.js'
import { Conversation } from './conversation-log.js'
import { EndpointForm } from './endpoint-form.js'
import { RunModes } from './run-modes.js'
import { ToldFailures } from './told-failures.js'
import { UnknownOutcomes } from './unknown-outcomes.js'

const suggestions = [
  'Which of my orders can still be returned?',
  'Return O-314, the sole came off',
  'Do what the messages about O-312 say',
]

interface Props {
  readonly desk: Desk
  readonly onChoose: (endpoint: Endpoint | undefined) => void
}

export function AssistantPanel({ desk, onChoose }: Props) {
  const { status, failure, refusal, runs, mode } = desk.view.value
  const [problem, setProblem] = useState<string>()
  const isOpen = runs.some((run) => run.isOpen)
  const attempt = (work: () => unknown) => {
    setProblem(undefined)
    const run = async () => await work()
    run().catch((error: unknown) => setProblem(messageOf(error)))
  }
  const alert = problem ?? refusal
  return (
    <section class="panel assistant" aria-labelledby="assistant-title">
      <div class="panel-head">
        <h2 id="assistant-title">Assistant</h2>
        <span class="assistant-label">{labelOf(desk.endpoint)}</span>
      </div>
      <EndpointForm endpoint={desk.endpoint} isLocked={isOpen} onChoose={onChoose} />
      <Conversation
        runs={runs}
        isOpening={status === 'opening'}
        isBusy={runs.some(({ draft }) => draft !== undefined)}
      />
      {status === 'ready' && runs.length === 0 && (
        <div class="suggestions">
          {suggestions.map((text) => (
            <button key={text} type="button" class="suggestion" onClick={() => attempt(() => desk.send(text))}>
              {text}
            </button>
          ))}
        </div>
      )}
      <ApprovalDialog runs={runs} />
      <ToldFailures runs={runs} />
      <UnknownOutcomes runs={runs} onError={setProblem} />
      {alert && (
        <p class="notice notice-error" role="alert">
          {alert}
        </p>
      )}
      {(status === 'failed' || runs.some((run) => run.failure !== undefined)) && (
        <div class="notice notice-error notice-action" role="alert">
          <span>{failure ?? 'The assistant stopped before it was done.'}</span>
          <button type="button" onClick={() => desk.open()}>
            Try again
          </button>
        </div>
      )}
      <RunModes mode={mode} isRunning={isOpen} onChange={(next) => attempt(() => desk.setMode(next))} />
      <Composer
        isReady={status === 'ready'}
        isRunning={isOpen}
        onSend={(text) => attempt(() => desk.send(text))}
        onStop={() => attempt(() => desk.stop())}
        onNew={runs.length === 0 || isOpen ? undefined : () => attempt(() => desk.newConversation())}
      />
    </section>
  )
}

function labelOf(endpoint: Endpoint | undefined): string {
  if (endpoint) return `${endpoint.model}, ${providerNames[endpoint.provider]} API`
  return isBuiltIn ? 'the model of this browser' : 'scripted demo model, not an AI'
}
