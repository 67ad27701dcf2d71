/** Events as merchants and managers read them: what was reported, how it was decided, what it earned. */
import { type RawBuilder, sql } from 'kysely'
import type { Step } from '../domain/steps.ts'
import type { Db } from './connection.ts'

export type EventRow = {
  id: string
  kind: 'sale' | 'lead'
  externalId: string
  eventName: string
  amountCents: bigint | null
  currency: string | null
  metadata: Record<string, unknown> | null
  attributedBy: 'click' | 'customer' | null
  occurredAt: Date
  steps: Step[]
  partner: { id: string; slug: string; name: string | null; email: string } | null
  /** A customer row exists only for attributed events; the merchant's own id is always known. */
  customer: { id: string | null; externalId: string; email: string | null; name: string | null }
  commission: { id: string; amountCents: number; currency: string; payableAt: string } | null
}

/** Who asks, and for which workspace: its slug or its id, which must be the key's own. */
export type Access = { apiKeyHash: string; workspace: string }

export type EventFilter = {
  kind?: 'sale' | 'lead' | undefined
  externalId?: string | undefined
  partnerId?: string | undefined
  attributed?: boolean | undefined
  /** The last event of the page before: the list goes on with what is older. */
  cursor?: string | undefined
  limit: number
}

/** Whether a key opens a workspace: `unknown_key`, `other_workspace`, or the rows. */
export type Answer =
  | { refused: 'unknown_key' }
  | { refused: 'other_workspace' }
  | { refused: null; events: EventRow[] }

/** One event of a workspace, or none. `id` must be a UUID. */
export const findEvent = (db: Db, access: Access, id: string): Promise<Answer> =>
  select(db, access, sql`e.id = ${id}`, 1)

/** The events of a workspace, newest first. */
export const listEvents = (db: Db, access: Access, filter: EventFilter): Promise<Answer> => {
  const conditions = [
    filter.kind && sql`e.kind = ${filter.kind}`,
    filter.externalId && sql`e.external_id = ${filter.externalId}`,
    filter.partnerId && sql`e.partner_id = ${filter.partnerId}`,
    filter.attributed !== undefined && sql`(e.partner_id is not null) = ${filter.attributed}`,
    filter.cursor && sql`e.id < ${filter.cursor}`,
  ].filter((condition) => typeof condition === 'object')
  return select(db, access, conditions.length ? sql.join(conditions, sql` and `) : sql`true`, filter.limit)
}

/** One read for the key, the workspace and the events: the row without an event tells which of them was missing. */
const select = async (db: Db, access: Access, where: RawBuilder<unknown>, limit: number): Promise<Answer> => {
  const { rows } = await sql<EventRow & { id: string | null; isOpen: boolean }>`
    select w.id is not null as "isOpen", e.*
    from api_keys k
    left join workspaces w on w.id = k.workspace_id and (w.slug = ${access.workspace} or w.id::text = ${access.workspace})
    left join lateral (
      select e.id, e.kind, e.external_id as "externalId", e.event_name as "eventName",
             e.amount_cents as "amountCents", e.currency, e.metadata, e.attributed_by as "attributedBy",
             e.occurred_at as "occurredAt", e.steps,
             case when p.id is not null then
               jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'email', p.email) end as partner,
             jsonb_build_object('id', cu.id, 'externalId', e.customer_external_id,
                                'email', cu.email, 'name', cu.name) as customer,
             case when c.id is not null then
               jsonb_build_object('id', c.id, 'amountCents', c.amount_cents, 'currency', c.currency,
                                  'payableAt', c.payable_at) end as commission
      from events e
      left join partners p on p.id = e.partner_id
      left join customers cu on cu.workspace_id = e.workspace_id and cu.external_id = e.customer_external_id
      left join commissions c on c.event_id = e.id
      where e.workspace_id = w.id and ${where}
      order by e.id desc
      limit ${limit}
    ) e on true
    where k.key_hash = ${access.apiKeyHash} and k.revoked_at is null
    order by e.id desc
  `.execute(db)

  const [first] = rows
  if (!first) return { refused: 'unknown_key' }
  if (!first.isOpen) return { refused: 'other_workspace' }
  return { refused: null, events: rows.flatMap(({ isOpen, ...event }) => (event.id === null ? [] : event)) }
}
