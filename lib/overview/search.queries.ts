/** Searches a workspace's partners, customers, events, clicks and payouts. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { partnersQuery } from '../partners/lists/partners.queries.ts'
import { normalizeEmail } from '../values/emails.ts'

/** The number in a payout's reference, such as PO-000042, or null. */
const payoutNumber = (text: string): string | null => /^PO-0*(\d{1,18})$/i.exec(text)?.[1] ?? null

/** Matches of each kind. A longer text narrows them down. */
const MATCHES_SHOWN = 10

export type SearchResults = Awaited<ReturnType<typeof search>>

/**
 * The matches of a text, in one database round trip: partners by a part of the name, address or
 * slug; all others by a whole id, reference or address. Each kind has its newest matches, at most
 * `MATCHES_SHOWN`.
 *
 * @param text not blank
 */
export const search = async (db: Db, workspaceId: string, text: string) => {
  const email = normalizeEmail(text) ?? text
  const [partners, customers, events, clicks, payouts] = await db.batch([
    partnersQuery(db, workspaceId, { query: text, limit: MATCHES_SHOWN }).compile(),
    db
      .selectFrom('customers as cu')
      .where('cu.workspace_id', '=', workspaceId)
      .where(
        'cu.id',
        'in',
        sql<string>`(
          select customer_id from customer_identities
          where workspace_id = ${workspaceId} and value = ${text} and kind <> 'email'
          union all
          select customer_id from customer_identities
          where workspace_id = ${workspaceId} and value = ${email} and kind = 'email')`,
      )
      .select(['cu.id', 'cu.external_id as externalId', 'cu.email', 'cu.name'])
      .orderBy('cu.id', 'desc')
      .limit(MATCHES_SHOWN)
      .compile(),
    db
      .selectFrom('events as e')
      .where('e.workspace_id', '=', workspaceId)
      .where(
        'e.id',
        'in',
        sql<string>`(
          select id from events
          where workspace_id = ${workspaceId} and kind in ('sale', 'lead', 'refund') and external_id = ${text}
          union all select id from events where workspace_id = ${workspaceId} and click_id = ${text}
          union all select id from events where workspace_id = ${workspaceId} and sale_external_id = ${text})`,
      )
      .select([
        'e.id',
        'e.kind',
        'e.external_id as externalId',
        'e.occurred_at as occurredAt',
        'e.customer_external_id as customerExternalId',
      ])
      .orderBy('e.id', 'desc')
      .limit(MATCHES_SHOWN)
      .compile(),
    db
      .selectFrom('clicks as cl')
      .innerJoin('partners as p', 'p.id', 'cl.partner_id')
      .where('cl.workspace_id', '=', workspaceId)
      .where('cl.id', '=', text)
      .select([
        'cl.id',
        'cl.created_at as createdAt',
        'cl.landing_url as landingUrl',
        'p.id as partnerId',
        'p.name as partnerName',
        'p.slug as partnerSlug',
      ])
      .compile(),
    db
      .selectFrom('payouts as po')
      .innerJoin('partners as p', 'p.id', 'po.partner_id')
      .where('po.workspace_id', '=', workspaceId)
      .where(
        'po.id',
        'in',
        sql<string>`(
          select id from payouts where workspace_id = ${workspaceId} and number = ${payoutNumber(text)}::bigint
          union all
          select id from payouts where workspace_id = ${workspaceId} and transfer_id = ${text})`,
      )
      .select([
        'po.id',
        'po.reference',
        'po.run_id as runId',
        'po.created_at as createdAt',
        'p.name as partnerName',
        'p.slug as partnerSlug',
      ])
      .limit(MATCHES_SHOWN)
      .compile(),
  ])
  return { partners, customers, events, clicks, payouts }
}
