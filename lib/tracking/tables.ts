/** The tables of this room, for Kysely: clicks, events and the ledger. See lib/db/tables.ts. */
import type { Generated } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { AttributedBy } from '../rules/attribution/attribution.ts'
import type { Requested } from '../rules/refunds/refunds.ts'
import type { StoredLine } from '../rules/rewards/sale-lines.ts'
import type { CommissionKind } from '../rules/steps/commissions.ts'
import type { EventKind } from '../rules/steps/event-kinds.ts'
import type { HoldReason, HoldResolution } from '../rules/steps/holds.ts'
import type { Step } from '../rules/steps/steps.ts'
import type { GroupMove } from '../rules/tiers/moves.ts'
import type { Measure, TierPeriod } from '../rules/tiers/tiers.ts'
import type { Difference } from './checks/mismatches.ts'
import type { RefusalReason } from './checks/tracking-check.ts'

type TrackingTables = {
  clicks: {
    id: string
    workspace_id: string
    partner_id: string
    slug_key: string | null
    landing_url: string | null
    referrer: string | null
    sub: string | null
    created_at: Date
    expires_at: Date
    is_counted: Generated<boolean>
  }
  events: {
    id: string
    workspace_id: string
    kind: EventKind
    external_id: string
    event_name: string
    customer_external_id: string
    addressed_id: string | null
    customer_id: string | null
    amount_cents: bigint | null
    currency: string | null
    metadata: Json<Record<string, unknown>> | null
    lines: Json<StoredLine[]> | null
    country: string | null
    coupon: string | null
    coupons: Generated<string[]>
    is_duplicate: Generated<boolean>
    is_erased: Generated<boolean>
    click_id: string | null
    clicked_partner_id: string | null
    partner_id: string | null
    attributed_by: AttributedBy | null
    body_hash: string | null
    steps: Json<Step[]>
    occurred_at: Date
    report_occurred_at: Date | null
    subscription_id: string | null
    commission_id: string | null
    sale_external_id: string | null
    sale_id: string | null
    returned_cents: Generated<bigint>
    requested: Json<Requested> | null
    announced_refunds: Generated<string[]>
    revision: Generated<number>
  }
  tier_figures: {
    partner_id: string
    day: string
    measure: Measure
    period: TierPeriod
    currency: string
    workspace_id: string
    reached: bigint
  }
  partner_tiers: {
    partner_id: string
    workspace_id: string
    tier: string | null
    moves: Json<GroupMove[]>
  }
  click_budgets: {
    program_id: string
    workspace_id: string
    day: string
    clicks: number
  }
  last_visits: {
    program_id: string
    workspace_id: string
    at: Date
    slug: string
    page: string | null
    kept_at: Date | null
  }
  refused_visits: {
    program_id: string
    workspace_id: string
    day: string
    reason: RefusalReason
    slug: string
    page: string
    visits: Generated<number>
    last_at: Date
  }
  report_mismatches: {
    id: Generated<string>
    workspace_id: string
    event_id: string
    body_hash: string
    differences: Json<Difference[]>
    reports: Generated<number>
    first_at: Date
    last_at: Date
  }
  commissions: {
    id: string
    workspace_id: string
    program_id: string
    partner_id: string
    customer_id: string | null
    event_id: string | null
    reward_id: string | null
    kind: CommissionKind
    reverses_id: string | null
    replaces_id: string | null
    amount_cents: bigint
    currency: string
    payable_at: Date
    created_at: Date
    payout_id: string | null
    earned_on: string | null
  }
  adjustments: {
    commission_id: string
    workspace_id: string
    external_id: string
    reason: string
    created_by: string
    body_hash: string
    event_id: string | null
    corrects_id: string | null
  }
  commission_holds: {
    commission_id: string
    workspace_id: string
    reason: HoldReason
    evidence_event_id: string | null
    note: string | null
    held_by: string | null
    created_at: Date
    resolved_at: Date | null
    resolution: HoldResolution | null
    resolved_by: string | null
  }
  one_time_rewards: {
    workspace_id: string
    program_id: string
    customer_id: string
    product: Generated<string>
    event_id: string
  }
}

declare module '../db/tables.ts' {
  interface Tables extends TrackingTables {}
}
