/**
 * Possible duplicates: two sales that no id ties, but that look like one purchase. The merchant may
 * report one under an id of its own, or a processor may report a payment and its invoice or
 * checkout without tying them. One earns, the other is held. Design, section 5, "Who reports
 * sales".
 */
import type { Step } from '../steps/steps.ts'
import type { HoldBook } from './hold-book.ts'
import type { ComparedSale, Hold, HoldRequest, IdKind } from './hold-facts.ts'

const overlaps = <T>(some: T[], others: T[]): boolean => some.some((one) => others.includes(one))

const isOpenDuplicate = (hold: Hold | null): boolean =>
  hold?.reason === 'possible_duplicate' && hold.resolution === null

/** A sale, and all that are held, or were rejected, as a possible duplicate of it or of these. */
const duplicatesOf = (book: HoldBook, sale: ComparedSale): ComparedSale[] => {
  const found = new Set([sale])
  for (const one of found) {
    for (const { sale: other, hold } of book.all())
      if (
        hold.evidenceId === one.id &&
        hold.reason === 'possible_duplicate' &&
        hold.resolution !== 'released'
      )
        found.add(other)
  }
  return [...found]
}

/** The first earning sale that a sale is held as a possible duplicate of, or the sale itself. */
const originalOf = (book: HoldBook, sale: ComparedSale): ComparedSale => {
  const hold = book.holdOf(sale)
  const evidence = hold?.evidenceId ? book.sale(hold.evidenceId) : undefined
  return isOpenDuplicate(hold) && evidence && evidence.commissionId !== null
    ? originalOf(book, evidence)
    : sale
}

const kindsOf = (sales: ComparedSale[]): IdKind[] => sales.flatMap(({ kinds }) => kinds)

const BILLS: IdKind[] = ['invoice', 'checkout']
const isBill = ({ kinds }: ComparedSale): boolean => overlaps(kinds, BILLS)

/**
 * Whether two sales look like one purchase: they have an amount in common, and no two of the ids
 * known of them are of one kind. An invoice and a payment may be one purchase. An invoice whose
 * payment is known, and another payment, are two. So are an invoice and a checkout that are not of
 * the same subscription, or of none: a payment alone does not say its subscription.
 */
const looksLike = (sale: ComparedSale, other: ComparedSale): boolean =>
  overlaps(sale.amounts, other.amounts) &&
  !overlaps(sale.kinds, other.kinds) &&
  (sale.subscriptionId === other.subscriptionId || !isBill(sale) || !isBill(other))

/** Whether a manager has decided about two sales, of two groups, that one is held because of. */
const isDecided = (book: HoldBook, mine: ComparedSale[], theirs: ComparedSale[]): boolean => {
  const isOf = (sales: ComparedSale[], wanted: string | null) =>
    sales.some(({ id }) => id === wanted)
  return book
    .all()
    .some(
      ({ sale, hold }) =>
        (hold.isResolvedByHand || hold.reason !== 'possible_duplicate') &&
        ((isOf(mine, hold.evidenceId) && isOf(theirs, sale.id)) ||
          (isOf(theirs, hold.evidenceId) && isOf(mine, sale.id))),
    )
}

/** A checkout says who referred the buyer, an invoice says the tax, a payment neither. */
const RANKS: IdKind[] = ['checkout', 'invoice']
const rankOf = ({ kinds }: ComparedSale): number => {
  const rank = RANKS.findIndex((kind) => kinds.includes(kind))
  return rank < 0 ? RANKS.length : rank
}
const isOnlyReported = ({ kinds }: ComparedSale): boolean =>
  kinds.every((kind) => kind === 'report')

const madeFirst = ({ commissions }: ComparedSale): string =>
  commissions.find(({ kind }) => kind === 'sale')?.id ?? ''

/**
 * Whether the first of two sales is to be held. Of two that a processor's ids are known of, that is
 * the one that says less, in whatever order they came; otherwise the one whose commission was made
 * later.
 */
const isLesser = (sale: ComparedSale, other: ComparedSale): boolean =>
  isOnlyReported(sale) || isOnlyReported(other)
    ? madeFirst(sale) > madeFirst(other)
    : rankOf(sale) > rankOf(other)

/** Commissions in a payout, and those that a manager has decided about, are not held. */
const canBeHeld = (book: HoldBook, sale: ComparedSale): boolean => {
  const hold = book.holdOf(sale)
  const isPaid = sale.commissions.some(({ id, isPaid }) => id === sale.commissionId && isPaid)
  return (
    sale.commissionId !== null &&
    !isPaid &&
    !(hold && (hold.resolution === null || hold.isResolvedByHand))
  )
}

