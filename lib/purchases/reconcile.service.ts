/** Holds purchases that Stripe lists against the ledger, and records what it lacks of them. */
import type { Db } from '../db/connection.ts'
import type { PartnerTerms } from '../tracking/attribution.ts'
import type { Money } from '../tracking/rewards.ts'
import { settlePurchase } from './apply.service.ts'
import type { StripeFact } from './facts.ts'
import { type PurchaseFacts, type Settlement, settle } from './plan.ts'
import { readPurchase, type ToldFact } from './purchase.ts'
import { loadPurchase, loadPurchaseFacts } from './purchases.queries.ts'
import { explainLack, type Foreseen, foresee, isLacking } from './reconciliation.ts'
import type { StripeEvent } from './stripe/events.schemas.ts'
import type { ListedPurchase } from './stripe/list-purchases.service.ts'
import { saveOutcome, saveStripeEvent } from './webhook.queries.ts'

/** What the ledger lacks of a purchase, in words. */
export type Lack = { externalId: string; paid: Money; words: string; listed: ListedPurchase }

/** What comes of the customers whose earlier purchases are lacking too, by Stripe's customer or the address. */
export type Foresight = Map<string, Foreseen>

const keysOf = ({ events }: ListedPurchase): string[] => [...new Set(events.flatMap(({ keys }) => keys))]

/** Whether two facts say the same. A checkout that was not paid when it was told says less than a paid one. */
const saysSame = (told: StripeFact, fact: StripeFact): boolean => {
  if (told.kind === 'invoice' && fact.kind === 'invoice') return told.id === fact.id
  if (told.kind !== 'checkout' || fact.kind !== 'checkout') return false
  return told.sessionId === fact.sessionId && (told.paid !== null || fact.paid === null)
}

const findUntold = ({ events }: ListedPurchase, told: ToldFact[]): StripeEvent[] =>
  events.filter(({ facts }) => !facts.every((fact) => told.some((known) => saysSame(known.fact, fact))))

/**
 * What the ledger lacks of a purchase, as far as that can be said without writing anything: what would have to change
 * if Stripe's events told now what its API lists. Purchases are to be looked at in the order in which they were paid.
 *
 * @param foresight is told what would come of the customer
 * @returns null when nothing is lacking
 */
export const findLack = async (
  db: Db,
  workspaceId: string,
  listed: ListedPurchase,
  foresight: Foresight,
): Promise<Lack | null> => {
  const known = await loadPurchase(db, workspaceId, keysOf(listed))
  const untold = findUntold(listed, known.told)
  const added = untold.flatMap(({ facts, occurredAt }) => facts.map((fact) => ({ fact, at: occurredAt })))
  const purchase = readPurchase([...known.told, ...added])
  const buyer = purchase.customer ?? purchase.email ?? ''

  const loaded = await loadPurchaseFacts(db, workspaceId, known.keys, purchase)
  const facts = foresee(loaded, foresight.get(buyer))
  // Somebody asks just now who is to be credited, whether or not Stripe has told of it before.
  const settlement = settle(purchase, facts, true)
  if (!isLacking(settlement, untold.length > 0)) return null

  const partner = findPartner(facts, settlement)
  if (partner && buyer) {
    const rewardedAt = settlement.commission ? (purchase.sale?.paidAt ?? null) : null
    foresight.set(buyer, { partner, rewardedAt: foresight.get(buyer)?.rewardedAt ?? rewardedAt })
  }
  const { netCents = 0, currency = '' } = purchase.sale?.paid ?? {}
  return {
    externalId: facts.recorded?.externalId ?? purchase.externalId ?? '',
    paid: { amountCents: BigInt(netCents), currency },
    words: explainLack(settlement, facts.recorded),
    listed,
  }
}

/** Whose the customer is after a settlement. */
const findPartner = (
  { coupon, click, customerPartner }: PurchaseFacts,
  { customer }: Settlement,
): PartnerTerms | undefined =>
  [coupon?.partner, click?.partner, customerPartner].find(
    (partner) => partner && partner.id === customer?.partnerId,
  ) ?? undefined

/** Records a purchase as if Stripe's events told of it now: once, and what was told before is not told again. */
export const recordListed = async (
  db: Db,
  workspaceId: string,
  listed: ListedPurchase,
  now: Date,
): Promise<void> => {
  const { told } = await loadPurchase(db, workspaceId, keysOf(listed))
  const ids: string[] = []
  for (const event of findUntold(listed, told)) {
    ids.push((await saveStripeEvent(db, workspaceId, event, now)).id)
  }
  const { saleId, outcome } = await settlePurchase(db, workspaceId, keysOf(listed), { decides: true, now })
  for (const id of ids) await saveOutcome(db, { id, saleId, outcome })
}
