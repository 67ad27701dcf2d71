/** Who bought: the customer of a purchase, by its ids and address. Design, section 5, "Who a customer is". */
import { type Identity, identityOf } from '../customers/identities.ts'
import { ownerAt } from '../customers/owner.ts'
import type { Tie } from '../customers/tie.ts'
import type { KnownCustomer } from './plan.ts'
import type { Purchase } from './purchase.ts'

/** A customer who has one of a purchase's ids or addresses. */
export type Candidate = KnownCustomer & {
  /** The strong identities of the purchase that it has. */
  identities: (Identity & { byAddress: boolean })[]
  /** Whether the merchant has reported the purchase's address as its own. */
  hasAddress: boolean
  /** Its other sales before this one: when each program first rewarded one of each subscription, or of none. */
  rewarded: { programId: string; subscriptionId: string | null; at: Date }[]
}

type Claim = {
  /** The time of the payment, up to which referrals count. */
  at: Date
  isPaid: boolean
  /** Whether it has a coupon or click of its own that credits a partner. */
  hasCredit: boolean
  /** The origins of its own referrals, which do not say whose its customer was before. */
  origins: string[]
  /** Whether its payment binds its ids to a customer who is matched by address: that of an invoice does. */
  binds: boolean
}

export type Buyer = {
  customer: Candidate | null
  tie: Tie | null
  isGuest: boolean
  /** Whether only a typed address says that this purchase is the customer's. */
  isByAddress: boolean
}

/**
 * The strong identities of a purchase: the processor's and the merchant's ids, else those of a guest, who is known by an
 * address, or only by the purchase.
 *
 * @param reported the customer's ids in the merchant's reports of the purchase
 */
export const identitiesOf = (
  { customer, customerExternalIds, email, externalId }: Purchase,
  reported: string[],
): Identity[] => {
  const ids = [...new Set([...(customer ? [customer] : []), ...customerExternalIds, ...reported])]
  if (ids.length > 0) return ids.map(identityOf)
  const guest = email ?? externalId
  return guest === null ? [] : [{ kind: 'guest', value: guest }]
}

const earliest = (times: (Date | null)[]): Date | null => {
  const known = times.filter((time) => time !== null)
  return known.length ? new Date(Math.min(...known.map(Number))) : null
}

/** Several customers who turn out to be one, as one. The oldest stays. */
const unite = (customers: Candidate[]): Candidate | null => {
  const [first, ...others] = [...customers].sort((a, b) => (a.id < b.id ? -1 : 1))
  if (!first) return null
  return {
    ...first,
    referrals: customers.flatMap(({ referrals }) => referrals),
    rewarded: customers.flatMap(({ rewarded }) => rewarded),
    identities: customers.flatMap(({ identities }) => identities),
    replanFrom: earliest(customers.map(({ replanFrom }) => replanFrom)),
    emails: customers.flatMap(({ emails }) => emails),
    hasAddress: [first, ...others].some(({ hasAddress }) => hasAddress),
  }
}

/** The customer whose reported address was typed: the one referred latest, of several with an owner at the time. */
const findByAddress = (candidates: Candidate[], at: Date): Candidate | null => {
  const latest = ({ referrals }: Candidate) =>
    Math.max(...referrals.map(({ referredAt }) => Number(referredAt)).filter((time) => time <= Number(at)), 0)
  const [found = null] = candidates
    .filter(({ hasAddress, referrals }) => hasAddress && ownerAt(referrals, at) !== null)
    .sort((a, b) => latest(b) - latest(a) || (a.id < b.id ? -1 : 1))
  return found
}

/**
 * Finds the customer of a purchase. Its strong identities decide; the address only if nobody owns their customer and
 * nothing else credits the purchase.
 */
export const findBuyer = (
  wanted: Identity[],
  candidates: Candidate[],
  { at, isPaid, hasCredit, origins, binds }: Claim,
): Buyer => {
  // A guest who turns out to have an id is no longer known by the address.
  const strong = candidates.filter(({ identities }) =>
    identities.some((own) => wanted.some((id) => isSame(own, id))),
  )
  const known = unite(strong)
  const isGuest = wanted.some(({ kind }) => kind === 'guest')
  const before = known?.referrals.filter(({ origin }) => !origins.includes(origin)) ?? []
  const isOwned = !isGuest && ownerAt(before, at) !== null
  const matched = isPaid && !hasCredit && !isOwned ? findByAddress(candidates, at) : null
  if (isGuest && matched) return { customer: matched, tie: null, isGuest: false, isByAddress: true }

  const isBound = matched !== null && binds && !strong.includes(matched)
  const isMissing = wanted.some(
    (id) => !strong.some(({ identities }) => identities.some((own) => isSame(own, id))),
  )
  const own = strong.flatMap(({ identities }) => identities)
  const isByAddress = wanted.length === 1 && own.some(({ byAddress }) => byAddress)
  // Several ids of one purchase prove what an address only suggested.
  const isProven = wanted.length > 1 && own.some(({ byAddress }) => byAddress)
  const tie =
    isMissing || isBound || isProven || strong.length > 1
      ? { identities: wanted, customerIds: isBound ? [matched.id] : [] }
      : null
  const customer = isBound ? unite([...strong, matched]) : (matched ?? known)
  return { customer, tie: isGuest && !isPaid ? null : tie, isGuest, isByAddress: isBound || isByAddress }
}

const isSame = (a: Identity, b: Identity): boolean => a.kind === b.kind && a.value === b.value
