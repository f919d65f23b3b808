import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  readonly isReady: boolean
  readonly isRunning: boolean
  readonly onSend: (text: string) => void
  readonly onStop: () => void
  /** Absent: there is nothing to leave. */
  readonly onNew?: () => void
}

export function Composer({ isReady, isRunning, onSend, onStop, onNew }: Props) {
  const [text, setText] = useState('')
  /** Sent before the worker was there: it goes out as soon as it can. */
  const [isQueued, setIsQueued] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const send = () => {
    box.current?.focus()
    if (isRunning || text.trim() === '') return
    if (!isReady) return setIsQueued(true)
    onSend(text.trim())
    setText('')
  }
  useEffect(() => {
    if (!isReady || !isQueued) return
    setIsQueued(false)
    send()
  }, [isReady])
  const stop = () => {
    box.current?.focus()
    onStop()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        aria-label="Message"
        placeholder="Ask about your orders"
        rows={2}
        ref={box}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-buttons">
        <button type="submit" class="button-primary" disabled={isRunning || isQueued}>
          Send
        </button>
        <button type="button" disabled={!isRunning} onClick={stop}>
          Stop
        </button>
        <button type="button" class="button-quiet" disabled={!onNew} onClick={onNew}>
          New conversation
        </button>
      </div>
    </form>
  )
}
