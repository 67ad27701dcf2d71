/** Reads and saves what a correction adds to a sale: see correct.service.ts. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockCustomers, lockIdentities, lockUnmerged } from '../../db/locks.queries.ts'
import { isConflict } from '../../db/neon.ts'
import type { Click, PartnerTerms } from '../../rules/attribution/attribution.ts'
import { clickIdsIn } from '../../rules/attribution/click-ids.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import { type FromJson, reviveClick } from '../../tracking/reports/facts.queries.ts'

/** A sale, as far as a correction depends on it. */
export type CorrectableSale = {
  id: string
  revision: number
  customerId: string | null
  customerExternalId: string
  clickId: string | null
  /** When it took place by the merchant's report; null if only a processor reported it. */
  reportOccurredAt: Date | null
  partnerId: string | null
  /** The named click, with its partner's terms at that time. */
  click: Click | null
}

/** Loads a sale and the click that a correction names. */
export const loadCorrectable = async (
  db: Db,
  workspaceId: string,
  externalId: string,
  clickId: string | null,
): Promise<CorrectableSale | undefined> => {
  const { rows } = await sql<Omit<CorrectableSale, 'click'> & { click: FromJson<Click> | null }>`
    select e.id, e.revision, e.customer_id as "customerId", e.customer_external_id as "customerExternalId",
           e.click_id as "clickId", e.report_occurred_at as "reportOccurredAt", e.partner_id as "partnerId", (
             select jsonb_build_object('id', c.id, 'createdAt', c.created_at, 'expiresAt', c.expires_at, 'partner',
                      terms_of_partner(c.partner_id, e.customer_id, t.at,
                                      case when t.at = date_trunc('second', t.at) then t.at + interval '999 milliseconds' else t.at end))
             from clicks c
             where c.workspace_id = e.workspace_id and c.id = any(${clickIdsIn(clickId ?? '')}::text[])
             order by c.expires_at > t.at desc, c.created_at desc, c.id limit 1) as click
    from events e cross join lateral (select coalesce(e.report_occurred_at, e.occurred_at) as at) t
    where e.workspace_id = ${workspaceId} and e.kind = 'sale' and e.external_id = ${externalId}`.execute(
    db,
  )
  const [row] = rows
  return row && { ...row, click: row.click && reviveClick(row.click) }
}

/** What a correction changes. */
export type SaleAddition = {
  clickId: string | null
  customerExternalId: string
  /** The customer whom the click refers, and by which partner. */
  referral: { customerId: string; partner: PartnerTerms; at: Date; clickedAt: Date } | null
}

/**
 * Saves a correction, and marks the customer's sales to be recomputed.
 * @returns whether nothing else changed the sale meanwhile
 */
export const saveCorrection = async (
  db: Db,
  act: Act,
  externalId: string,
  sale: CorrectableSale,
  { clickId, customerExternalId, referral }: SaleAddition,
): Promise<boolean> => {
  const { workspaceId } = act
  const customerId = referral?.customerId ?? null
  const identity = identityOf(customerExternalId)
  const since = referral && (referral.clickedAt < referral.at ? referral.clickedAt : referral.at)
  const statements = [
    // As a report of a sale whose customer may become known meanwhile: see save_report.
    lockIdentities(workspaceId, [identity], 'exclusive'),
    customerId ? lockUnmerged(workspaceId, customerId) : lockCustomers(workspaceId, [identity]),
    sql<unknown>`
      update events e
      set click_id = ${clickId}, customer_external_id = ${customerExternalId}, revision = e.revision + 1,
          customer_id = coalesce(e.customer_id, ${customerId}::uuid, (
            select i.customer_id from customer_identities i
            where i.workspace_id = ${workspaceId} and i.kind = ${identity.kind} and i.value = ${identity.value} and i.kind <> 'email'))
      where e.workspace_id = ${workspaceId} and e.id = ${sale.id} and e.revision = ${sale.revision}`,
    sql<unknown>`
      select assert_unchanged(exists (
        select from events e where e.workspace_id = ${workspaceId} and e.id = ${sale.id} and e.revision = ${sale.revision + 1}
            and e.click_id is not distinct from ${clickId} and e.customer_external_id = ${customerExternalId}))`,
    // It is one of the customer's payments from now on.
    sql<unknown>`
      update customers c
      set replan_from = least(c.replan_from, date_trunc('second', e.occurred_at)), revision = c.revision + 1
      from events e
      where e.workspace_id = ${workspaceId} and e.id = ${sale.id} and c.id = e.customer_id
        and e.customer_id is distinct from ${sale.customerId}::uuid and counts_payments(${workspaceId})`,
    ...(referral
      ? [
          sql<unknown>`
            insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at, clicked_at)
            values (${workspaceId}, ${customerId}, ${sale.id}, ${referral.partner.id}, 'click', ${referral.partner.attribution},
                    ${referral.at}, ${referral.clickedAt})
            -- Instead of the slug or coupon of the sale's report.
            on conflict (customer_id, origin) do update
              set partner_id = excluded.partner_id, source = excluded.source, attribution = excluded.attribution,
                  referred_at = excluded.referred_at, clicked_at = excluded.clicked_at`,
          sql<unknown>`
            update customers c
            set partner_id = present_owner(c.id), revision = c.revision + 1,
                replan_from = least(c.replan_from, date_trunc('second', ${since}::timestamptz)),
                addressed_from = least(c.addressed_from, addressed_since(${workspaceId}, c.id, date_trunc('second', ${since}::timestamptz)))
            where c.workspace_id = ${workspaceId} and c.id = ${customerId}::uuid`,
        ]
      : []),
  ]
  const entry = auditEntry(db, {
    ...act,
    action: 'event.corrected',
    subjectId: sale.id,
    details: {
      externalId,
      clickAdded: clickId !== sale.clickId,
      customerAdded: customerExternalId !== sale.customerExternalId,
    },
    when: sql<SqlBool>`true`,
  })
  try {
    await db.batch([...statements.map((statement) => statement.compile(db)), entry.compile()])
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}
