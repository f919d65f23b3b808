import { useEffect, useState } from 'preact/hooks'
import { Desk } from '../desk.js'
import { loadEndpoint, saveEndpoint, type Endpoint } from '../model/choice.js'
import { users, type User } from '../store/orders.js'
import type { Shop } from '../store/shop.js'
import { AssistantPanel } from './assistant-panel.js'
import { OrdersPanel } from './orders-panel.js'
import { TimelinePanel } from './timeline-panel.js'

const userPlace = 'order-desk.user'

const lastUser = (): User => users.find(({ id }) => id === localStorage.getItem(userPlace)) ?? users[0]

export function App({ shop }: { readonly shop: Shop }) {
  const [user, setUser] = useState(lastUser)
  const [endpoint, setEndpoint] = useState(loadEndpoint)
  const desk = useDesk(shop, user, endpoint)

  const signIn = (next: User) => {
    localStorage.setItem(userPlace, next.id)
    setUser(next)
  }
  const choose = (next: Endpoint | undefined) => {
    saveEndpoint(next)
    setEndpoint(next)
  }

  if (!desk) return null
  return (
    <>
      <Header user={user} onSignIn={signIn} />
      <main class="desk">
        <OrdersPanel key={`orders-${user.id}`} shop={shop} user={user} />
        <AssistantPanel key={`assistant-${user.id}`} desk={desk} onChoose={choose} />
        <TimelinePanel desk={desk} />
      </main>
    </>
  )
}

/** A desk for as long as it is the one on the page. */
function useDesk(shop: Shop, user: User, endpoint: Endpoint | undefined): Desk | undefined {
  const [desk, setDesk] = useState<Desk>()
  useEffect(() => {
    const next = new Desk(shop, user, endpoint)
    setDesk(next)
    return () => next.close()
  }, [shop, user, endpoint])
  return desk
}

function Header({ user, onSignIn }: { readonly user: User; readonly onSignIn: (user: User) => void }) {
  return (
    <header class="bar">
      <h1 class="bar-title">
        <span class="bar-shop">Fernhill Outdoor</span> Order desk
      </h1>
      <p class="bar-about quiet wide-only">A demo of Handrail. The shop is made up, and stays in this browser.</p>
      <label class="bar-user">
        <span>Signed in as</span>
        <select
          value={user.id}
          onChange={(event) => onSignIn(users.find(({ id }) => id === event.currentTarget.value) ?? user)}
        >
          {users.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </header>
  )
}
