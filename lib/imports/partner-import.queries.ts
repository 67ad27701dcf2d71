/** Bulk import of partners: one read and one write. */
import { type CompiledQuery, sql } from 'kysely'
import { breaks, type Db, isConflict } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { MovedDetails } from '../mail/details.ts'
import { slugKey } from '../slugs.ts'
import { memberWorkspace } from '../workspace/workspaces.queries.ts'
import { type NewPartner, type PartnerImportFacts, type PartnerRow, preferredSlug } from './partner-import.ts'

/** The opening balance of the partner `p`, or null. */
const openingBalance = sql`(
  select c.amount_cents from commissions c where c.partner_id = p.id and c.kind = 'opening_balance')`

/** @property programId from the request, not checked yet */
type Target = { address: string; email: string; programId: string }

/**
 * Reads the workspace, the program, and the partners, slugs and coupons of the rows that exist, in one database round
 * trip. Returns nothing to a person who is not a member of the workspace.
 *
 * Subqueries force an index lookup per row. During an import the table outgrows its statistics, and the planner could
 * choose a sequential scan for a join.
 */
export const loadPartnerImport = async (
  db: Db,
  { address, email, programId }: Target,
  rows: PartnerRow[],
) => {
  const workspace = memberWorkspace(db, address, email)
  const workspaceId = workspace.clearSelect().select('w.id')
  const keys = rows.map((row) => ({
    email: row.email,
    slugKey: slugKey(preferredSlug(row)),
    couponId: row.coupon?.id,
    hasBalance: row.openingBalanceCents > 0,
  }))
  const selectExisting = sql<Existing>`
    with target as (
      select id as program_id, workspace_id from programs
      where workspace_id = (${workspaceId}) and id = ${programId}
    ), found as materialized (
      select r.*,
             (select p.slug from partners p where p.workspace_id = target.workspace_id
              and p.program_id = target.program_id and p.id = coalesce(
                (select n.id from partners n where n.program_id = target.program_id and n.email = r.email),
                (select f.partner_id from former_partner_addresses f
                 where f.program_id = target.program_id and f.email = r.email))) as slug,
             (select true from partners p where p.workspace_id = target.workspace_id
              and p.program_id = target.program_id and p.slug_key = r."slugKey") as "slugTaken",
             (select true from coupon_aliases c where c.workspace_id = target.workspace_id
              and c.coupon_id = r."couponId") as "couponTaken",
             case when r."hasBalance" and not exists (
                         select from partners p where p.workspace_id = target.workspace_id
                         and p.program_id = target.program_id and p.email = r.email and ${openingBalance} is null)
                  then (select sum(${openingBalance})::bigint from partners p
                        where p.email = r.email and p.workspace_id = target.workspace_id
                          and p.program_id <> target.program_id) end as "balanceElsewhere"
      from target, jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
                     as r (email text, "slugKey" text, "couponId" text, "hasBalance" boolean)
    )
    select * from found where num_nonnulls(slug, "slugTaken", "couponTaken", "balanceElsewhere") > 0`
  const [workspaces, programs, found] = await db.batch([
    workspace.compile(),
    db
      .selectFrom('programs')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', programId)
      .select(['id', 'name', 'site_url as siteUrl'])
      .compile(),
    selectExisting.compile(db),
  ])
  return { workspace: workspaces[0], program: programs[0], facts: toFacts(found) }
}

/** What exists of one row. Rows of which nothing exists are not selected. */
type Existing = {
  email: string
  slugKey: string
  couponId: string | null
  slug: string | null
  slugTaken: true | null
  couponTaken: true | null
  balanceElsewhere: bigint | null
}

const toFacts = (found: Existing[]): PartnerImportFacts => ({
  partners: new Map(found.flatMap(({ email, slug }) => (slug === null ? [] : [[email, slug] as const]))),
  slugKeys: new Set(found.flatMap(({ slugKey, slugTaken }) => (slugTaken ? slugKey : []))),
  couponIds: new Set(found.flatMap(({ couponId, couponTaken }) => (couponTaken && couponId) || [])),
  balancesElsewhere: new Map(
    found.flatMap(({ email, balanceElsewhere: cents }) =>
      cents === null ? [] : [[email, Number(cents)] as const],
    ),
  ),
})

