/** What webhooks are about, as the API represents it. */
import { type CompiledQuery, sql } from 'kysely'
import { auditEntryQuery } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { partnerResponse } from '../partners/lists/partner-response.ts'
import { partnerQuery } from '../partners/lists/partners.queries.ts'
import { payoutResponse } from '../payouts/payout-response.ts'
import { payoutQuery } from '../payouts/payouts.queries.ts'
import { eventResponse } from '../tracking/events/event-response.ts'
import { eventQuery } from '../tracking/events/events.queries.ts'
import { commissionResponse } from '../tracking/ledger/commission-response.ts'
import { commissionQuery } from '../tracking/ledger/commissions.queries.ts'
import type { LeasedDelivery } from './deliveries/queue.queries.ts'
import { TEST_TYPE } from './types.ts'

type Subject = Pick<
  LeasedDelivery,
  'eventId' | 'workspaceId' | 'type' | 'subjectId' | 'occurredAt' | 'refund'
>

/** How to read one kind of subject: the query, and what the API makes of its row. */
const kind = <Row>(
  query: (db: Db, workspaceId: string, id: string) => { compile: () => CompiledQuery<Row> },
  present: (row: Row, now: Date, subject: Subject) => object,
) => ({
  compile: (db: Db, { workspaceId, subjectId }: Subject) =>
    query(db, workspaceId, subjectId).compile(),
  present: (row: unknown, now: Date, subject: Subject) => present(row as Row, now, subject),
})

/** A backend may pay what a webhook says was earned, so a commission of shadow mode is in none. */
const event = kind(eventQuery, (row, now) => {
  const shown = eventResponse(row, now)
  return shown.commission?.status === 'shadow' ? { ...shown, commission: null } : shown
})
/** A refund that only Stripe reported is no event: it is presented by its sale's data. */
const refund = kind(eventQuery, (row, now, { eventId, occurredAt, refund }) => {
  const shown = eventResponse(row, now)
  if (refund?.amountCents === undefined) return shown
  const { id: externalId, amountCents, currency } = refund
  return {
    ...shown,
    id: eventId,
    kind: 'refund',
    externalId,
    eventName: 'refund',
    amountCents,
    currency,
    sale: { id: shown.id, externalId: shown.externalId },
    lines: null,
    customerCountry: null,
    metadata: null,
    occurredAt,
    commission: null,
    steps: [],
  }
})
const commission = kind(commissionQuery, commissionResponse)
const payout = kind(payoutQuery, payoutResponse)
const partner = kind(partnerQuery, partnerResponse)

const KINDS = {
  'partner.created': partner,
  'partner.approved': partner,
  'partner.banned': partner,
  'lead.created': event,
  'sale.created': event,
  'refund.created': refund,
  'commission.created': commission,
  'commission.reversed': commission,
  'payout.created': payout,
  'payout.paid': payout,
  'payout.failed': payout,
  'import.finished': kind(auditEntryQuery, ({ details, ...entry }) => {
    // The ids of its opening balances may be thousands: GET /audit/:id has them.
    const { openingBalances, ...rest } = details as { openingBalances?: { ids?: unknown } }
    const { ids: _, ...balances } = openingBalances ?? {}
    return { ...entry, details: openingBalances ? { ...rest, openingBalances: balances } : rest }
  }),
  'import.undone': kind(auditEntryQuery, (entry) => entry),
  [TEST_TYPE]: kind(
    (db, _, id) => ({
      compile: () => sql<{ endpointId: string }>`select ${id}::uuid as "endpointId"`.compile(db),
    }),
    (row) => row,
  ),
}

/** The subjects as they are now, in one round trip. null for one that does not exist. */
export const readSubjects = async (
  db: Db,
  subjects: Subject[],
  now: Date,
): Promise<(object | null)[]> => {
  const rows = await db.batch(subjects.map((subject) => KINDS[subject.type].compile(db, subject)))
  return subjects.map((subject, place) => {
    const row = rows[place]?.[0]
    return row === undefined ? null : KINDS[subject.type].present(row, now, subject)
  })
}
