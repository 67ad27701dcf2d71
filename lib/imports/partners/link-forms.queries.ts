/** Which forms of former links work in a program: see former-links.ts. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { type LinkForms, MAX_FORMS } from './former-links.ts'

/** The forms by program. */
export const readLinkForms = async (
  db: Db,
  workspaceId: string,
  programIds: readonly string[],
): Promise<ReadonlyMap<string, LinkForms>> => {
  if (programIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('link_forms')
    .where('workspace_id', '=', workspaceId)
    .where('program_id', 'in', programIds)
    .select(['program_id as programId', 'form', 'works'])
    .execute()
  const ofProgram = Map.groupBy(rows, ({ programId }) => programId)
  return new Map(
    [...ofProgram].map(([id, forms]) => [
      id,
      new Map(forms.map(({ form, works }) => [form, works])),
    ]),
  )
}

/** Saves a manager's statements about links. Idempotent. */
export const saveLinkForms = async (
  db: Db,
  act: Act,
  programId: string,
  forms: Record<string, boolean>,
): Promise<void> => {
  const { workspaceId, actor, now } = act
  const rows = JSON.stringify(
    Object.entries(forms)
      .slice(0, MAX_FORMS)
      .map(([form, works]) => ({ form, works })),
  )
  const given = sql`jsonb_to_recordset(${rows}::jsonb) as x(form text, works boolean)`
  await db.batch([
    // Serializes, so that one audit entry reports each change.
    sql`select from programs where workspace_id = ${workspaceId} and id = ${programId} for no key update`.compile(
      db,
    ),
    auditEntry(db, {
      ...act,
      action: 'program.links_confirmed',
      subjectId: programId,
      details: { forms },
      when: sql<SqlBool>`exists (
        select from ${given} left join link_forms f on f.program_id = ${programId} and f.form = x.form
        where f.works is distinct from x.works)`,
    }).compile(),
    sql`
      insert into link_forms as f (program_id, workspace_id, form, works, confirmed_by, confirmed_at)
      select ${programId}::uuid, ${workspaceId}::uuid, x.form, x.works, ${actor}, ${now}::timestamptz from ${given}
      on conflict (program_id, form) do update
      set works = excluded.works, confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at
      where f.works <> excluded.works`.compile(db),
  ])
}