/** A partner to insert, with its welcome mail if one was requested. */
type PlannedPartner = NewPartner & { mail: MovedDetails | null }

type PartnerImport = {
  workspaceId: string
  programId: string
  partners: PlannedPartner[]
  /** The audit entry, written in the same transaction. */
  audit: CompiledQuery
  now: Date
}

/**
 * Inserts partners with their coupons, opening balances and mails, in one transaction.
 *
 * An advisory lock serializes the imports of a workspace, which prevents deadlocks between them. It is a statement of
 * its own, because the insert's snapshot must be newer than the lock: rows of the previous import then violate a
 * unique constraint immediately.
 *
 * @returns false when an email address, slug or coupon was taken after the read: read and decide again
 */
export const savePartnerImport = async (db: Db, planned: PartnerImport): Promise<boolean> => {
  const lock = sql`select pg_advisory_xact_lock(hashtextextended(${`partners.import ${planned.workspaceId}`}, 0))`
  try {
    await db.batch([
      lock.compile(db),
      assertNoFormerAddress(planned).compile(db),
      insertPartners(planned).compile(db),
      planned.audit,
    ])
    return true
  } catch (error) {
    if (isConflict(error)) return false
    if (TAKEN.some((constraint) => breaks(error, constraint))) return false
    throw error
  }
}

/** Fails when a partner has left one of the addresses after the read: another partner would be created for it. */
const assertNoFormerAddress = ({ programId, partners }: PartnerImport) => sql`
  select assert_unchanged(not exists (
    select from jsonb_to_recordset(${JSON.stringify(partners.map(({ email }) => ({ email })))}::jsonb) as r(email text)
    join former_partner_addresses f on f.email = r.email and f.program_id = ${programId}))`

const TAKEN = [
  'partners_program_id_email_key',
  'partners_program_id_slug_key_key',
  'coupon_aliases_workspace_id_coupon_id_key',
]

/** The statement's parameters for one partner, with new ids. */
const toRow = ({ coupon, ...partner }: PlannedPartner) => ({
  id: newId(),
  email: partner.email,
  name: partner.name,
  slug: partner.slug,
  slug_key: slugKey(partner.slug),
  ...(coupon && { alias: newId(), coupon: coupon.id, label: coupon.label }),
  ...(partner.openingBalanceCents > 0 && { balance: newId(), cents: partner.openingBalanceCents }),
  ...(partner.mail && { mail: newId(), details: partner.mail }),
})

/** Idempotent: does nothing when the first partner's id exists, because an earlier attempt committed all rows. */
const insertPartners = ({ workspaceId, programId, partners, now }: PartnerImport) => {
  const rows = partners.map(toRow)
  return sql`
    with planned as (
      select p.*, ${workspaceId}::uuid as workspace_id, ${programId}::uuid as program_id, ${now}::timestamptz as now
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as p (id uuid, email text, name text, slug text, slug_key text, alias uuid, coupon text, label text,
              balance uuid, cents bigint, mail uuid, details jsonb)
      where not exists (select from partners where workspace_id = ${workspaceId} and id = ${rows[0]?.id ?? null})
    ), partner as (
      insert into partners (id, workspace_id, program_id, email, name, slug, slug_key, created_at)
      select id, workspace_id, program_id, email, name, slug, slug_key, now from planned
    ), alias as (
      insert into coupon_aliases (id, workspace_id, partner_id, coupon_id, label, created_at)
      select alias, workspace_id, id, coupon, label, now from planned where alias is not null
    ), balance as (
      insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency,
                               payable_at, created_at)
      select balance, workspace_id, program_id, id, 'opening_balance', cents, 'USD', now, now
      from planned where balance is not null
    )
    insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
    select mail, workspace_id, 'moved', email, id, details, now, now from planned where mail is not null`
}
