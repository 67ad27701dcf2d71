/** Finds the partner whom a manager names in the form of a credit by hand. */
import type { Db } from '../../db/connection.ts'
import { normalizeEmail } from '../../values/emails.ts'
import { slugKey } from '../../values/slugs.ts'

/** The partners with this slug or email address: one for each program that has one. */
export const findNamedPartners = (db: Db, workspaceId: string, name: string) =>
  db
    .selectFrom('partners')
    .where('workspace_id', '=', workspaceId)
    .where((eb) =>
      eb.or([eb('slug_key', '=', slugKey(name)), eb('email', '=', normalizeEmail(name) ?? '')]),
    )
    .select(['id', 'slug'])
    .limit(2)
    .execute()
