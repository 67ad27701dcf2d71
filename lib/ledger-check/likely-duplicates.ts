/** Sales of which nothing says that they are one payment, but which look like it. */
import { formatMoney } from '../values/money.ts'
import { idsOf } from './differences.ts'
import { rounded } from './fractions.ts'
import { allOf } from './payments.ts'
import { earns, isPending, type StoredPurchase, storedOf } from './purchase.ts'
import { readAccount } from './purchase-account.ts'

/** An invoice and its payment that are further apart than this are two purchases. */
export const TWIN_HOURS = 24

/** Whether the sale earns, and no manager was asked to compare it with another sale. */
const earnsUnseen = ({ sales }: StoredPurchase): boolean =>
  sales.some((sale) => earns(sale) && sale.commission?.isCompared === false)

const idsNamed = (purchase: StoredPurchase) => {
  const stored = storedOf(purchase)
  const invoices = [
    ...allOf(stored, 'invoice').map(({ id }) => id),
    ...allOf(stored, 'payment').map(({ invoice }) => invoice),
    ...allOf(stored, 'checkout').flatMap(({ invoice }) => invoice ?? []),
    ...allOf(stored, 'intent').flatMap(({ pays }) => pays ?? []),
  ]
  const own = [...invoices, ...purchase.sales.map(({ externalId }) => externalId)]
  return {
    invoices,
    others: purchase.keys.filter((key) => !own.includes(key) && !key.includes(':')),
  }
}

/** Whether it is an invoice that earns, and no event says by which payment it was paid. */
export const isWithoutPayment = (purchase: StoredPurchase): boolean => {
  const { invoices, others } = idsNamed(purchase)
  return invoices.length > 0 && others.length === 0 && earnsUnseen(purchase)
}

/**
 * Earning payments without an invoice, of the amount of an earning invoice without a payment, one
 * to one.
 *
 * @param invoices those without a payment
 * @param near purchases that may be of the same customers and times
 */
export const findTwins = (
  invoices: StoredPurchase[],
  near: StoredPurchase[],
  now: number,
): string[] => {
  const payments = new Set(
    near.filter(
      (one) => idsNamed(one).invoices.length === 0 && earnsUnseen(one) && !isPending(one, now),
    ),
  )
  return invoices.flatMap((invoice) => {
    const received = amountOf(invoice, now)
    const twin = [...payments].find(
      (other) => isNear(invoice, other) && amountOf(other, now) === received,
    )
    if (received === null || !twin) return []
    payments.delete(twin)
    const sales = [...invoice.sales, ...twin.sales].filter(earns)
    return [`${idsOf(sales)} look like one payment of ${received}, and each of them earns.`]
  })
}

/** Whether both are of one customer, at about the same time. */
const isNear = (invoice: StoredPurchase, other: StoredPurchase): boolean =>
  invoice.sales.some((a) =>
    other.sales.some(
      (b) =>
        a.id !== b.id &&
        a.customerId !== null &&
        a.customerId === b.customerId &&
        Math.abs(Date.parse(a.occurredAt) - Date.parse(b.occurredAt)) <= TWIN_HOURS * 60 * 60_000,
    ),
  )

const amountOf = (purchase: StoredPurchase, now: number): string | null => {
  const account = readAccount(storedOf(purchase), now)
  return account && formatMoney(rounded(account.received.cents), account.currency)
}
