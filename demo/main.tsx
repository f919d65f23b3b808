import { render } from 'preact'
import { App } from './view/app.js'
import { today } from './store/dates.js'
import { openShop } from './store/shop.js'
import './style/base.css'
import './style/orders.css'
import './style/assistant.css'
import './style/timeline.css'
import './style/approval.css'

const shop = await openShop(today())
render(<App shop={shop} />, document.getElementById('app')!)
