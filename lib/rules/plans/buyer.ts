/** The customer of a purchase, by its ids and address. Design, section 5, "Who a customer is". */

import type { AddressClaim } from '../attribution/address-claims.ts'
import type { Payments } from '../decisions/payment-history.ts'
import { type Identity, identityOf } from '../identities/identities.ts'
import { ownerAt, type Referral } from '../identities/owner.ts'
import type { EarnedSum } from '../rewards/caps.ts'
import type { KnownCustomer } from './plan.ts'
import type { Purchase } from './purchase.ts'

/** A customer who has one of a purchase's ids or addresses. */
export type Candidate = KnownCustomer & {
  /** The strong identities of the purchase that it has. */
  identities: Identity[]
  /** Whether the merchant has reported the purchase's address as its own. */
  hasAddress: boolean
  /** The purchase's address, if a lead named it. */
  byAddress: AddressClaim | null
  /** Whether it has other sales. Loaded, as `pairedWith`, for a purchase with a reference only. */
  hasPaid: boolean
  pairedWith: string[]
  /** When each program first rewarded an earlier sale of each subscription, or of none. */
  rewarded: { programId: string; subscriptionId: string | null; rewardedAt: Date }[]
  /** What those have earned by: see `productOf`. Loaded only if a program rewards products once. */
  rewardedProducts: { programId: string; product: string }[]
  /** Its earlier payments of each subscription, or of none; null if no reward asks for them. */
  payments: Payments[] | null
  /** What its earlier sales have earned; null if no reward asks for it. */
  earned: EarnedSum[] | null
}

type Claim = {
  /** The time of the payment, up to which referrals count. */
  paidAt: Date
  isPaid: boolean
  /** Whether it has a coupon or click of its own that credits a partner. */
  hasCredit: boolean
  /** The origins of its own referrals, which do not say who owned its customer before. */
  origins: string[]
}

export type Buyer = {
  customer: Candidate | null
  /** What has to be tied before the purchase is planned. */
  tie: Identity[] | null
  isGuest: boolean
  /** The buyer's own id, if only a typed address says that the purchase is the customer's. */
  addressedId: string | null
}

/**
 * The strong identities of a purchase: the processor's and the merchant's ids, else the reference
 * of its checkout, else those of a guest, who is known by an address, or only by the purchase.
 *
 * @param reported the customer's ids in the merchant's reports of the purchase
 */
export const identitiesOf = (
  { customer, customerExternalIds, reference, email, externalId }: Purchase,
  reported: string[],
): Identity[] => {
  const ids = [...new Set([...(customer ? [customer] : []), ...customerExternalIds, ...reported])]
  if (ids.length > 0) return ids.map(identityOf)
  if (reference !== null) return [identityOf(reference)]
  const guest = email ?? externalId
  return guest === null ? [] : [{ kind: 'guest', value: guest }]
}

/** Several customers who turn out to be one, as one. The oldest stays. */
const unite = (customers: Candidate[]): Candidate | null => {
  const [first, ...others] = [...customers].sort((a, b) => (a.id < b.id ? -1 : 1))
  if (!first) return null
  return {
    ...first,
    referrals: customers.flatMap(({ referrals }) => referrals),
    rewarded: customers.flatMap(({ rewarded }) => rewarded),
    rewardedProducts: customers.flatMap(({ rewardedProducts }) => rewardedProducts),
    payments: first.payments && customers.flatMap(({ payments }) => payments ?? []),
    earned: first.earned && customers.flatMap(({ earned }) => earned ?? []),
    identities: customers.flatMap(({ identities }) => identities),
    isMarked: customers.some(({ isMarked }) => isMarked),
    emails: customers.flatMap(({ emails }) => emails),
    hasAddress: [first, ...others].some(({ hasAddress }) => hasAddress),
  }
}

/** The customer whose address was typed: of several with an owner then, the one referred latest. */
const findByAddress = (
  candidates: Candidate[],
  paidAt: Date,
  origins: string[],
): Candidate | null => {
  const latest = (referrals: Referral[]) =>
    Math.max(
      ...referrals
        .map(({ referredAt }) => Number(referredAt))
        .filter((time) => time <= Number(paidAt)),
      0,
    )
  const [found] = candidates
    .filter(({ hasAddress }) => hasAddress)
    .map((customer) => ({ customer, referrals: withoutOwn(customer, origins) }))
    .filter(({ referrals }) => ownerAt(referrals, paidAt) !== null)
    .sort(
      (a, b) =>
        latest(b.referrals) - latest(a.referrals) || (a.customer.id < b.customer.id ? -1 : 1),
    )
  return found?.customer ?? null
}

const withoutOwn = ({ referrals }: Candidate, origins: string[]): Referral[] =>
  referrals.filter(({ origin }) => !origins.includes(origin))

/**
 * Finds the customer of a purchase. Its strong identities decide; the address only if nobody owns
 * their customer and nothing else credits the purchase. An address ties nothing: it is looked up
 * again for each purchase.
 */
export const findBuyer = (
  wanted: Identity[],
  candidates: Candidate[],
  { paidAt, isPaid, hasCredit, origins }: Claim,
): Buyer => {
  // A guest who turns out to have an id is no longer known by the address.
  const strong = candidates.filter(({ identities }) =>
    identities.some((own) => wanted.some((id) => isSame(own, id))),
  )
  const known = unite(strong)
  const isGuest = wanted.some(({ kind }) => kind === 'guest')
  const isOwned = !isGuest && known !== null && ownerAt(withoutOwn(known, origins), paidAt) !== null
  const others = candidates.filter((one) => !strong.includes(one))
  const matched = isPaid && !hasCredit && !isOwned ? findByAddress(others, paidAt, origins) : null
  const isMissing = wanted.some(
    (id) => !strong.some(({ identities }) => identities.some((own) => isSame(own, id))),
  )
  if (matched) {
    const tie = strong.length > 1 || (isMissing && wanted.length > 1) ? wanted : null
    return { customer: matched, tie, isGuest: false, addressedId: wanted[0]?.value ?? null }
  }
  const tie = (isMissing || strong.length > 1) && !(isGuest && !isPaid) ? wanted : null
  return { customer: known, tie, isGuest, addressedId: null }
}

export const isSame = (a: Identity, b: Identity): boolean =>
  a.kind === b.kind && a.value === b.value
