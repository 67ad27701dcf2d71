import type { useDatabase } from './merchant.ts'

export const SUPPORT = 'help@pine-notes.com'

/** Gives a program a support address. */
export const addSupport = (
  database: ReturnType<typeof useDatabase>,
  programId: string,
  address = SUPPORT,
) =>
  database.query(
    `insert into brands (program_id, workspace_id, support_email, version, change_id)
     select id, workspace_id, $2, 1, uuidv7() from programs where id = $1`,
    [programId, address],
  )
