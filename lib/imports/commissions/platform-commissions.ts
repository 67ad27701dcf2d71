/** A commission of the other platform, as it is uploaded. */

/** `due` and `pending` are owed to the partner, `paid` is not any more, and `voided` never was. */
export const PLATFORM_STATES = ['pending', 'due', 'paid', 'voided', 'other'] as const
export type PlatformState = (typeof PLATFORM_STATES)[number]

/** The most rows of a call. */
export const MAX_COMMISSION_ROWS = 1_000

/** How many ids of a sale a row may have: its order, invoice, payment, charge and checkout. */
export const MAX_SALE_IDS = 5

export type CommissionRow = {
  /** The platform's own id of the commission; null if it gives none. */
  id: string | null
  state: PlatformState
  /** Minor units; negative for a deduction. */
  amountCents: number
  currency: string
  saleAmountCents: number | null
  saleIds: string[]
  customerExternalId: string | null
  customerEmail: string | null
  partnerEmail: string | null
  soldAt: Date
}

/** The same with the key under which it is kept. */
export type PlatformCommission = Omit<CommissionRow, 'id'> & { key: string }

/**
 * Why a row without an id is not taken once the platform is read by its API: it could be one of
 * those that were read.
 */
export const IDS_REQUIRED =
  'The other platform is read by its API, and a commission without an id could be counted twice. Add the platform’s own id to each row, or read the platform again.'

/**
 * What a row without an id is known by: all of it but its state, which changes, and its place among
 * those that are the same.
 */
export const contentOf = (
  { id: _, state: __, ...content }: CommissionRow,
  place: number,
): object => ({
  ...content,
  soldAt: content.soldAt.toISOString(),
  place,
})

/** A row as it was read, or what is wrong with it. */
export type ReadRow = { row: CommissionRow } | { id: string | null; message: string }
