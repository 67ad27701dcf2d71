/** A partner's links, in each program of its email address. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'

export type OwnLinks = {
  partnerId: string
  programId: string
  program: string
  workspaceId: string
  workspace: string
  status: 'approved' | 'banned'
  siteUrl: string
  /** The main one first, then the newest. */
  slugs: string[]
}

export const readOwnLinks = async (db: Db, email: string): Promise<OwnLinks[]> => {
  const { rows } = await sql<OwnLinks>`
    select p.id as "partnerId", pr.id as "programId", pr.name as program, w.id as "workspaceId", w.name as workspace, p.status,
           pr.site_url as "siteUrl", array_prepend(p.slug, array(select slug from links where partner_id = p.id order by id desc)) as slugs
    from partners p join programs pr on pr.id = p.program_id join workspaces w on w.id = p.workspace_id
    where p.email = ${email}
    order by w.name, w.id, pr.name, pr.id`.execute(db)
  return rows
}
