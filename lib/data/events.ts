/** Events as merchants and managers read them: what was reported, how it was decided, what it earned. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './connection.ts'
import type { Tables } from './tables.ts'

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

export type EventRow = Awaited<ReturnType<typeof selectEvents>>['events'][number]

/** The events, or why the key may not read them. */
export type EventsResult =
  | { refused: 'unknown_key' }
  | { refused: 'other_workspace' }
  | { refused: null; events: EventRow[] }

type Condition = (eb: ExpressionBuilder<Tables & { e: Tables['events'] }, 'e'>) => Expression<SqlBool>

/** One event of a workspace, or none. `id` must be a UUID. */
export const findEvent = (db: Db, access: Access, id: string): Promise<EventsResult> =>
  readEvents(db, access, (eb) => eb('e.id', '=', id), 1)

/** The events of a workspace, newest first. */
export const listEvents = (db: Db, access: Access, filter: EventFilter): Promise<EventsResult> =>
  readEvents(
    db,
    access,
    (eb) =>
      eb.and([
        ...(filter.kind ? [eb('e.kind', '=', filter.kind)] : []),
        ...(filter.externalId ? [eb('e.external_id', '=', filter.externalId)] : []),
        ...(filter.partnerId ? [eb('e.partner_id', '=', filter.partnerId)] : []),
        ...(filter.attributed === undefined
          ? []
          : [eb('e.partner_id', filter.attributed ? 'is not' : 'is', null)]),
        ...(filter.cursor ? [eb('e.id', '<', filter.cursor)] : []),
      ]),
    filter.limit,
  )

const readEvents = async (db: Db, access: Access, where: Condition, limit: number): Promise<EventsResult> => {
  const { keys, events } = await selectEvents(db, access, where, limit)
  const [key] = keys
  if (!key) return { refused: 'unknown_key' }
  if (key.openedId === null) return { refused: 'other_workspace' }
  return { refused: null, events }
}

/** Reads the key, the workspace that it opens and that workspace's events, in one fetch. */
const selectEvents = async (db: Db, { apiKeyHash, workspace }: Access, where: Condition, limit: number) => {
  const liveKey = db
    .selectFrom('api_keys as k')
    .where('k.key_hash', '=', apiKeyHash)
    .where('k.revoked_at', 'is', null)
  const isWorkspace = sql<SqlBool>`(w.slug = ${workspace} or w.id::text = ${workspace})`

  const [keys, events] = await db.batch([
    liveKey
      .leftJoin('workspaces as w', (join) => join.onRef('w.id', '=', 'k.workspace_id').on(isWorkspace))
      .select('w.id as openedId')
      .compile(),
    liveKey
      .innerJoin('workspaces as w', (join) => join.onRef('w.id', '=', 'k.workspace_id').on(isWorkspace))
      .innerJoin('events as e', 'e.workspace_id', 'w.id')
      .leftJoin('partners as p', 'p.id', 'e.partner_id')
      .leftJoin('customers as cu', (join) =>
        join
          .onRef('cu.workspace_id', '=', 'e.workspace_id')
          .onRef('cu.external_id', '=', 'e.customer_external_id'),
      )
      .leftJoin('commissions as c', 'c.event_id', 'e.id')
      .where(where)
      .orderBy('e.id', 'desc')
      .limit(limit)
      .select([
        'e.id',
        'e.kind',
        'e.external_id',
        'e.event_name',
        'e.customer_external_id',
        'e.amount_cents',
        'e.currency',
        'e.metadata',
        'e.attributed_by',
        'e.occurred_at',
        'e.steps',
        'p.id as partner_id',
        'p.slug as partner_slug',
        'p.name as partner_name',
        'p.email as partner_email',
        'cu.id as customer_id',
        'cu.email as customer_email',
        'cu.name as customer_name',
        'c.id as commission_id',
        'c.amount_cents as commission_amount_cents',
        'c.currency as commission_currency',
        'c.payable_at',
      ])
      .compile(),
  ])
  return { keys, events }
}
