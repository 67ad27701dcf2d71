/** Commissions from another platform's API, for a shadow run. */
import { readEmail } from '../../values/emails.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'
import { isCurrency, MAX_AMOUNT_CENTS } from '../../values/money.ts'
import type { PlatformCommission } from '../commissions/platform-commissions.ts'
import type { SourceCommission } from './source-rows.ts'

/** An id of one line, as in an upload; null for anything else. */
const idOf = (text: string | null): string | null =>
  text !== null && text.length <= MAX_ID_LENGTH && !/\p{Cc}/u.test(text) ? text : null

const isAmount = (cents: number): boolean => Math.abs(cents) <= MAX_AMOUNT_CENTS

/** A commission under the platform's id. @returns null if an upload could not have it */
export const commissionOf = (row: SourceCommission): PlatformCommission | null => {
  const key = idOf(row.id)
  const { state, amountCents, currency, saleAmountCents, saleExternalId } = row
  if (key === null || !isAmount(amountCents) || !isCurrency(currency)) return null
  const saleId = idOf(saleExternalId)
  return {
    key,
    state,
    amountCents,
    currency,
    saleAmountCents:
      saleAmountCents !== null && saleAmountCents >= 0 && isAmount(saleAmountCents)
        ? saleAmountCents
        : null,
    saleIds: saleId === null ? [] : [saleId],
    customerExternalId: idOf(row.customerExternalId),
    customerEmail: readEmail(row.customerEmail ?? undefined),
    partnerEmail: readEmail(row.partnerEmail ?? undefined),
    soldAt: new Date(row.soldAt),
  }
}
