/** Adds what a sale's report lacked, and recomputes the sale. docs/decisions.md, "Corrections". */

import type { Act } from '../../audit/audit.queries.ts'
import { tieCustomers } from '../../customers/tie.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { followReportedClick } from '../../rules/attribution/attribution.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import type { CorrectionOutcome, SaleCorrection } from '../../rules/refunds/corrections.ts'
import { applyPurchase } from '../apply/apply.service.ts'
import {
  type CorrectableSale,
  loadCorrectable,
  type SaleAddition,
  saveCorrection,
} from './correct.queries.ts'

/** Of eight concurrent corrections of one sale, one succeeds in each round. */
const ROUNDS = 12

/**
 * Corrects a sale once: a field that it has already stays. Idempotent: a repeat decides again, and
 * changes nothing.
 *
 * @param externalId the sale's
 * @returns what it is credited with now, or why it cannot be corrected so
 */
export const correctSale = async (
  db: Db,
  act: Act,
  externalId: string,
  correction: SaleCorrection,
): Promise<CorrectionOutcome> => {
  const { workspaceId, now } = act
  const { clickId = null, customerExternalId = null } = correction
  for (let round = 0; round < ROUNDS; round++) {
    const sale = await loadCorrectable(db, workspaceId, externalId, clickId)
    if (!sale) return { outcome: 'no_sale' }
    if (clickId && !sale.click) return { outcome: 'no_click' }
    const added = {
      clickId: sale.click?.id ?? sale.clickId,
      customerExternalId: customerExternalId ?? sale.customerExternalId,
    }
    const addsClick = added.clickId !== sale.clickId
    const addsCustomer = added.customerExternalId !== sale.customerExternalId
    if (addsClick && sale.clickId) return { outcome: 'has_click' }
    if (addsCustomer && sale.customerId) return { outcome: 'has_customer' }
    if (addsClick || addsCustomer) {
      const referral = await referralOf(db, act, externalId, sale, added.customerExternalId)
      if (!(await saveCorrection(db, act, externalId, sale, { ...added, referral }))) continue
    }
    // Also of a repeat, which may follow an interrupted request.
    await applyPurchase(db, workspaceId, [externalId], { trigger: 'again', now })
    const after = await loadCorrectable(db, workspaceId, externalId, null)
    return { outcome: 'corrected', id: sale.id, attributed: (after ?? sale).partnerId !== null }
  }
  throw lostRace('the same sale')
}

/** Whom the click refers. A sale that a processor reports says so itself. */
const referralOf = async (
  db: Db,
  { workspaceId, now }: Act,
  externalId: string,
  { click, reportOccurredAt, customerId }: CorrectableSale,
  customerExternalId: string,
): Promise<SaleAddition['referral']> => {
  const credit =
    click && reportOccurredAt && followReportedClick(click.id, click, reportOccurredAt).credit
  if (!credit) return null
  const identities = [identityOf(customerExternalId)]
  const evidence = { source: 'sale' as const, evidence: externalId }
  return {
    customerId: customerId ?? (await tieCustomers(db, workspaceId, identities, evidence, now)),
    partner: credit.partner,
    at: reportOccurredAt,
    clickedAt: click.createdAt,
  }
}
