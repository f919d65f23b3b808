import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../desk.js'
import { countDays, showDay } from '../store/dates.js'
import type { OrderStatus, User } from '../store/orders.js'
import { loadRows, type OrderRow, type Shop } from '../store/shop.js'

const statusText: Readonly<Record<OrderStatus, string>> = {
  processing: 'Processing',
  shipped: 'Shipped',
  signed: 'Signed for',
  cancelled: 'Cancelled',
}
const money = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })

export function OrdersPanel({ shop, user }: { readonly shop: Shop; readonly user: User }) {
  const { rows, failure } = useRows(shop, user)
  const [query, setQuery] = useState('')
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = rows.filter((row) => words.every((word) => textOf(row).includes(word)))
  return (
    <section class="panel orders" aria-labelledby="orders-title">
      <div class="panel-head">
        <h2 id="orders-title">Orders</h2>
        <span class="quiet" role="status">
          {shown.length === rows.length ? `${rows.length}` : `${shown.length} of ${rows.length}`}
        </span>
        <input
          class="orders-filter"
          type="search"
          aria-label="Filter orders"
          placeholder="Filter by id, item or status"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </div>
      {failure && <p class="notice notice-error" role="alert">{`The orders could not be loaded: ${failure}`}</p>}
      <div class="orders-scroll" role="group" aria-label="Table of orders" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Order</th>
              <th scope="col">Item</th>
              <th scope="col" class="if-medium">
                Status
              </th>
              <th scope="col" class="if-wide">
                Ordered
              </th>
              <th scope="col">Signed for</th>
              <th scope="col" class="number if-medium">
                Total
              </th>
              <th scope="col">After-sales</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={row.order.id} row={row} />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && rows.length > 0 && <p class="orders-none">No order matches this filter.</p>}
      </div>
    </section>
  )
}

function Row({ row }: { readonly row: OrderRow }) {
  const { id, item, status, orderedOn, signedOn, total } = row.order
  return (
    <tr class={row.request && 'orders-requested'}>
      <th scope="row">{id}</th>
      <td>
        {item}
        {row.note && <span class="orders-note quiet">{`Note: ${row.note}`}</span>}
      </td>
      <td class="if-medium">
        <span class={`status status-${status}`}>{statusText[status]}</span>
      </td>
      <td class="date if-wide">{showDay(orderedOn)}</td>
      <td class="date">{signedOn ? showDay(signedOn) : '–'}</td>
      <td class="number if-medium">{money.format(total / 100)}</td>
      <td>{afterSales(row)}</td>
    </tr>
  )
}

function afterSales({ request, daysLeft }: OrderRow) {
  if (request)
    return (
      <>
        <strong>{request.id}</strong> <span class="quiet">{request.type}</span>
      </>
    )
  if (daysLeft === undefined) return <span class="quiet">–</span>
  return daysLeft === 0 ? 'Last day' : `${countDays(daysLeft)} left`
}

const textOf = ({ order, request, daysLeft, note }: OrderRow): string =>
  [
    order.id,
    order.item,
    statusText[order.status],
    request?.id,
    request?.type,
    daysLeft === undefined ? '' : 'left',
    note,
  ]
    .join(' ')
    .toLowerCase()

/** The user's orders, read again whenever the store says that something changed. */
function useRows(shop: Shop, user: User) {
  const [rows, setRows] = useState<readonly OrderRow[]>([])
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    const load = () =>
      loadRows(shop, user.id).then(
        (loaded) => isCurrent && setRows(loaded),
        (error: unknown) => isCurrent && setFailure(messageOf(error)),
      )
    void load()
    const unsubscribe = shop.requests.subscribe(() => void load())
    return () => {
      isCurrent = false
      unsubscribe()
    }
  }, [shop, user])
  return { rows, failure }
}
