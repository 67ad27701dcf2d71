/** Reads what is credited by hand, and writes what goes with it: see credit.service.ts. */
import { type CompiledQuery, type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { HandCreditRequest } from '../../rules/attribution/hand-credits.ts'
import type { EventKind } from '../../rules/steps/event-kinds.ts'
import type { HandCreditStep, Step } from '../../rules/steps/steps.ts'
import { mailManualEarning } from '../../tracking/ledger/manual-earnings.queries.ts'

export type Creditable = {
  id: string
  kind: EventKind
  externalId: string
  customerExternalId: string
  customerId: string | null
  reportOccurredAt: Date | null
  commissionId: string | null
  steps: Step[]
}

type Loaded = {
  event: Creditable | undefined
  partner: { slug: string; status: 'approved' | 'banned' } | undefined
}

/** An event of the workspace, and the partner to credit. */
export const loadCreditable = async (
  db: Db,
  workspaceId: string,
  eventId: string,
  partnerId: string | null,
): Promise<Loaded> => {
  const [[event], [partner]] = await db.batch([
    sql<Creditable>`
      select id, kind, external_id as "externalId", customer_external_id as "customerExternalId",
             customer_id as "customerId", report_occurred_at as "reportOccurredAt", commission_id as "commissionId", steps
      from events where workspace_id = ${workspaceId} and id = ${eventId}`.compile(db),
    sql<NonNullable<Loaded['partner']>>`
      select slug, status from partners where workspace_id = ${workspaceId} and id = ${partnerId}::uuid`.compile(
      db,
    ),
  ])
  return { event, partner }
}

type Credit = {
  event: Pick<Creditable, 'id' | 'externalId' | 'commissionId'>
  customerId: string | null
  step: HandCreditStep
  request: HandCreditRequest
}

/**
 * What is written with a credit by hand, after the commission: the referral of the customer by the
 * partner, the mail to managers and the audit entry. Rolls the batch back if the partner was banned
 * meanwhile. `customers.partner_id` is to be updated after it.
 */
export const creditStatements = (
  db: Db,
  act: Act,
  { event, customerId, step, request }: Credit,
): CompiledQuery[] => {
  const { workspaceId, now } = act
  const { partnerId, slug, reason } = step.facts
  // Like a free trial, it refers a customer whom nobody had referred, and moves no other unless it
  // is asked for.
  const attribution = request.customer ? 'last' : 'first'
  const origin = `hand:${event.id}`
  return [
    sql<unknown>`
      select assert_unchanged(${partnerId === null}::boolean or exists (
        select from partners where workspace_id = ${workspaceId} and id = ${partnerId}::uuid and status = 'approved'))`,
    sql<unknown>`
      delete from referrals where customer_id = ${customerId}::uuid and origin = ${origin}`,
    sql<unknown>`
      insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at)
      select ${workspaceId}::uuid, ${customerId}::uuid, ${origin}, ${partnerId}::uuid, 'manual', ${attribution}, ${now}::timestamptz
      where ${partnerId !== null && customerId !== null}::boolean`,
    sql<unknown>`
      select ${mailManualEarning(act, 'credit', {
        program: sql`c.program_id`,
        partner: sql`${slug}::text`,
        cents: sql`c.amount_cents`,
        currency: sql`c.currency`,
      })}
      from events e join commissions c on c.id = e.commission_id
      where e.workspace_id = ${workspaceId} and e.id = ${event.id} and e.commission_id is distinct from ${event.commissionId}::uuid`,
  ]
    .map((statement) => statement.compile(db))
    .concat(
      auditEntry(db, {
        ...act,
        action: 'event.credited',
        subjectId: event.id,
        details: { externalId: event.externalId, slug, reason, customer: request.customer },
        when: sql<SqlBool>`true`,
      }).compile(),
    )
}
