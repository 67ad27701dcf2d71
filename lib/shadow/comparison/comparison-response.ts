import type { ComparisonResponse } from '../shadow.responses.ts'
import { REASONS } from './compare.ts'
import type { ComparisonRow } from './results.queries.ts'

const numberOf = (cents: bigint | null): number | null => (cents === null ? null : Number(cents))

/** A result of the comparison as the API represents it. */
export const comparisonResponse = (row: ComparisonRow): ComparisonResponse => ({
  id: row.id,
  day: row.day,
  outcome: row.outcome,
  reason: row.reason,
  text: row.reason && REASONS[row.reason],
  here:
    row.eventId === null
      ? null
      : {
          eventId: row.eventId,
          saleExternalId: row.saleExternalId,
          partnerEmail: row.partnerEmail,
          amountCents: numberOf(row.hereCents),
          currency: row.hereCurrency,
        },
  there:
    row.thereKey === null || row.soldAt === null
      ? null
      : {
          id: row.thereKey,
          saleIds: row.thereSaleIds ?? [],
          partnerEmail: row.therePartnerEmail,
          soldAt: row.soldAt,
          amountCents: numberOf(row.thereCents),
          currency: row.thereCurrency,
        },
})

export const comparisonLine = (row: ComparisonRow) => {
  const { here, there, ...rest } = comparisonResponse(row)
  return {
    ...rest,
    eventId: here?.eventId ?? null,
    saleExternalId: here?.saleExternalId ?? null,
    partnerEmail: here?.partnerEmail ?? null,
    amountCents: here?.amountCents ?? null,
    currency: here?.currency ?? null,
    platformId: there?.id ?? null,
    platformSaleIds: there?.saleIds.join(' ') ?? null,
    platformPartnerEmail: there?.partnerEmail ?? null,
    platformSoldAt: there?.soldAt ?? null,
    platformAmountCents: there?.amountCents ?? null,
    platformCurrency: there?.currency ?? null,
  }
}

export const COMPARISON_COLUMNS = [
  'id',
  'day',
  'outcome',
  'reason',
  'text',
  'eventId',
  'saleExternalId',
  'partnerEmail',
  'amountCents',
  'currency',
  'platformId',
  'platformSaleIds',
  'platformPartnerEmail',
  'platformSoldAt',
  'platformAmountCents',
  'platformCurrency',
] as const
