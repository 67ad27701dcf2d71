/** A partner's links, in each program of its email address. */
import { sql } from 'kysely'
import type { Brand } from '../brand/brand.ts'
import { contactIn } from '../brand/brands.queries.ts'
import type { Db } from '../db/connection.ts'
import { type LinkCounts, linksOfPartner } from '../partners/links/links.queries.ts'

export type OwnLinks = Brand & {
  partnerId: string
  programId: string
  program: string
  workspaceId: string
  workspace: string
  status: 'approved' | 'banned'
  siteUrl: string
  /** The address for questions. */
  contact: string | null
  /** The main one first, then the newest. */
  links: ({ slug: string } & LinkCounts)[]
}

export const readOwnLinks = async (db: Db, email: string): Promise<OwnLinks[]> => {
  const { rows } = await sql<OwnLinks>`
    select p.id as "partnerId", pr.id as "programId", pr.name as program, w.id as "workspaceId", w.name as workspace, p.status,
           pr.site_url as "siteUrl", b.logo_url as "logoUrl", b.accent_color as "accentColor", b.support_email as "supportEmail",
           ${contactIn(sql`p.workspace_id`)} as contact, (
             select jsonb_agg(jsonb_build_object('slug', l.slug, 'clicks', l.clicks, 'sales', l.sales) order by l."isMain" desc, l.id desc)
             from ${linksOfPartner} l) as links
    from partners p join programs pr on pr.id = p.program_id join workspaces w on w.id = p.workspace_id
    left join brands b on b.program_id = p.program_id
    where p.email = ${email}
    order by w.name, w.id, pr.name, pr.id`.execute(db)
  return rows
}
