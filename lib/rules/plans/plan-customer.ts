/** Plans what a purchase changes of its customer. */
import { isErased } from '../identities/identities.ts'
import { ownReferral } from './own-credit.ts'
import type { CustomerChange, KnownFacts, OwnReferral } from './plan.ts'
import type { Purchase } from './purchase.ts'

/**
 * What the purchase changes of its customer: who referred it, and what is known of it.
 *
 * @param from the time of the sale, if it changes
 */
export const changeCustomer = (
  purchase: Purchase,
  facts: KnownFacts,
  from: Date | null,
): CustomerChange | null => {
  const { customer, origins } = facts
  if (!customer) return null
  const { id, revision } = customer
  const stored = customer.referrals.filter(({ origin }) => origins.includes(origin))
  const referral = purchase.sale
    ? ownReferral(purchase, facts, purchase.referredAt ?? purchase.sale.paidAt)
    : null
  const [only] = stored
  const isSame = referral
    ? stored.length === 1 && only !== undefined && isSameReferral(only, referral)
    : stored.length === 0
  const email = customer.email ?? (isErased(purchase.email) ? null : purchase.email)
  const name = customer.name ?? purchase.name
  const keeps = !purchase.sale || isSame
  if (keeps && from === null && email === customer.email && name === customer.name) return null
  // A report referred what was paid since its click, too, until it turned out to be of this
  // purchase.
  const changed = keeps
    ? []
    : [referral?.referredAt, ...stored.flatMap((r) => [r.referredAt, r.clickedAt])]
  const times = [from, ...changed.map((time) => time ?? null)]
  const known = times.filter((time) => time !== null)
  return {
    id,
    revision,
    email,
    name,
    referral,
    origins: keeps ? [] : origins,
    replanFrom: known.length ? new Date(Math.min(...known.map(Number))) : null,
  }
}

/** Marks the customer's sales from a time on, and changes nothing else of it. */
export const markCustomer = (
  { customer }: Pick<KnownFacts, 'customer'>,
  replanFrom: Date | null,
): CustomerChange | null => {
  if (!customer || !replanFrom) return null
  const { id, revision, email, name } = customer
  return { id, revision, email, name, referral: null, origins: [], replanFrom }
}

const isSameReferral = (a: OwnReferral, b: OwnReferral): boolean =>
  a.origin === b.origin &&
  a.partnerId === b.partnerId &&
  a.source === b.source &&
  a.attribution === b.attribution &&
  Number(a.referredAt) === Number(b.referredAt)