/**
 * A sale that is to be held because it may be the same purchase as another one that earns, and that
 * other one; null if the given sale earns nothing, is held already, or looks like no other. Of a
 * payment, its invoice and the report of both, each kind is one purchase's once: what the others
 * are held for counts too. What a manager has released is not compared with the same sale again.
 */
const findDuplicate = (
  book: HoldBook,
  sale: ComparedSale,
): { held: ComparedSale; evidence: ComparedSale } | null => {
  if (sale.commissionId === null || isOpenDuplicate(book.holdOf(sale))) return null
  for (const id of sale.near) {
    const other = book.sale(id)
    if (!other || !looksLike(sale, other)) continue
    const first = originalOf(book, other)
    if (first === sale) continue
    const mine = duplicatesOf(book, sale)
    const theirs = duplicatesOf(book, first)
    if (overlaps(kindsOf(mine), kindsOf(theirs)) || isDecided(book, mine, theirs)) continue
    const pair = isLesser(sale, first) ? [sale, first] : [first, sale]
    const held = pair.find((one) => canBeHeld(book, one))
    if (held) return { held, evidence: held === sale ? first : sale }
  }
  return null
}

/** Lets the holds of a sale follow to its present commission, and the evidence to its present sale. */
const follow = (book: HoldBook, sale: ComparedSale, tiedIds: string[]): void => {
  for (const { sale: of, commission, hold } of book.all())
    if (of === sale && sale.commissionId !== null && hold.resolution !== 'rejected')
      book.move(commission.id, sale.commissionId)
  for (const { sale: of, commission, hold } of book.all())
    if (tiedIds.includes(hold.evidenceId ?? '') && of !== sale && !tiedIds.includes(of.id))
      book.setEvidence(commission.id, sale.id)
}

/** Releases what turns out to be two purchases, or one. @returns the sales that were released */
const releaseSettled = (book: HoldBook, sale: ComparedSale, tiedIds: string[]): ComparedSale[] => {
  const own = [sale.id, ...tiedIds]
  const open = book
    .all()
    .filter(
      ({ sale: of, hold }) =>
        isOpenDuplicate(hold) && (own.includes(of.id) || hold.evidenceId === sale.id),
    )
  return open.flatMap(({ sale: held, commission, hold }) => {
    const evidence = book.sale(hold.evidenceId ?? '')
    if (!evidence) return []
    if (!tiedIds.includes(held.id) && !tiedIds.includes(evidence.id)) {
      const mine = duplicatesOf(book, held)
      // All that may be the same purchase, but for what is held of this one.
      const others = duplicatesOf(book, originalOf(book, evidence)).filter(
        (one) => !mine.includes(one),
      )
      if (!overlaps(kindsOf(others), kindsOf(mine))) return []
    }
    book.release(commission.id)
    return [held]
  })
}

/** The steps of a sale, which say of which other one it may be a duplicate. */
const stepsOf = (book: HoldBook, sale: ComparedSale): Step[] => {
  const hold = book.holdOf(sale)
  const isSaid = hold && (hold.resolution === null || hold.isResolvedByHand)
  const evidence = isSaid && hold.evidenceId ? book.sale(hold.evidenceId) : undefined
  return [
    ...sale.steps.filter(({ code }) => code !== 'possible_duplicate'),
    ...(evidence
      ? [{ code: 'possible_duplicate' as const, facts: { externalId: evidence.externalId } }]
      : []),
  ]
}

/**
 * Holds the commission of a sale that may be the same purchase as another one that earns, or that
 * of the other one. Releases what turns out to be two purchases, or one, and compares it again.
 *
 * @returns the sales whose steps change
 */
export const holdDuplicates = (
  book: HoldBook,
  sale: ComparedSale,
  { tiedIds, isNew }: Pick<HoldRequest, 'tiedIds' | 'isNew'>,
): { steps: { eventId: string; steps: Step[] }[]; isOfOthers: boolean } => {
  follow(book, sale, tiedIds)
  const compared = [sale, ...releaseSettled(book, sale, tiedIds)]
  const changed = new Set(compared)
  let isOfOthers = false
  for (const current of compared) {
    for (let found = findDuplicate(book, current); found; found = findDuplicate(book, current)) {
      const { held, evidence } = found
      book.hold(held, 'possible_duplicate', evidence.id)
      isOfOthers ||= !isNew || held !== sale
      changed.add(held)
    }
  }
  const steps = [...changed]
    .filter(({ steps }) => !steps.some(({ code }) => code === 'commission_rejected'))
    .map((one) => ({ eventId: one.id, steps: stepsOf(book, one) }))
    .filter(({ eventId, steps }) => {
      const before = book.sale(eventId)?.steps ?? []
      return JSON.stringify(steps) !== JSON.stringify(before)
    })
  return { steps, isOfOthers }
}
