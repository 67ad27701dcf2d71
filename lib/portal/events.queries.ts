/**
 * The events that a partner may see: those credited to it, and those with a click on its link that
 * are credited elsewhere.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { isOfShadowMode } from '../rules/steps/commissions.ts'
import type { EventKind } from '../rules/steps/event-kinds.ts'
import type { HoldReason } from '../rules/steps/holds.ts'
import type { Step } from '../rules/steps/steps.ts'
import { ownProgramsQuery, type PortalFilter } from './lists.queries.ts'

/** An event for one partner. Show the customer and the amount only if the partner is credited. */
export type OwnEvent = {
  id: string
  kind: EventKind
  occurredAt: Date
  steps: Step[]
  /** The reading partner, in the program. */
  partnerId: string
  program: string
  supportEmail: string | null
  isCredited: boolean
  isCreditedToOther: boolean
  isClicked: boolean
  customer: string
  amountCents: bigint | null
  currency: string | null
  /** Whether its commission belongs to shadow mode, and so is not shown. */
  isOfShadow: boolean
  /** The partner's latest commission. */
  commission: RawCommission | null
}

/** Built as JSON, with times as text. Amounts are far below 2^53, so numbers are exact. */
type RawCommission = {
  amountCents: number
  currency: string
  payableAt: string
  payoutId: string | null
  paidAt: string | null
  reversedCents: number
  /** Why it is held; null if it is not. */
  heldFor: HoldReason | null
  /** A manager's reason for the hold. */
  heldNote: string | null
}

type Row = Omit<OwnEvent, 'isOfShadow'>

/** Tributary does not promise what another platform pays. */
const toOwnEvent = (row: Row): OwnEvent => {
  const { commission } = row
  const isOfShadow =
    commission !== null && isOfShadowMode({ payableAt: new Date(commission.payableAt) })
  return { ...row, isOfShadow, commission: isOfShadow ? null : commission }
}

/** The events of an email address, newest first, and its programs, in one database round trip. */
export const readOwnEvents = async (db: Db, email: string, filter: PortalFilter) => {
  const { programId, cursor, limit } = filter
  const mine = partnersOf(email, programId)
  const before = cursor ? sql`and e.id < ${cursor}` : sql``
  const newest = sql`order by e.id desc limit ${limit}`
  // The newest of each partner, because a query over all events would sort millions as a whole.
  const isOwn = sql<SqlBool>`e.id in (
    (select e.id from mine cross join lateral (
       select e.id from events e where e.partner_id = mine.id ${before} ${newest}) e ${newest})
    union all
    (select e.id from mine cross join lateral (
       select e.id from events e where e.clicked_partner_id = mine.id and ${isUncreditedClick}
         and (e.partner_id is null or e.partner_id not in (select id from mine)) ${before} ${newest}) e ${newest}))`
  const [programs, rows] = await db.batch([
    ownProgramsQuery(db, email).compile(),
    selectOwn(mine, isOwn, limit).compile(db),
  ])
  return { programs, rows: rows.map(toOwnEvent) }
}

/** Includes an event that was credited to the partner earlier, because its commission remains. */
export const findOwnEvent = async (
  db: Db,
  email: string,
  id: string,
): Promise<OwnEvent | undefined> => {
  const { rows } = await selectOwn(partnersOf(email), sql`e.id = ${id}`, 1).execute(db)
  return rows.map(toOwnEvent)[0]
}

const partnersOf = (email: string, programId?: string) => sql`
  select id, workspace_id, program_id from partners
  where email = ${email} ${programId ? sql`and program_id = ${programId}` : sql``}`

/** The predicate of the index events_uncredited_click_idx. */
const isUncreditedClick = sql<SqlBool>`e.click_id is not null and e.attributed_by is distinct from 'click'`

/**
 * Joins each event with the reading partner: the credited one of these partners, else the one with
 * the clicked link.
 */
const selectOwn = (
  mine: RawBuilder<unknown>,
  condition: RawBuilder<SqlBool>,
  limit: number,
) => sql<Row>`
  with mine as (${mine})
  select e.id, e.kind, e.occurred_at as "occurredAt", e.steps, reader.id as "partnerId", pr.name as program, b.support_email as "supportEmail",
         e.partner_id is not distinct from reader.id as "isCredited",
         e.partner_id is not null and e.partner_id <> reader.id as "isCreditedToOther",
         k.partner_id is not distinct from reader.id as "isClicked",
         coalesce(cu.email, e.customer_external_id) as customer, e.amount_cents as "amountCents", e.currency,
         (select jsonb_build_object(
                   'amountCents', c.amount_cents, 'currency', c.currency, 'payableAt', c.payable_at,
                   'payoutId', c.payout_id, 'paidAt', po.paid_at,
                   'heldFor', (select h.reason from commission_holds h
                               where h.commission_id = c.id and h.resolved_at is null),
                   'heldNote', (select h.note from commission_holds h
                                where h.commission_id = c.id and h.resolved_at is null), 'reversedCents',
                   (select coalesce(-sum(r.amount_cents), 0) from commissions r
                    where r.event_id = e.id and r.reverses_id = c.id))
          from commissions c left join payouts po on po.id = c.payout_id
          where c.event_id = e.id and c.partner_id = reader.id and c.kind <> 'reversal'
          order by c.id desc limit 1) as commission
  from events e
  left join clicks k on k.workspace_id = e.workspace_id and k.id = e.click_id
  left join customers cu on cu.id = e.customer_id
  join lateral (
    select m.id, m.program_id from mine m
    where m.workspace_id = e.workspace_id
      and (m.id = e.partner_id or m.id = k.partner_id
           or exists (select from commissions c where c.event_id = e.id and c.partner_id = m.id))
    order by m.id is not distinct from e.partner_id desc, m.id is not distinct from k.partner_id desc, m.id
    limit 1) reader on true
  join programs pr on pr.id = reader.program_id
  left join brands b on b.program_id = reader.program_id
  where ${condition}
  order by e.id desc
  limit ${limit}`
