/** The tables of this room, for Kysely: see lib/db/tables.ts. */
import type { Generated } from 'kysely'
import type { Prior } from '../customers/prior-earnings.ts'
import type { Json } from '../db/columns.ts'
import type { CustomerResult } from './customers/customer-import.ts'
import type { PartnerResult } from './partners/partner-import.ts'
import type { HISTORY, HistoryEntry } from './sources/history/history.ts'
import type { Progress } from './sources/progress.ts'
import type { PlatformId, Purpose, Resource } from './sources/source.ts'
import type { SourceRow } from './sources/source-rows.ts'
import type { Undone } from './undo.ts'

/** A customer before an import. Times are texts. */
type FormerCustomer = {
  id: string
  email: string | null
  importedAt: string | null
  startedAt: string | null
  startedProgramId: string | null
  prior: Prior | null
}

type ImportTables = {
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
    answer: Json<{ results: (PartnerResult | CustomerResult | number)[] }>
    made: Generated<string[]>
    made_emails: Generated<string[]>
    made_slugs: Generated<string[]>
    former: Generated<Json<FormerCustomer[]>>
  }
  undone_imports: {
    workspace_id: string
    import_id: string
    undone_at: Date
    undone: Json<Undone>
  }
  import_sources: {
    id: string
    workspace_id: string
    program_id: string
    purpose: Purpose
    platform: PlatformId
    account: string | null
    ciphertext: string | null
    started_by: string
    created_at: Date
    resource: Resource
    cursor: string | null
    progress: Json<Progress>
    version: Generated<number>
    failures: Generated<number>
    failure: string | null
    next_attempt_at: Date
    lease_id: string | null
    read_at: Date | null
    failed_at: Date | null
  }
  import_source_rows: {
    source_id: string
    workspace_id: string
    resource: Resource | typeof HISTORY
    row_id: string
    row: Json<SourceRow | HistoryEntry>
  }
}

declare module '../db/tables.ts' {
  interface Tables extends ImportTables {}
}
