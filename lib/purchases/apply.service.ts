/** From one of Stripe's events, or one report, to a ledger that is right: read, decide, save, and again if need be. */
import type { Db } from '../db/connection.ts'
import { endReport, noteReport } from '../tracking/reports.queries.ts'
import { lostRace } from '../unavailable.ts'
import { saveSettlement } from './apply.queries.ts'
import type { StripeOutcome } from './outcomes.ts'
import { settle } from './plan.ts'
import { readPurchase } from './purchase.ts'
import { loadPurchase, loadPurchaseFacts } from './purchases.queries.ts'
import type { SaleReport } from './purchases.rpc.ts'
import { laterSales } from './webhook.queries.ts'

/** Of ten events about one purchase at once, one gets through in each round. */
const ROUNDS = 12

export type Settled = {
  /** The sale, when there is one, and whether it is credited to a partner. */
  saleId: string | null
  isCredited: boolean
  outcome: StripeOutcome
}

/**
 * Brings the ledger into line with all that is known of the purchase that some keys belong to.
 *
 * When it turns out whose the customer is, what the customer has paid since, and was told before, is credited too.
 *
 * @param keys  its invoice, payments, charges or checkout
 * @throws {Unavailable} when it can't be confirmed, or others kept changing the same
 */
export const settlePurchase = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  { decides, now }: When,
): Promise<Settled> => {
  const { brought, ...settled } = await settleOne(db, workspaceId, keys, { decides, now })
  const looked = [...keys]
  const next = async () => (brought ? laterSales(db, workspaceId, brought, looked) : [])
  for (let sales = await next(); sales.length > 0; sales = await next()) {
    for (const sale of sales) await settleOne(db, workspaceId, [sale], { decides: true, now })
    looked.push(...sales)
  }
  return settled
}

/** `decides`: see settle. */
type When = { decides: boolean; now: Date }

/** The same for one purchase alone. `brought` tells of Stripe's customer, when it is a partner's. */
const settleOne = async (db: Db, workspaceId: string, keys: string[], { decides, now }: When) => {
  for (let round = 0; round < ROUNDS; round++) {
    const known = await loadPurchase(db, workspaceId, keys)
    const purchase = readPurchase(known.told)
    const facts = await loadPurchaseFacts(db, workspaceId, known.keys, purchase)
    const settlement = settle(purchase, facts, decides)
    const saleId = await saveSettlement(db, { workspaceId, purchase, facts, settlement, told: known, now })
    if (saleId !== undefined) {
      const { sale, outcome } = settlement
      const isCredited = sale ? sale.credit !== null : facts.recorded?.partnerId != null
      const { customer, broughtAt } = purchase
      const partnerId =
        settlement.customer?.partnerId ?? facts.recorded?.partnerId ?? facts.customerPartner?.id
      const brought =
        (decides || settlement.customer) && customer && broughtAt && partnerId
          ? { customer, partnerId, at: broughtAt }
          : null
      return { saleId, isCredited, outcome, brought }
    }
  }
  throw lostRace('the same purchase')
}

/**
 * Settles a sale that Stripe has told of with what the merchant reports of it now. A report that is cut off on the way
 * is one that has not ended, and is joined again when it is repeated.
 */
export const joinReport = async (db: Db, workspaceId: string, report: SaleReport, now: Date) => {
  await noteReport(db, workspaceId, report)
  const { isCredited } = await settlePurchase(db, workspaceId, [report.externalId], { decides: true, now })
  return { id: await endReport(db, workspaceId, report), attributed: isCredited }
}
