/** The tables of this room, for Kysely: see lib/db/tables.ts. */
type BrandTables = {
  brands: {
    program_id: string
    workspace_id: string
    logo_url: string | null
    accent_color: string | null
    support_email: string | null
    support_email_verified_at: Date | null
    support_check_hash: string | null
    support_check_until: Date | null
    version: number
    change_id: string
  }
}

declare module '../db/tables.ts' {
  interface Tables extends BrandTables {}
}

export {}
