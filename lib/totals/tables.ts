/** The tables of totals, which triggers and functions of schema.sql write. `date` is text here. */
import type { Generated } from 'kysely'

type TotalTables = {
  totals: {
    of_id: string
    workspace_id: string
    level: 'partner' | 'program' | 'run'
    dimension: 'all' | 'page' | 'referrer' | 'sub' | 'link' | 'kind' | 'status'
    value: Generated<string>
    unit: 'day' | 'month' | 'all_time'
    starts_on: string
    currency: Generated<string>
    clicks: Generated<bigint>
    ended_clicks: Generated<bigint>
    customers: Generated<bigint>
    leads: Generated<bigint>
    sales: Generated<bigint>
    revenue_cents: Generated<bigint>
    earned_cents: Generated<bigint>
    open_cents: Generated<bigint>
    due_cents: Generated<bigint>
    claimed_cents: Generated<bigint>
    payouts: Generated<bigint>
    amount_cents: Generated<bigint>
    last_active_on: string | null
  }
  balance_cutoffs: {
    workspace_id: string
    cutoff_at: Generated<Date>
    next_at: Date
  }
  total_deltas: {
    workspace_id: string
    partner_id: string | null
    currency: Generated<string>
    day: string | null
    clicks: bigint | null
    ended_clicks: bigint | null
    customers: bigint | null
    leads: bigint | null
    sales: bigint | null
    revenue_cents: bigint | null
    earned_cents: bigint | null
    due_at: Date | null
    open_cents: bigint | null
    claimed_cents: bigint | null
    run_id: string | null
    status: string | null
    payouts: bigint | null
    amount_cents: bigint | null
    entered_on: string | null
    kind: string | null
    page: string | null
    referrer: string | null
    sub: string | null
    slug_key: string | null
  }
  click_retention: {
    checked_until: Date
    checked_id: string
  }
}

declare module '../db/tables.ts' {
  interface Tables extends TotalTables {}
}
