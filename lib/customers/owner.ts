/** Whose a customer is, after everybody who referred it. Design, section 5, "Who a customer is". */

/** Who referred a customer, and how. Every candidate is kept, also one that another partner prevailed over. */
export type Referral = {
  /** The report, purchase or import that says so. */
  origin: string
  partnerId: string
  /** The partner's. */
  programId: string
  source: 'click' | 'coupon' | 'code' | 'import' | 'manual'
  /** The program's setting when it was recorded. A checkout that cost nothing is `first`: it moves nobody. */
  attribution: 'last' | 'first'
  referredAt: Date
  /** When the link was followed, if a report says so after the fact. */
  clickedAt: Date | null
  /** By an import: when another platform first rewarded a sale. */
  startedAt: Date | null
}

/** What says who owns a customer. */
type Referrer = Pick<Referral, 'origin' | 'partnerId' | 'source' | 'attribution' | 'referredAt' | 'clickedAt'>

const inOrder = (a: Referrer, b: Referrer): number =>
  Number(a.referredAt) - Number(b.referredAt) || (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0)

const moves = ({ source, attribution }: Referrer): boolean => source === 'import' || attribution === 'last'

/**
 * The partner who owns a customer at a time: of the latest referral that moves it, else of the first one. If there is none
 * by then, of the first report that came later with a click from before.
 */
export const ownerAt = (referrals: Referrer[], at: Date): string | null => {
  const known = [...referrals].sort(inOrder).filter(({ referredAt }) => referredAt <= at)
  return (known.findLast(moves) ?? known[0] ?? lateReferral(referrals, at))?.partnerId ?? null
}

/** The first report after a time with a click from before it, if nobody had referred the customer by then. */
export const lateReferral = <R extends Referrer>(referrals: R[], at: Date): R | null =>
  referrals.some(({ referredAt }) => referredAt <= at)
    ? null
    : ([...referrals].sort(inOrder).find(({ clickedAt }) => clickedAt !== null && clickedAt <= at) ?? null)

/** The latest import of a customer after one time and not after another, or null. */
export const importBetween = (referrals: Referral[], after: Date, until: Date): Referral | null =>
  [...referrals]
    .sort(inOrder)
    .findLast(({ source, referredAt }) => source === 'import' && referredAt > after && referredAt <= until) ??
  null

/** The start that the latest import into a program gave by a time. It counts for sales after that import only. */
export const startAt = (referrals: Referral[], programId: string, at: Date): Date | null =>
  [...referrals]
    .sort(inOrder)
    .findLast(
      (referral) =>
        referral.startedAt !== null && referral.programId === programId && referral.referredAt <= at,
    )?.startedAt ?? null

/**
 * The end of the second of a processor's time, whose times are whole seconds. Our own times are compared with it, so that
 * what happened within that second counts, in the partner's favour.
 */
export const endOfSecond = (at: Date): Date => (Number(at) % 1000 === 0 ? new Date(Number(at) + 999) : at)
