/** The tables of totals, which triggers and functions of schema.sql write. `date` is text here. */
import type { Generated } from 'kysely'

type TotalTables = {
  totals: {
    of_id: string
    workspace_id: string
    level: 'partner' | 'program'
    unit: 'day' | 'month'
    starts_on: string
    currency: string
    clicks: Generated<bigint>
    ended_clicks: Generated<bigint>
    customers: Generated<bigint>
    leads: Generated<bigint>
    sales: Generated<bigint>
    revenue_cents: Generated<bigint>
    earned_cents: Generated<bigint>
  }
  landing_totals: {
    of_id: string
    workspace_id: string
    level: 'partner' | 'program'
    unit: 'day' | 'month'
    starts_on: string
    dimension: 'page' | 'referrer' | 'sub'
    value: string
    currency: string
    clicks: Generated<bigint>
    ended_clicks: Generated<bigint>
    leads: Generated<bigint>
    sales: Generated<bigint>
    revenue_cents: Generated<bigint>
    earned_cents: Generated<bigint>
  }
  partner_activity: {
    partner_id: string
    workspace_id: string
    clicks: Generated<bigint>
    customers: Generated<bigint>
    leads: Generated<bigint>
    sales: Generated<bigint>
    last_active_on: string | null
  }
  partner_totals: {
    partner_id: string
    workspace_id: string
    currency: string
    sales: Generated<bigint>
    revenue_cents: Generated<bigint>
    earned_cents: Generated<bigint>
  }
  link_totals: {
    partner_id: string
    workspace_id: string
    slug_key: string
    clicks: Generated<bigint>
    ended_clicks: Generated<bigint>
    sales: Generated<bigint>
  }
  balances: {
    of_id: string
    workspace_id: string
    level: 'partner' | 'program'
    currency: string
    open_cents: Generated<bigint>
    due_cents: Generated<bigint>
    claimed_cents: Generated<bigint>
  }
  balance_cutoffs: {
    workspace_id: string
    cutoff_at: Generated<Date>
    next_at: Date
  }
  run_totals: {
    run_id: string
    workspace_id: string
    currency: string
    status: string
    payouts: bigint
    amount_cents: bigint
  }
  statement_totals: {
    partner_id: string
    workspace_id: string
    month: string
    currency: string
    kind: string
    amount_cents: bigint
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
