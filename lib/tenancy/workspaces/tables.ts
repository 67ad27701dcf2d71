/**
 * The tables of this room, for Kysely: workspaces, people, keys, programs and partners. See
 * lib/db/tables.ts.
 */
import type { ColumnType, Generated } from 'kysely'
import type { Json } from '../../db/columns.ts'
import type { UnverifiedAddresses } from '../../rules/attribution/address-claims.ts'
import type { SelfReferrals } from '../../rules/attribution/self-referrals.ts'
import type { StoredBonus } from '../../rules/bonuses/bonuses.ts'
import type { MonthlyBudget } from '../../rules/programs/budgets.ts'
import type { ProgramMode } from '../../rules/programs/mode.ts'
import type { PayoutSchedule } from '../../rules/programs/schedules.ts'
import type { Mode, SalesFrom } from '../../rules/purchases/processors.ts'
import type { Cap } from '../../rules/rewards/caps.ts'
import type { Rule } from '../../rules/rewards/rewards.ts'
import type { Role } from '../../rules/roles/roles.ts'
import type { OneTimePer, RewardInterval } from '../../rules/steps/intervals.ts'
import type { Tiers } from '../../rules/tiers/tiers.ts'
import type { ApiKeyScope } from '../keys/api-keys.ts'
import type { PayoutOrder } from '../settings/funds.ts'

type WorkspaceTables = {
  workspaces: {
    id: string
    slug: string
    name: string
    created_at: Generated<Date>
    created_by: string | null
    trusted_at: ColumnType<Date | null, Date | null | undefined>
    manual_payouts: Generated<boolean>
    payout_order: Generated<PayoutOrder>
    paypal_payouts: Generated<boolean>
    wise_payouts: Generated<boolean>
    iban_payouts: Generated<boolean>
    require_documents: Generated<boolean>
    payouts_require_passkey: Generated<boolean>
    self_billing: Generated<boolean>
    approval_above_cents: ColumnType<bigint | null, number | null, number | null>
    sales_from: Generated<SalesFrom>
    backend_creates_checkouts: Generated<boolean>
    mode: Generated<Mode>
    manual_earnings_on: string | null
    manual_earnings_cents: Generated<bigint>
    deletes_at: Date | null
    deletion_by: string | null
    erasing_since: Date | null
  }
  approval_limit_requests: {
    id: string
    workspace_id: string
    above_cents: bigint | null
    requested_by: string
    requested_at: Date
  }
  former_sales_from: { workspace_id: string; until: Date; sales_from: SalesFrom }
  members: {
    id: string
    workspace_id: string
    email: string
    role: Role
    payout_mails: Generated<boolean>
    created_at: Generated<Date>
    role_since: Generated<Date>
  }
  api_keys: {
    id: string
    workspace_id: string
    name: string
    key_hash: string
    last4: string
    scopes: ApiKeyScope[]
    expires_at: Date | null
    last_used_at: Date | null
    created_at: Generated<Date>
    revoked_at: Date | null
    replaced_by: string | null
  }
  rewards: {
    id: string
    workspace_id: string
    kind: 'percent' | 'flat'
    basis_points: number | null
    amount_cents: bigint | null
    currency: string | null
    rules: Json<Rule[]> | null
    caps: Json<Cap[]> | null
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
    one_time_per: Generated<OneTimePer>
    tiers: Json<Tiers> | null
    bonuses: Json<StoredBonus[]> | null
    monthly_budget: Json<MonthlyBudget> | null
    tiers_due_at: ColumnType<Date | null, never, Date | null>
    tiers_partner_id: ColumnType<string | null, never, string | null>
    reward_shipping: boolean
    credit_out_of_band: boolean
    holding_days: number
    net_days: number | null
    attribution_days: number
    attribution: 'last' | 'first'
    attribute_known_customers: boolean
    late_lead_days: Generated<number>
    trusted_attribution: Generated<boolean>
    self_referrals: Generated<SelfReferrals>
    unverified_addresses: Generated<UnverifiedAddresses>
    minimum_payout_cents: ColumnType<bigint, number, number>
    payout_schedule: PayoutSchedule
    payout_days: number[] | null
    review_days: Generated<number>
    payout_schedule_since: Generated<Date>
    manual_earnings_notice_cents: ColumnType<bigint, number | undefined, number>
    payouts_previewed_for: Date | null
    terms_since: Date | null
    mode: Generated<ProgramMode>
    shadow_since: Date | null
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
    one_time_per: OneTimePer
    tiers: Json<Tiers> | null
    reward_shipping: boolean
    credit_out_of_band: boolean
    holding_days: number
    net_days: number | null
    attribution: 'last' | 'first'
    attribute_known_customers: boolean
    late_lead_days: number
    self_referrals: SelfReferrals
    unverified_addresses: UnverifiedAddresses
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
    reward_id: string | null
    email: string
    name: string | null
    slug: string
    slug_key: string
    former_link: string | null
    status: Generated<PartnerStatus>
    minimum_payout_cents: ColumnType<bigint | null, number | null, number | null>
    terms_since: Date | null
    documents_received_at: Date | null
    created_at: Generated<Date>
    is_test: Generated<boolean>
    language: string | null
    undone_at: Date | null
  }
  former_partner_addresses: {
    program_id: string
    email: string
    partner_id: string
    until: Date
  }
  address_changes: {
    id: string
    email: string
    new_email: string
    token_hash: string
    old_token_hash: string | null
    new_confirmed_at: Date | null
    old_confirmed_at: Date | null
    created_at: Date
    expires_at: Date
    done_at: Date | null
    revert_hash: string | null
    reverted_at: Date | null
  }
  expensive_requests: {
    id: string
    budget_id: string
    started_at: Date
    held_until: Date
  }
  idempotency_keys: {
    workspace_id: string
    hash: string
    body_hash: string
    first_id: string
    secret: string | null
    status: number | null
    answer: string | null
    created_at: Date
  }
  former_partner_terms: {
    workspace_id: string
    partner_id: string
    until: Date
    group_id: string | null
    status: PartnerStatus
    reward_id: string | null
  }
  partner_notes: {
    id: string
    workspace_id: string
    partner_id: string
    author: string
    content: string
    created_at: Date
  }
  coupon_aliases: {
    id: string
    workspace_id: string
    partner_id: string
    coupon_id: string
    label: string | null
    created_at: Generated<Date>
  }
  links: {
    id: string
    workspace_id: string
    program_id: string
    partner_id: string
    slug: string
    slug_key: string
    created_at: Date
  }
  deleted_workspaces: {
    id: string
    slug: string
    deleted_by: string
    deleted_at: Date
  }
  kept_documents: {
    id: string
    workspace_id: string
    workspace_name: string
    kind: 'invoice' | 'credit_note'
    document: Json<Record<string, unknown>>
    issued_at: Date
    keep_until: string
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

/** A banned partner is not credited. */
export type PartnerStatus = 'approved' | 'banned'

declare module '../../db/tables.ts' {
  interface Tables extends WorkspaceTables {}
}
