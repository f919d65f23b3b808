import { render } from 'preact'
import { messageOf } from './desk.js'
import { today } from './store/dates.js'
import { openShop } from './store/shop.js'
import { App } from './view/app.js'
import './style/base.css'
import './style/orders.css'
import './style/assistant.css'
import './style/timeline.css'
import './style/approval.css'

const place = document.getElementById('app')!

try {
  render(<App shop={await openShop(today())} />, place)
} catch (error) {
  const text = `The order desk cannot open its store in this browser: ${messageOf(error)}`
  render(
    <p class="notice notice-error" role="alert">
      {text}
    </p>,
    place,
  )
}
