/** Moves partners into the groups of their tiers. docs/tiers.md, "Groups". */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { isConflict } from '../db/neon.ts'
import { partnersStay } from '../imports/undone.queries.ts'
import type { TierDetails } from '../mail/outbox/details.ts'
import { updateTerms } from '../programs/terms.queries.ts'
import type { ProgramMode } from '../rules/programs/mode.ts'
import type { GroupMove, TierState } from '../rules/tiers/moves.ts'
import type { TierFacts, TierFigures, Tiers } from '../rules/tiers/tiers.ts'

/** Whose tiers are to move partners now? */
export const dueTiers = (now: Date) =>
  sql`select id from programs where tiers_due_at <= ${now}::timestamptz`

/** A program with tiers that are due. */
export type TieredProgram = {
  id: string
  workspaceId: string
  name: string
  mode: ProgramMode
  tiers: Tiers
  dueAt: Date
}

/** Some of them, in random order: one that fails must not block the others. */
export const listDueTiers = async (db: Db, now: Date, limit: number): Promise<TieredProgram[]> => {
  const { rows } = await sql<TieredProgram>`
    select p.id, p.workspace_id as "workspaceId", p.name, p.mode, p.tiers, p.tiers_due_at as "dueAt"
    from programs p join workspaces w on w.id = p.workspace_id
    where p.id in (${dueTiers(now)}) and w.erasing_since is null
    order by random() limit ${limit}`.execute(db)
  return rows
}

/** A partner, and what tiers move it by. */
export type TieredPartner = {
  id: string
  email: string
  name: string | null
  groupId: string | null
  groupName: string | null
  figures: TierFigures
  /** Null if it had no tier. */
  tier: string | null
  moves: GroupMove[] | null
}

/** The next partners of a program, and after which one they come. */
export const listTiered = async (
  db: Db,
  program: TieredProgram,
  now: Date,
  limit: number,
): Promise<{ after: string | null; partners: TieredPartner[] }> => {
  const { rows } = await sql<{ after: string | null; partners: TieredPartner[] }>`
    select g.tiers_partner_id as after, (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', p.id, 'email', p.email, 'name', p.name, 'groupId', p.group_id,
        'groupName', (select name from groups where id = p.group_id),
        'figures', reached_by(p.id, g.tiers, ${now}::timestamptz), 'tier', t.tier, 'moves', t.moves) order by p.id), '[]')
      from (select * from partners
            where program_id = g.id and id > coalesce(g.tiers_partner_id, ${NO_ID}::uuid)
              and status = 'approved' and not is_test
            order by id limit ${limit}) p
      left join partner_tiers t on t.partner_id = p.id) as partners
    from programs g where g.id = ${program.id}`.execute(db)
  return rows[0] ?? { after: null, partners: [] }
}

const NO_ID = '00000000-0000-0000-0000-000000000000'

/** A partner whose tier is another one, with its new state, and its new group if it is moved. */
export type TierChange = {
  partner: TieredPartner
  facts: TierFacts
  state: TierState
  move: { groupId: string | null; mail: TierDetails | null } | null
}

/**
 * Saves the changes of some partners, all or none, and goes on after the last one of them, or with
 * the next day.
 *
 * @param to the last one that was read; null if there are no more
 * @returns whether nothing else has changed these partners or the tiers since they were read
 */
export const saveMoves = async (
  db: Db,
  { id: programId, workspaceId, dueAt }: TieredProgram,
  {
    after,
    to,
    changes,
    now,
  }: { after: string | null; to: string | null; changes: TierChange[]; now: Date },
): Promise<boolean> => {
  const act: Act = { workspaceId, actor: 'system', now }
  const moved = changes.flatMap(({ move, ...change }) => (move ? [{ ...change, move }] : []))
  const byGroup = Map.groupBy(moved, ({ move }) => move.groupId)
  const stillIn = moved.map(({ partner: { id, groupId } }) => ({ id, groupId }))
  const states = changes.map(({ partner, state }) => ({ partnerId: partner.id, ...state }))
  const mails = moved.flatMap(({ partner, move: { mail } }) =>
    mail ? [{ id: newId(), partnerId: partner.id, recipient: partner.email, details: mail }] : [],
  )
  const statements = [
    sql<unknown>`
      with gone_on as (
        update programs
        set tiers_partner_id = ${to}::uuid,
            tiers_due_at = case when ${to}::uuid is null then (tier_period(tiers, ${now}::timestamptz)).ends_at else tiers_due_at end
        where id = ${programId} and tiers_due_at = ${dueAt}::timestamptz and tiers_partner_id is not distinct from ${after}::uuid
        returning id)
      select assert_unchanged(exists (select from gone_on))`,
    ...(moved.length
      ? [
          partnersStay(
            moved.map(({ partner }) => partner.id),
            'no key update',
          ),
          sql<unknown>`
            select assert_unchanged(not exists (
              select from jsonb_to_recordset(${JSON.stringify(stillIn)}::jsonb) as read (id uuid, "groupId" uuid)
              join partners p on p.id = read.id where p.group_id is distinct from read."groupId"))`,
        ]
      : []),
  ].map((statement) => statement.compile(db))
  const terms = [...byGroup].map(([groupId, those]) =>
    updateTerms(
      db,
      act,
      'partners',
      those.map(({ partner }) => partner.id),
      { group_id: groupId },
    ),
  )
  const entries = moved.map(({ partner, facts, move }) =>
    auditEntry(db, {
      ...act,
      id: newId(),
      action: 'partner.changed',
      subjectId: partner.id,
      details: sql`${JSON.stringify(logOf(partner, facts))}::jsonb || jsonb_build_object('group', jsonb_build_object(
        'from', ${partner.groupName}::text, 'to', (select name from groups where id = ${move.groupId}::uuid)))`,
    }).compile(),
  )
  const rest = [
    ...(states.length
      ? [
          sql<unknown>`
            insert into partner_tiers (partner_id, workspace_id, tier, moves)
            select s."partnerId", ${workspaceId}::uuid, s.tier, s.moves
            from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as s ("partnerId" uuid, tier text, moves jsonb)
            on conflict (partner_id) do update set tier = excluded.tier, moves = excluded.moves`,
        ]
      : []),
    ...(mails.length
      ? [
          sql<unknown>`
            insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
            select m.id, ${workspaceId}::uuid, 'tier_changed', m.recipient, m."partnerId", m.id::text, m.details,
                   ${now}::timestamptz, ${now}::timestamptz
            from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as m (id uuid, "partnerId" uuid, recipient text, details jsonb)
            on conflict do nothing`,
        ]
      : []),
  ].map((statement) => statement.compile(db))
  try {
    await db.batch([...statements, ...terms, ...entries, ...rest])
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

/** What the audit log says, but for the groups. */
const logOf = (
  { email, tier: from }: TieredPartner,
  { tier: to, day, by, period, currency, reached }: TierFacts,
) => ({ email, tier: { from, to }, day, by, period, currency, reached })
