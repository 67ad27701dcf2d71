/** `expand[]`: replaces ids by their objects, and adds includable lists. */
import { invalidParam } from './errors.ts'
import { INLINE_LINES } from './invoice-lines.ts'
import { idOf, listOf, type Store } from './store.ts'

type Json = { [key: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The object that a field refers to. */
const find = (store: Store, field: string, id: string): unknown => {
  switch (field) {
    case 'charge':
    case 'latest_charge':
      return store.charges.find(id)
    case 'coupon':
      return store.coupons.find(id)
    case 'customer':
      return store.customers.find(id)
    case 'discounts':
      return store.discounts.find(id)
    case 'invoice':
    case 'latest_invoice':
      return store.invoices.find(id)
    case 'payment_intent':
      return store.paymentIntents.find(id)
    case 'product':
      return store.products.find(id)
    case 'promotion_code':
      return store.promotionCodes.find(id)
    case 'subscription':
      return store.subscriptions.find(id)
    default:
      return undefined
  }
}

/** A list that is present only if expanded. */
const include = (store: Store, { object, id }: Json, field: string): unknown => {
  if (typeof id !== 'string') return undefined
  if (object === 'invoice' && field === 'payments') {
    const payments = store.invoicePayments.list().filter(({ invoice }) => idOf(invoice) === id)
    return listOf(payments, `/v1/invoice_payments?invoice=${id}`)
  }
  if (object === 'checkout.session' && field === 'line_items') {
    const items = store.lineItems.get(id) ?? []
    const url = `/v1/checkout/sessions/${id}/line_items`
    return { ...listOf(items.slice(0, INLINE_LINES), url), has_more: items.length > INLINE_LINES }
  }
  if (object === 'charge' && field === 'refunds') {
    const refunds = store.refunds.list().filter(({ charge }) => idOf(charge) === id)
    return listOf(refunds, `/v1/charges/${id}/refunds`)
  }
  return undefined
}

const expandField = (
  store: Store,
  owner: Json,
  [field = '', ...rest]: string[],
  path: string,
): void => {
  const refuse = (): never => {
    throw invalidParam('expand[0]', `This property cannot be expanded (${path}).`)
  }
  const resolve = (value: unknown): unknown =>
    typeof value === 'string' ? copy(find(store, field, value) ?? refuse()) : value
  const value =
    owner[field] === undefined ? copy(include(store, owner, field) ?? refuse()) : owner[field]
  const expanded = Array.isArray(value) ? value.map(resolve) : resolve(value)
  owner[field] = expanded
  if (!rest.length) return
  for (const next of [expanded].flat()) if (isJson(next)) expandField(store, next, rest, path)
}

/** An object with the requested fields expanded. @throws when a field can't be expanded */
export const expand = (store: Store, object: object, paths: string[]): object => {
  if (!paths.length) return object
  const expanded = copy(object)
  if (isJson(expanded))
    for (const path of paths) expandField(store, expanded, path.split('.'), path)
  return isJson(expanded) ? expanded : object
}
