import { useEffect, useRef } from 'preact/hooks'
import type { RunView } from '../desk.js'
import { conversation, type Item } from './conversation.js'

interface Props {
  readonly runs: readonly RunView[]
  readonly isOpening: boolean
  readonly isBusy: boolean
}

export function Conversation({ runs, isOpening, isBusy }: Props) {
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const box = log.current
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight
  }, [runs])
  const note = ({ currentTarget: box }: { readonly currentTarget: HTMLDivElement }) => {
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 40
  }
  return (
    <div
      class="conversation"
      role="log"
      aria-label="Conversation"
      aria-busy={isBusy}
      tabIndex={0}
      ref={log}
      onScroll={note}
    >
      {isOpening && <p class="activity activity-live">Opening the conversation</p>}
      {!isOpening && runs.length === 0 && (
        <p class="conversation-empty">Ask about your orders, or ask for a return. Nothing is submitted without you.</p>
      )}
      {runs.map((view) => conversation(view).map((item, i) => <ItemView key={`${view.run.id}-${i}`} item={item} />))}
    </div>
  )
}

function ItemView({ item }: { readonly item: Item }) {
  switch (item.kind) {
    case 'user':
    case 'assistant':
      return (
        <div class={`message message-${item.kind}`}>
          <span class="visually-hidden">{item.kind === 'user' ? 'You: ' : 'Assistant: '}</span>
          {item.text}
        </div>
      )
    case 'activity':
      return <p class={item.isLive ? 'activity activity-live' : 'activity'}>{item.text}</p>
    case 'notice':
      return <p class={item.isError ? 'notice notice-error' : 'activity'}>{item.text}</p>
  }
}
