/** Credits an event to a partner whom a manager names. docs/decisions.md, "Credits by hand". */

import type { Act } from '../../audit/audit.queries.ts'
import { tieCustomers } from '../../customers/tie.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lostRace } from '../../platform/unavailable.ts'
import {
  type CreditOutcome,
  creditRefusalOf,
  type HandCreditRequest,
} from '../../rules/attribution/hand-credits.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import { type HandCreditStep, handCreditOf } from '../../rules/steps/steps.ts'
import { applyPurchase } from '../apply/apply.service.ts'
import { type Creditable, creditStatements, loadCreditable } from './credit.queries.ts'
import { creditLead } from './credit-lead.queries.ts'

/** Of eight concurrent credits of one lead, one succeeds in each round. */
const ROUNDS = 12

/**
 * Credits an event to a partner, or to nobody. Idempotent. What was earned by it before is reversed
 * and replaced, in one transaction.
 *
 * @param eventId a UUID
 * @returns why not, if it cannot be credited so
 */
export const creditEvent = async (
  db: Db,
  act: Act,
  eventId: string,
  request: HandCreditRequest,
): Promise<CreditOutcome> => {
  const { workspaceId, actor, now } = act
  const { partnerId, reason } = request
  const { event, partner } = await loadCreditable(db, workspaceId, eventId, partnerId)
  if (!event || (partnerId !== null && !partner)) return 'partner_missing'
  if (partner && partner.status !== 'approved') return 'partner_banned'
  const refusal = creditRefusalOf(event.steps)
  if (refusal) return refusal
  if (event.kind === 'refund') return 'refund'

  const step: HandCreditStep = {
    code: 'credited_by_hand',
    facts: { slug: partner?.slug ?? null, partnerId, reason, by: actor },
  }
  event.customerId = await nameCustomer(db, act, event, partnerId)
  if (event.kind === 'lead') {
    for (let round = 0; round < ROUNDS; round++) {
      if (await creditLead(db, act, event, { step, request })) return 'credited'
      // Its customer may have been merged into another one.
      const { event: changed } = await loadCreditable(db, workspaceId, eventId, null)
      event.customerId = changed ? await nameCustomer(db, act, changed, partnerId) : null
    }
    throw lostRace('the same lead')
  }
  const statementsFor = (customerId: string | null) =>
    creditStatements(db, act, { event, customerId, step, request })
  await applyPurchase(db, workspaceId, [event.externalId], {
    trigger: 'again',
    now,
    byHand: { step, statementsFor },
  })
  const { event: after } = await loadCreditable(db, workspaceId, eventId, null)
  const credited = handCreditOf(after?.steps ?? [])
  return credited?.facts.partnerId === partnerId
    ? 'credited'
    : (after && creditRefusalOf(after.steps)) || 'undecided'
}

/** Creates the customer whom a credited report names, if its id is not known. */
const nameCustomer = async (
  db: Db,
  { workspaceId, now }: Act,
  { kind, externalId, customerExternalId, customerId, reportOccurredAt }: Creditable,
  partnerId: string | null,
): Promise<string | null> => {
  if (customerId !== null || reportOccurredAt === null || partnerId === null || kind === 'refund')
    return customerId
  const identities = [identityOf(customerExternalId)]
  return tieCustomers(db, workspaceId, identities, { source: kind, evidence: externalId }, now)
}
