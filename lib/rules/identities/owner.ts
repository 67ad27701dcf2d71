/** Whose a customer is, after everybody who referred it. Design, section 5, "Who a customer is". */
import { DELIVERY_MS } from '../steps/occurred-at.ts'

const DAY_MS = 24 * 60 * 60_000

/**
 * Who referred a customer, and how. Every candidate is kept, also one that another partner
 * prevailed over.
 */
export type Referral = {
  /** The report, purchase or import that says so. */
  origin: string
  partnerId: string
  /** The partner's. */
  programId: string
  source: 'click' | 'coupon' | 'code' | 'import' | 'manual'
  /**
   * The program's setting when it was recorded. A checkout that cost nothing is `first`: it moves
   * nobody.
   */
  attribution: 'last' | 'first'
  referredAt: Date
  /** When the link was followed, if a report says so after the fact. */
  clickedAt: Date | null
  /** By an import: when another platform first rewarded a sale. */
  startedAt: Date | null
}

/** What says who owns a customer. */
type Referrer = Pick<
  Referral,
  'origin' | 'partnerId' | 'source' | 'attribution' | 'referredAt' | 'clickedAt'
>

const inOrder = (a: Referrer, b: Referrer): number =>
  Number(a.referredAt) - Number(b.referredAt) ||
  (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0)

const moves = ({ source, attribution }: Referrer): boolean =>
  source === 'import' || attribution === 'last'

/**
 * The partner who owns a customer at a time: of the latest referral that moves it, else of the
 * first one. If there is none by then, of the first report that came later with a click from
 * before.
 */
export const ownerAt = (referrals: Referrer[], at: Date): string | null => {
  const known = [...referrals].sort(inOrder).filter(({ referredAt }) => referredAt <= at)
  return (known.findLast(moves) ?? known[0] ?? lateReferral(referrals, at))?.partnerId ?? null
}

/**
 * The first report after a time with a click from before it, if nobody had referred the customer by
 * then.
 */
const lateReferral = <R extends Referrer>(referrals: R[], at: Date): R | null =>
  referrals.some(({ referredAt }) => referredAt <= at)
    ? null
    : ([...referrals]
        .sort(inOrder)
        .find(({ clickedAt }) => clickedAt !== null && clickedAt <= at) ?? null)

/**
 * Whether a report credits a payment at `at` late, if at all. One that was received minutes after
 * it counts as made before: Stripe's events and a backend's reports overtake each other.
 */
export const isLate = (reportedAt: Date | null | undefined, at: Date): boolean =>
  Number(reportedAt ?? 0) > Number(at) + DELIVERY_MS

/** Whether it is later than the program credits. */
export const isTooLate = (
  reportedAt: Date | null | undefined,
  at: Date,
  { lateLeadDays }: { lateLeadDays: number },
): boolean => isLate(reportedAt, at) && Number(reportedAt) > Number(at) + lateLeadDays * DAY_MS

type FindTerms = (partnerId: string) => { lateLeadDays: number } | null | undefined

/**
 * Who referred a customer, without the reports that are too late for a payment.
 * @param find a partner's terms of that time
 */
export const withoutTooLate = <R extends Referrer>(
  referrals: R[],
  at: Date,
  find: FindTerms,
): R[] =>
  referrals.filter(({ partnerId, referredAt }) => {
    const terms = find(partnerId)
    return !terms || !isTooLate(referredAt, at, terms)
  })

/**
 * Who owns a customer at a time, as far as it was reported in time.
 *
 * @param namedAt when the address was named that alone says who bought, if one does
 */
export const ownerInTime = (
  referrals: Referrer[],
  at: Date,
  find: FindTerms,
  namedAt: Date | undefined,
): { ownerId: string | null; referredLaterAt: Date | null } => {
  const known = withoutTooLate(referrals, at, find)
  const ownerId = ownerAt(known, at)
  const terms = find(ownerId ?? '')
  if (terms && isTooLate(namedAt, at, terms)) return { ownerId: null, referredLaterAt: null }
  const last = Math.max(
    ...[at, lateReferral(known, at)?.referredAt ?? at, namedAt ?? at].map(Number),
  )
  return { ownerId, referredLaterAt: last > Number(at) ? new Date(last) : null }
}

/** The latest import of a customer after one time and not after another, or null. */
export const importBetween = (referrals: Referral[], after: Date, until: Date): Referral | null =>
  [...referrals]
    .sort(inOrder)
    .findLast(
      ({ source, referredAt }) => source === 'import' && referredAt > after && referredAt <= until,
    ) ?? null

/**
 * The start that the latest import into a program gave by a time. It counts for sales after that
 * import only.
 */
export const startAt = (referrals: Referral[], programId: string, at: Date): Date | null =>
  [...referrals]
    .sort(inOrder)
    .findLast(
      (referral) =>
        referral.startedAt !== null &&
        referral.programId === programId &&
        referral.referredAt <= at,
    )?.startedAt ?? null

/**
 * The end of the second of a processor's time, whose times are whole seconds. Our own times are
 * compared with it, so that what happened within that second counts, in the partner's favour.
 */
export const endOfSecond = (at: Date): Date =>
  Number(at) % 1000 === 0 ? new Date(Number(at) + 999) : at
