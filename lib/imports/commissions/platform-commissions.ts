/** Commissions of another platform, as they are uploaded. */

/** `pending` and `due` are owed to the partner, `paid` no longer, and `voided` never was. */
export const PLATFORM_STATES = ['pending', 'due', 'paid', 'voided', 'other'] as const
export type PlatformState = (typeof PLATFORM_STATES)[number]

/** Per request. */
export const MAX_COMMISSION_ROWS = 1_000

/** Ids of a sale: of its order, invoice, payment, charge and checkout. */
export const MAX_SALE_IDS = 5

export type CommissionRow = {
  /** Null if the platform gives none. */
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

/** A commission under the key that identifies it. */
export type PlatformCommission = Omit<CommissionRow, 'id'> & { key: string }

/** The message for a row without an id, once the platform is read by API: it may have been read. */
export const IDS_REQUIRED =
  'The other platform is read by its API, and a commission without an id could be counted twice. Add the platform’s own id to each row, or read the platform again.'

/** Identifies a row without an id: its fields without the state, and its place among equal rows. */
export const contentOf = (
  { id: _, state: __, ...content }: CommissionRow,
  place: number,
): object => ({
  ...content,
  soldAt: content.soldAt.toISOString(),
  place,
})

/** A row, or what is wrong with it. */
export type ReadRow = { row: CommissionRow } | { id: string | null; message: string }
