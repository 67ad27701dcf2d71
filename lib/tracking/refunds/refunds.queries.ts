/** Loads what a reported refund is decided from, and saves it: each in one database round trip. */
import { namesDeletedRow } from '../../db/deleted-rows.ts'
import { newId } from '../../db/ids.ts'
import { withDates } from '../../db/json-rows.ts'
import { type Client, isConflict } from '../../db/neon.ts'
import { purchaseKeyOf } from '../../rules/purchases/facts.ts'
import type { DecidedRefund } from '../../rules/refunds/decide-refund.ts'
import type { RefundedSale, RefundReport } from '../../rules/refunds/refund.ts'
import type { ReportedRefund } from '../../rules/refunds/refunds.ts'
import type { CurrentCommission } from '../../rules/refunds/reversals.ts'
import type { KeyRefusal } from '../reports/facts.queries.ts'
import type { RecordedEvent } from '../reports/reports.queries.ts'

export type RefundFacts = {
  workspaceId: string
  /** The event of an earlier report with the same id. If it is complete, nothing else is loaded. */
  recorded: RecordedEvent | null
  /** Whether a processor has reported something of the sale: the refund is joined with it. */
  isJoined: boolean
  /** Null while the sale is not known. */
  saleCurrency: string | null
  sale: RefundedSale | null
  /** The sale's earlier refunds, oldest first. */
  refunds: ReportedRefund[]
}

/** A current commission as it comes out of JSON. */
export type CommissionJson = Omit<
  CurrentCommission,
  'amountCents' | 'reversedCents' | 'payableAt'
> &
  Record<'amountCents' | 'reversedCents', number> & { payableAt: string }

export const reviveCommission = (commission: CommissionJson): CurrentCommission => ({
  ...withDates(commission, 'payableAt'),
  amountCents: BigInt(commission.amountCents),
  reversedCents: BigInt(commission.reversedCents),
})

/** The amount and the current commission of a sale as they come out of JSON. */
export type SaleJson = {
  amountCents: number
  currency: string
  commission: CommissionJson | null
}

/** What refund_facts of schema.sql returns. */
export type LoadedFacts = Omit<RefundFacts, 'sale'> & {
  sale: (Omit<RefundedSale, 'sale' | 'commission'> & SaleJson) | null
}

/** @returns why the key is refused, if it is */
export const loadRefundFacts = async (
  db: Client,
  apiKeyHash: string,
  { externalId, saleExternalId }: RefundReport,
  now: Date,
): Promise<(RefundFacts & { keyId: string }) | KeyRefusal> => {
  const [row] = await db.query<{ facts: (LoadedFacts & { keyId: string }) | KeyRefusal }>(
    'select load_refund($1, $2, $3, $4, $5) as facts',
    [apiKeyHash, externalId, saleExternalId, purchaseKeyOf(saleExternalId), now],
  )
  const facts = row?.facts ?? 'unknown_key'
  return typeof facts === 'string' ? facts : { ...reviveFacts(facts), keyId: facts.keyId }
}

export const reviveFacts = (facts: LoadedFacts): RefundFacts => ({
  ...facts,
  sale: facts.sale && reviveSale(facts.sale),
})

export const reviveSale = <Row extends SaleJson>({
  amountCents,
  currency,
  commission,
  ...sale
}: Row) => ({
  ...sale,
  sale: { amountCents: BigInt(amountCents), currency },
  commission: commission && reviveCommission(commission),
})

/** What is saved of a refund. Without its hash, it is incomplete until it is joined. */
export type SavedRefund = {
  id: string
  workspaceId: string
  report: RefundReport
  sale: RefundedSale | null
  isJoined: boolean
  bodyHash: string | null
  decision: DecidedRefund
  now: Date
}

/**
 * Saves a refund with what it reverses: all of it, or nothing. Of concurrent copies, the first one
 * inserts the event, and the others return it.
 *
 * @returns null after a conflict: the sale has changed since it was read, so load it and decide
 *   again
 */
export const saveRefund = async (
  db: Client,
  refund: SavedRefund,
): Promise<RecordedEvent | null> => {
  try {
    const [row] = await db.query<{ event: RecordedEvent }>('select save_refund($1) as event', [
      JSON.stringify(toSaved(refund)),
    ])
    if (!row) throw new Error('A call of a function returned no row.')
    return row.event
  } catch (error) {
    if (isConflict(error) || namesDeletedRow(error)) return null
    throw error
  }
}

/** A refund as save_refund of schema.sql takes it. */
export const toSaved = ({
  id,
  workspaceId,
  report,
  sale,
  isJoined,
  bodyHash,
  decision,
  now,
}: SavedRefund) => {
  const { externalId, saleExternalId, eventName, metadata, requested } = report
  const { counted, steps, returnedCents, change } = decision
  return {
    workspaceId,
    eventId: id,
    externalId,
    saleExternalId,
    purchaseKey: purchaseKeyOf(saleExternalId),
    eventName,
    metadata: metadata ?? undefined,
    requested,
    bodyHash,
    isJoined,
    steps,
    amountCents: counted ? Number(counted.amountCents) : undefined,
    currency: counted?.currency,
    occurredAt: now,
    sale: sale
      ? {
          id: sale.id,
          revision: sale.revision,
          returnedCents: Number(returnedCents),
          steps: change?.steps,
          reversal: change?.reversal
            ? {
                id: newId(),
                reversesId: change.reversal.reversesId,
                amountCents: Number(change.reversal.amountCents),
              }
            : undefined,
        }
      : undefined,
  }
}
