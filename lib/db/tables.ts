/** The tables of schema.sql, for Kysely. tests/db/tables.test.ts compares them with the database. */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { IdentityKind } from '../customers/identities.ts'
import type { MailKind, MailStatus } from '../mail/mails.ts'
import type {
  PayoutAccountStatus,
  PayoutMethod,
  PayoutSchedule,
  PayoutStatus,
  RunStatus,
} from '../payouts/payouts.ts'
import type { Fact } from '../purchases/facts.ts'
import type { EventOutcome } from '../purchases/outcomes.ts'
import type { Mode, Processor, SalesFrom } from '../purchases/processors.ts'
import type { SecretPurpose } from '../purchases/stripe/purposes.ts'
import type { AttributedBy } from '../tracking/attribution.ts'
import type { HoldReason, HoldResolution } from '../tracking/holds.ts'
import type { RewardInterval } from '../tracking/intervals.ts'
import type { Step } from '../tracking/steps.ts'

/** Insert jsonb as text: the driver would convert a JavaScript array to a Postgres array. */
type Json<T> = ColumnType<T, string, string>

export type Tables = {
  workspaces: {
    id: string
    slug: string
    name: string
    created_at: Generated<Date>
    manual_payouts: Generated<boolean>
    sales_from: Generated<SalesFrom>
    mode: Generated<Mode>
  }
  former_sales_from: { workspace_id: string; until: Date; sales_from: SalesFrom }
  members: { id: string; workspace_id: string; email: string; role: Role; created_at: Generated<Date> }
  api_keys: {
    id: string
    workspace_id: string
    name: string
    key_hash: string
    created_at: Generated<Date>
    revoked_at: Date | null
  }
  rewards: {
    id: string
    workspace_id: string
    kind: 'percent' | 'flat'
    basis_points: number | null
    amount_cents: bigint | null
    currency: string | null
    created_at: Generated<Date>
  }
  programs: {
    id: string
    workspace_id: string
    name: string
    site_url: string
    reward_id: string
    reward_interval: RewardInterval
    reward_duration_months: number | null
    one_time_minimum_cents: ColumnType<bigint, number, number>
    reward_shipping: boolean
    credit_out_of_band: boolean
    holding_days: number
    attribution_days: number
    attribution: 'last' | 'first'
    attribute_known_customers: boolean
    minimum_payout_cents: ColumnType<bigint, number, number>
    payout_schedule: PayoutSchedule
    payout_schedule_since: Generated<Date>
    terms_since: Date | null
    created_at: Generated<Date>
  }
  former_program_terms: {
    workspace_id: string
    program_id: string
    until: Date
    reward_id: string
    reward_interval: RewardInterval
    reward_duration_months: number | null
    one_time_minimum_cents: bigint
    reward_shipping: boolean
    credit_out_of_band: boolean
    holding_days: number
    attribution: 'last' | 'first'
    attribute_known_customers: boolean
  }
  groups: {
    id: string
    workspace_id: string
    program_id: string
    name: string
    sale_reward_id: string | null
    lead_reward_id: string | null
    terms_since: Date | null
    created_at: Generated<Date>
  }
  former_group_terms: {
    workspace_id: string
    group_id: string
    until: Date
    sale_reward_id: string | null
    lead_reward_id: string | null
  }
  partners: {
    id: string
    workspace_id: string
    program_id: string
    group_id: string | null
    email: string
    name: string | null
    slug: string
    slug_key: string
    status: Generated<PartnerStatus>
    terms_since: Date | null
    created_at: Generated<Date>
  }
  former_partner_terms: {
    workspace_id: string
    partner_id: string
    until: Date
    group_id: string | null
    status: PartnerStatus
  }
  coupon_aliases: {
    id: string
    workspace_id: string
    partner_id: string
    coupon_id: string
    label: string | null
    created_at: Generated<Date>
  }
  clicks: {
    id: string
    workspace_id: string
    partner_id: string
    landing_url: string | null
    referrer: string | null
    created_at: Date
    expires_at: Date
  }
  customers: {
    id: string
    workspace_id: string
    external_id: string
    email: string | null
    name: string | null
    partner_id: string | null
    created_at: Date
    imported_at: Date | null
    started_at: Date | null
    started_program_id: string | null
    merged_into: string | null
    revision: Generated<number>
    replan_from: Date | null
  }
  customer_identities: {
    workspace_id: string
    customer_id: string
    kind: IdentityKind
    value: string
    created_at: Date
  }
  referrals: {
    workspace_id: string
    customer_id: string
    origin: string
    partner_id: string
    source: 'click' | 'coupon' | 'import'
    attribution: 'last' | 'first'
    referred_at: Date
    clicked_at: Date | null
    started_at: Date | null
    subscription_id: string | null
  }
  events: {
    id: string
    workspace_id: string
    kind: 'sale' | 'lead'
    external_id: string
    event_name: string
    customer_external_id: string
    customer_id: string | null
    amount_cents: bigint | null
    currency: string | null
    metadata: Json<Record<string, unknown>> | null
    click_id: string | null
    partner_id: string | null
    attributed_by: AttributedBy | null
    body_hash: string | null
    steps: Json<Step[]>
    occurred_at: Date
    reported_at: Date | null
    subscription_id: string | null
    commission_id: string | null
    revision: Generated<number>
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
  }
  commission_holds: {
    commission_id: string
    workspace_id: string
    reason: HoldReason
    evidence_event_id: string
    created_at: Date
    resolved_at: Date | null
    resolution: HoldResolution | null
    resolved_by: string | null
  }
  one_time_rewards: { workspace_id: string; program_id: string; customer_id: string; event_id: string }
  stripe_keys: {
    workspace_id: string
    ciphertext: string
    last4: string
    stripe_account_id: string
    livemode: boolean
    created_at: Date
  }
  payout_accounts: {
    id: string
    workspace_id: string
    email: string
    country: string
    stripe_account_id: string | null
    status: Generated<PayoutAccountStatus>
    checked_at: Date | null
    created_at: Date
    disconnected_at: Date | null
  }
  payout_runs: {
    id: string
    workspace_id: string
    program_id: string | null
    method: PayoutMethod
    cutoff_at: Date
    scheduled_for: Date | null
    created_by: string | null
    created_at: Date
    claim_cursor: string | null
    claimed_at: Date | null
    marked_paid_at: Date | null
    confirmed_at: Date | null
    canceled_at: Date | null
    manual_status: GeneratedAlways<RunStatus | null>
  }
  payouts: {
    id: string
    workspace_id: string
    run_id: string
    program_id: string
    partner_id: string
    currency: string
    amount_cents: bigint
    stripe_account_id: string | null
    created_at: Date
    key_version: Generated<number>
    key_used_at: Date | null
    next_attempt_at: Date
    leased_at: Date | null
    attempts: Generated<number>
    last_error: string | null
    transfer_id: string | null
    paid_at: Date | null
    failed_at: Date | null
    canceled_at: Date | null
    reversed_cents: Generated<bigint>
    reversed_at: Date | null
    released_at: Date | null
    status: GeneratedAlways<PayoutStatus>
  }
  stripe_secrets: {
    id: string
    workspace_id: string
    purpose: SecretPurpose
    slot: number
    ciphertext: string
    fingerprint: string
    last4: string
    created_at: Date
  }
  processor_events: {
    id: string
    workspace_id: string
    processor: Processor
    processor_event_id: string
    type: string
    livemode: boolean
    customer: string | null
    email: string | null
    keys: string[]
    facts: Json<Fact[]>
    occurred_at: Date
    received_at: Date
    event_id: string | null
    outcome: Json<EventOutcome> | null
  }
  mails: {
    id: string
    workspace_id: string
    kind: MailKind
    recipient: string
    partner_id: string | null
    payout_id: string | null
    details: Json<Record<string, string | null>>
    created_at: Date
    attempts: Generated<number>
    first_attempt_at: Date | null
    next_attempt_at: Date
    last_error: string | null
    sent_at: Date | null
    failed_at: Date | null
    status: GeneratedAlways<MailStatus>
  }
  audit_entries: {
    id: string
    workspace_id: string
    actor: string
    action: string
    subject_id: string | null
    details: Json<Record<string, unknown>>
    created_at: Date
  }
}

/** A manager may change a workspace, a member may read it. */
export type Role = 'manager' | 'member'

/** A banned partner is not credited. */
export type PartnerStatus = 'approved' | 'banned'

export type CommissionKind = 'sale' | 'lead' | 'opening_balance' | 'reversal'
