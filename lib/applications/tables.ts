/** The tables of this room, for Kysely: see lib/db/tables.ts. */
import type { Generated } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { Language } from '../languages/languages.ts'
import type { Answer, ApplicationOutcome, ApplicationStatus } from './applications.ts'

type ApplicationTables = {
  join_pages: {
    program_id: string
    workspace_id: string
    is_open: boolean
    intro: string
    questions: Json<string[]>
    approves: boolean
    group_id: string | null
  }
  agreements: {
    program_id: string
    version: number
    workspace_id: string
    content: string
    created_by: string
    created_at: Date
  }
  agreement_acceptances: {
    partner_id: string
    version: number
    program_id: string
    workspace_id: string
    accepted_at: Date
  }
  applications: {
    id: string
    workspace_id: string
    program_id: string
    email: string
    name: string
    site_url: string | null
    promotion: string
    answers: Json<Answer[]>
    agreement_version: number | null
    invited_at: Date | null
    invited_by: string | null
    group_id: string | null
    applied_at: Date | null
    language: Language | null
    outcome: ApplicationOutcome | null
    decided_at: Date | null
    decided_by: string | null
    reason: string | null
    is_blocked: Generated<boolean>
    partner_id: string | null
    status: Generated<ApplicationStatus>
  }
}

declare module '../db/tables.ts' {
  interface Tables extends ApplicationTables {}
}
