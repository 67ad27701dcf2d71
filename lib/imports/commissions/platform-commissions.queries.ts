/** Commissions of another platform, uploaded or read by its API. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { PlatformCommission } from './platform-commissions.ts'

export type SavedCommissions = {
  /** Otherwise nothing is saved. */
  isInShadow: boolean
  /** Whether ids of the platform are missing, and required. Then nothing is saved. */
  needsIds: boolean
  /** By key: true for a new one, false for a changed one. Unchanged ones are absent. */
  saved: Map<string, boolean>
}

const isShadow = (programId: string) =>
  sql<SqlBool>`exists (select from programs where id = ${programId} and mode = 'shadow')`

/**
 * The statement that saves commissions by key, while the program runs in shadow mode. Changed ones
 * are compared again. Keys are sorted, so that concurrent statements cannot deadlock.
 *
 * @param when a further condition
 */
export const upsertCommissions = (
  { workspaceId, programId, now }: { workspaceId: string; programId: string; now: Date },
  commissions: PlatformCommission[],
  when: RawBuilder<SqlBool> = sql`true`,
) => {
  const rows = JSON.stringify(commissions.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
  return sql<{ key: string; isNew: boolean }>`
    insert into platform_commissions as c (id, workspace_id, program_id, key, state, amount_cents, currency, sale_cents, sale_ids,
                                           customer_ref, customer_email, partner_email, sold_at, created_at)
    select uuidv7(), ${workspaceId}::uuid, ${programId}::uuid, r.key, r.state, r."amountCents", r.currency, r."saleAmountCents",
           r."saleIds", r."customerExternalId", r."customerEmail", r."partnerEmail", r."soldAt", ${now}::timestamptz
    from jsonb_to_recordset(${rows}::jsonb)
      as r(key text, state text, "amountCents" bigint, currency text, "saleAmountCents" bigint, "saleIds" text[],
           "customerExternalId" text, "customerEmail" text, "partnerEmail" text, "soldAt" timestamptz)
    where ${isShadow(programId)} and ${when}
    on conflict (program_id, key) do update
      set state = excluded.state, amount_cents = excluded.amount_cents, currency = excluded.currency,
          sale_cents = excluded.sale_cents, sale_ids = excluded.sale_ids, customer_ref = excluded.customer_ref,
          customer_email = excluded.customer_email, partner_email = excluded.partner_email, sold_at = excluded.sold_at,
          compared_at = null
      where (c.state, c.amount_cents, c.currency, c.sale_cents, c.sale_ids, c.customer_ref, c.customer_email, c.partner_email,
             c.sold_at)
        is distinct from (excluded.state, excluded.amount_cents, excluded.currency, excluded.sale_cents, excluded.sale_ids,
                          excluded.customer_ref, excluded.customer_email, excluded.partner_email, excluded.sold_at)
    returning key, xmax = 0 as "isNew"`
}

/**
 * Saves uploaded commissions. The locks keep the program's mode, and let a concurrent start of a
 * reading by API see what is saved.
 *
 * @param programId of a program of the workspace
 * @param haveIds whether all of them have the platform's ids
 */
export const savePlatformCommissions = async (
  db: Db,
  act: Act,
  programId: string,
  commissions: PlatformCommission[],
  haveIds: boolean,
): Promise<SavedCommissions> => {
  const { workspaceId, now } = act
  const isAccepted = sql<SqlBool>`(${haveIds}::boolean or not exists (
    select from shadow_runs where program_id = ${programId} and ended_at is null and api_since is not null))`
  const [[program], [run], saved] = await db.batch([
    sql<{ mode: string }>`
      select mode from programs where workspace_id = ${workspaceId} and id = ${programId} for share`.compile(
      db,
    ),
    sql<{ isRead: boolean }>`
      select api_since is not null as "isRead" from shadow_runs
      where workspace_id = ${workspaceId} and program_id = ${programId} and ended_at is null for share`.compile(
      db,
    ),
    upsertCommissions({ workspaceId, programId, now }, commissions, isAccepted).compile(db),
    auditEntry(db, {
      ...act,
      action: 'program.commissions_uploaded',
      subjectId: programId,
      details: { rows: commissions.length },
      when: sql<SqlBool>`${isShadow(programId)} and ${isAccepted}`,
    }).compile(),
  ])
  return {
    isInShadow: program?.mode === 'shadow',
    needsIds: !haveIds && run?.isRead === true,
    saved: new Map(saved.map(({ key, isNew }) => [key, isNew])),
  }
}
