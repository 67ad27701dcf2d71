/** Partners by what people call them: a group, slugs and email addresses. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { slugKey } from '../../values/slugs.ts'

export type NamedPartner = { id: string; slug: string; name: string | null }

/** The approved partners of a group, without a test partner. */
export const listGroup = (
  db: Db,
  workspaceId: string,
  groupId: string,
  limit: number,
): Promise<NamedPartner[]> =>
  db
    .selectFrom('partners')
    .where('workspace_id', '=', workspaceId)
    .where('group_id', '=', groupId)
    .where('status', '=', 'approved')
    .where('is_test', '=', false)
    .select(['id', 'slug', 'name'])
    .orderBy('id')
    .limit(limit)
    .execute()

/** The partners of a program with these slugs or addresses, each once, and the names of nobody. */
export const findNamed = async (
  db: Db,
  workspaceId: string,
  programId: string,
  names: string[],
): Promise<{ partners: NamedPartner[]; unknown: string[] }> => {
  const asked = JSON.stringify(names.map((named) => ({ named, key: slugKey(named) })))
  const { rows } = await sql<{ named: string } & (NamedPartner | { id: null })>`
    select a.named, p.id, p.slug, p.name
    from jsonb_to_recordset(${asked}::jsonb) as a (named text, key text)
    left join partners p on p.workspace_id = ${workspaceId} and p.program_id = ${programId}
      and p.undone_at is null and (p.slug_key = a.key or p.email = a.key)
    order by p.id`.execute(db)
  const known = rows.flatMap((row) => (row.id === null ? [] : [row]))
  return {
    partners: [...new Map(known.map(({ named: _, ...partner }) => [partner.id, partner])).values()],
    unknown: rows.flatMap(({ id, named }) => (id === null ? [named] : [])),
  }
}
