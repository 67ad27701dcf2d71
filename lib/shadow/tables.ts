/** The tables of this room, for Kysely. See lib/db/tables.ts. */
import type { Json } from '../db/columns.ts'
import type { PlatformState } from '../imports/commissions/platform-commissions.ts'
import type { Outcome } from './comparison/compare.ts'
import type { CutOverResult } from './cut-over/cut-over.ts'

type ShadowTables = {
  shadow_runs: {
    workspace_id: string
    program_id: string
    started_at: Date
    ended_at: Date | null
    cut_over: Json<CutOverResult> | null
    api_since: Date | null
    compared_after: string | null
    waiting_after: string | null
    compare_owner: string | null
    compare_until: Date | null
    looked_at: Date | null
    mailed_at: Date | null
  }
  platform_commissions: {
    id: string
    workspace_id: string
    program_id: string
    key: string
    state: PlatformState
    amount_cents: bigint
    currency: string
    sale_cents: bigint | null
    sale_ids: string[]
    customer_ref: string | null
    customer_email: string | null
    partner_email: string | null
    sold_at: Date
    created_at: Date
    event_id: string | null
    bucket: string | null
    compared_at: Date | null
  }
  shadow_comparisons: {
    id: string
    workspace_id: string
    program_id: string
    bucket: string
    event_id: string | null
    platform_commission_id: string | null
    day: string
    here_at: Date | null
    outcome: Outcome
    reason: string | null
    here_cents: bigint | null
    here_currency: string | null
    there_cents: bigint | null
    there_currency: string | null
    partner_id: string | null
    compared_at: Date
  }
}

declare module '../db/tables.ts' {
  interface Tables extends ShadowTables {}
}
