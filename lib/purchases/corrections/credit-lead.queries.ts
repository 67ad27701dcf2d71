/** Credits a lead by hand. Leads are never recomputed, so this decides the lead for good. */
import { sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockUnmerged } from '../../db/locks.queries.ts'
import { isConflict } from '../../db/neon.ts'
import type { PartnerTerms } from '../../rules/attribution/attribution.ts'
import type { HandCreditRequest } from '../../rules/attribution/hand-credits.ts'
import { decide } from '../../rules/decisions/decide.ts'
import { holdRequest, type Rule } from '../../rules/holds/hold-facts.ts'
import { nothingReturned } from '../../rules/refunds/returns.ts'
import { replacedStep, reverseAll, toReverse } from '../../rules/refunds/reversals.ts'
import {
  type HandCreditStep,
  overBudgetOf,
  ruledHoldOf,
  type Step,
  tierIn,
} from '../../rules/steps/steps.ts'
import { type CommissionJson, reviveCommission } from '../../tracking/refunds/refunds.queries.ts'
import { type FromJson, reviveTerms } from '../../tracking/reports/facts.queries.ts'
import { canonicalJson } from '../../values/json.ts'
import { saveWithHolds } from '../apply/holds.queries.ts'
import { SALE_JSON } from '../apply/known-rows.queries.ts'
import { insertCommissions, keepFigures } from '../apply/ledger.queries.ts'
import { type Creditable, creditStatements } from './credit.queries.ts'

type LeadRow = {
  lead: {
    revision: number
    partnerId: string | null
    steps: Step[]
    commission: CommissionJson | null
    lastCommissionId: string | null
  }
  occurredAt: Date
  emails: string[]
  /** The program of the partner who is credited with it. */
  programId: string | null
  terms: FromJson<PartnerTerms> | null
}

/** Nothing is returned of a lead. */
const NO_RETURNS = nothingReturned({ amountCents: 0n, currency: 'USD' })

/** What the credited lead is held for; null leaves what rules hold. */
const ruleOf = (decision: { steps: Step[] }, lead: { steps: Step[] }): Rule | null => {
  const [reason, former] = [ruledHoldOf(decision), ruledHoldOf(lead)]
  if (reason) return { reason, isNew: reason !== 'over_budget' || former !== reason }
  // The other program has another budget.
  return former === 'over_budget' ? { reason, isNew: false } : null
}

/** Credits a lead, in one transaction. @returns whether nothing else changed it meanwhile */
export const creditLead = async (
  db: Db,
  act: Act,
  event: Creditable,
  { step, request }: { step: HandCreditStep; request: HandCreditRequest },
): Promise<boolean> => {
  const { workspaceId, now } = act
  const { customerId } = event
  const { rows } = await sql<LeadRow>`
    select ${SALE_JSON} as lead, s.occurred_at as "occurredAt",
           (select p.program_id from partners p where p.id = s.partner_id) as "programId",
           array(select value from customer_identities where customer_id = ${customerId}::uuid and kind = 'email') as emails,
           terms_of_partner(${request.partnerId}::uuid, null, s.occurred_at, s.occurred_at) as terms
    from events s where s.workspace_id = ${workspaceId} and s.id = ${event.id}`.execute(db)
  const [row] = rows
  if (!row) return false
  const { lead, occurredAt, emails, programId } = row
  const partner = row.terms && reviveTerms(row.terms)
  const report = {
    kind: 'lead' as const,
    externalId: event.externalId,
    customerExternalId: event.customerExternalId,
    customerEmail: null,
    customerName: null,
    clickId: null,
    eventName: 'lead',
    metadata: null,
    sale: null,
  }
  const former = tierIn(lead.steps)
  const known = {
    decidedTier: former && lead.partnerId ? { partnerId: lead.partnerId, tier: former } : null,
    click: null,
    customerPartner: null,
    customerEmails: emails,
    byHand: { partner, step },
    decidedBudget:
      programId !== null && lead.commission
        ? { programId, step: overBudgetOf(lead.steps) }
        : undefined,
  }
  const decision = decide(report, known, occurredAt)
  const { commission } = decision
  const tier = tierIn(decision.steps)
  const current = lead.commission && reviveCommission(lead.commission)
  const isKept =
    current !== null &&
    current.partnerId === partner?.id &&
    current.amountCents === commission?.amountCents &&
    current.currency === commission.currency
  const made =
    commission && partner && !isKept
      ? {
          ...commission,
          partner,
          reversedCents: toReverse(
            { ...commission, partnerId: partner.id },
            NO_RETURNS,
            lead.steps,
          ),
          replacesId: lead.lastCommissionId,
        }
      : null
  const steps = [
    ...decision.steps,
    ...lead.steps.filter(
      ({ code }) => code === 'commission_replaced' || code === 'reversed_by_hand',
    ),
    ...(current && !isKept ? [replacedStep(current)] : []),
  ]
  // A repeat: the same person has decided the same before.
  if (!made && (isKept || !current) && canonicalJson(steps) === canonicalJson(lead.steps))
    return true
  const reversals = isKept ? [] : reverseAll(current)
  const { insert, commissionId } = insertCommissions(
    workspaceId,
    { sale: { commission: made, reversals, change: { occurredAt } }, duplicates: [] },
    now,
    'lead',
  )
  const save = sql<unknown>`
    with customer as (select ${customerId}::uuid as id),
    event as (
      update events e
      set partner_id = ${partner?.id ?? null}::uuid, attributed_by = ${partner ? 'manual' : null}, customer_id = customer.id,
          commission_id = ${isKept ? sql`e.commission_id` : sql`${commissionId}::uuid`},
          steps = ${JSON.stringify(steps)}::jsonb, revision = e.revision + 1
      from customer
      where e.workspace_id = ${workspaceId} and e.id = ${event.id} and e.revision = ${lead.revision}
      returning e.id
    ), duplicate as (select null::uuid as id where false), commission as (${insert})
    select id from event`
  try {
    const rule = ruleOf(decision, lead)
    const holds = rule
      ? [
          holdRequest(
            { eventId: event.id, isNew: true, rule },
            { duplicates: false, expected: false },
          ),
        ]
      : []
    const before = [
      ...(customerId ? [lockUnmerged(workspaceId, customerId).compile(db)] : []),
      save.compile(db),
      sql<unknown>`
        select assert_unchanged(exists (
          select from events where workspace_id = ${workspaceId} and id = ${event.id} and revision = ${lead.revision + 1}
                               and steps = ${JSON.stringify(steps)}::jsonb))`.compile(db),
      ...creditStatements(db, act, { event, customerId, step, request }),
      ...(tier && partner && tier !== former
        ? [keepFigures(workspaceId, partner.id, tier).compile(db)]
        : []),
    ]
    const refer = sql<unknown>`
        update customers c
        set partner_id = present_owner(c.id), revision = c.revision + 1,
            replan_from = case when exists (
              select from events e where e.customer_id = c.id and e.kind = 'sale' and e.occurred_at >= ${occurredAt}::timestamptz)
              then least(c.replan_from, date_trunc('second', ${occurredAt}::timestamptz)) else c.replan_from end
        where c.workspace_id = ${workspaceId} and c.id = ${customerId}::uuid`.compile(db)
    await saveWithHolds(db, act, holds, { before, after: [refer] })
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}
