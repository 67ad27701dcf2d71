/** Which partner owns a customer, of all who referred it. Design, section 5, "Who a customer is". */
import { DELIVERY_MS } from '../steps/occurred-at.ts'

const DAY_MS = 24 * 60 * 60_000

/** Who referred a customer, and how. Referrals that another prevailed over are kept, too. */
export type Referral = {
  /** The report, purchase or import that says so. */
  origin: string
  partnerId: string
  /** The partner's. */
  programId: string
  source: 'click' | 'coupon' | 'code' | 'import' | 'manual'
  /** The program's setting at that time; `first` for a free checkout, which replaces no partner. */
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
 * The partner who owns a customer at a time: the one of the latest referral that moves it, else of
 * the first referral. If nobody had referred it then, the one of the first later report with a
 * click from before.
 */
export const ownerAt = (referrals: Referrer[], time: Date): string | null => {
  const known = [...referrals].sort(inOrder).filter(({ referredAt }) => referredAt <= time)
  return (known.findLast(moves) ?? known[0] ?? lateReferral(referrals, time))?.partnerId ?? null
}

/** The first report after a time by a click before it, if nobody had referred the customer. */
const lateReferral = <R extends Referrer>(referrals: R[], time: Date): R | null =>
  referrals.some(({ referredAt }) => referredAt <= time)
    ? null
    : ([...referrals]
        .sort(inOrder)
        .find(({ clickedAt }) => clickedAt !== null && clickedAt <= time) ?? null)

/**
 * Whether a report credits a payment late. One that is received within minutes of the payment
 * counts as made before it, because a processor's events and a backend's reports arrive out of
 * order.
 */
export const isLate = (reportedAt: Date | null | undefined, paidAt: Date): boolean =>
  Number(reportedAt ?? 0) > Number(paidAt) + DELIVERY_MS

/** Whether a report is later than the program's `lateLeadDays` allow. */
export const isTooLate = (
  reportedAt: Date | null | undefined,
  paidAt: Date,
  { lateLeadDays }: { lateLeadDays: number },
): boolean =>
  isLate(reportedAt, paidAt) && Number(reportedAt) > Number(paidAt) + lateLeadDays * DAY_MS

type FindTerms = (partnerId: string) => { lateLeadDays: number } | null | undefined

/**
 * The referrals of a customer, without reports that are too late for a payment.
 * @param find a partner's terms at the time of the payment
 */
export const withoutTooLate = <R extends Referrer>(
  referrals: R[],
  paidAt: Date,
  find: FindTerms,
): R[] =>
  referrals.filter(({ partnerId, referredAt }) => {
    const terms = find(partnerId)
    return !terms || !isTooLate(referredAt, paidAt, terms)
  })

/**
 * The partner who owns the customer of a payment, as far as it was reported in time.
 *
 * @param namedAt when the address was named, if only an address says who bought
 */
export const ownerInTime = (
  referrals: Referrer[],
  paidAt: Date,
  find: FindTerms,
  namedAt: Date | undefined,
): { ownerId: string | null; referredLaterAt: Date | null } => {
  const known = withoutTooLate(referrals, paidAt, find)
  const ownerId = ownerAt(known, paidAt)
  const terms = find(ownerId ?? '')
  if (terms && isTooLate(namedAt, paidAt, terms)) return { ownerId: null, referredLaterAt: null }
  const last = Math.max(
    ...[paidAt, lateReferral(known, paidAt)?.referredAt ?? paidAt, namedAt ?? paidAt].map(Number),
  )
  return { ownerId, referredLaterAt: last > Number(paidAt) ? new Date(last) : null }
}

/** The latest import of a customer after one time and not after another, or null. */
export const importBetween = (referrals: Referral[], after: Date, until: Date): Referral | null =>
  [...referrals]
    .sort(inOrder)
    .findLast(
      ({ source, referredAt }) => source === 'import' && referredAt > after && referredAt <= until,
    ) ?? null

/**
 * The start by the latest import into a program, or into any. It counts for sales after that import
 * only.
 */
export const startAt = (
  referrals: Referral[],
  programId: string | null,
  paidAt: Date,
): Date | null =>
  [...referrals]
    .sort(inOrder)
    .findLast(
      (referral) =>
        referral.startedAt !== null &&
        (programId === null || referral.programId === programId) &&
        referral.referredAt <= paidAt,
    )?.startedAt ?? null

/**
 * The end of the second of a processor's time, whose times are whole seconds. Our own times are
 * compared with it, so that what happened within that second counts, in the partner's favour.
 */
export const endOfSecond = (time: Date): Date =>
  Number(time) % 1000 === 0 ? new Date(Number(time) + 999) : time
