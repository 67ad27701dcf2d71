/** The tables of this room, for Kysely: see lib/db/tables.ts. */
import type { Json } from '../db/columns.ts'
import type { CustomerResult } from './customer-import.ts'
import type { PartnerResult } from './partner-import.ts'

export type ImportTables = {
  link_forms: {
    program_id: string
    workspace_id: string
    form: string
    works: boolean
    confirmed_by: string | null
    confirmed_at: Date
  }
  import_calls: {
    audit_id: string
    workspace_id: string
    import_id: string
    hash: string
    answer: Json<{ results: (PartnerResult | CustomerResult)[] }>
  }
}
