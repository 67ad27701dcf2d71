/** The tables of this room, for Kysely: payouts and their accounts. See lib/db/tables.ts. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { Cover } from '../tenancy/settings/funds.ts'
import type { AccountPayoutStatus } from './details/banks.ts'
import type { PaymentMethod } from './details/payment-details.ts'
import type { NoticeReason } from './notices/notices.ts'
import type { PayoutAccountStatus, PayoutMethod, PayoutStatus, RunStatus } from './payouts.ts'
import type { Total } from './runs/limits.ts'

type PayoutTables = {
  stripe_keys: {
    workspace_id: string
    ciphertext: string
    last4: string
    stripe_account_id: string
    livemode: boolean
    reads_lines: Generated<boolean>
    reads_products: Generated<boolean>
    created_at: Date
    reminded_at: Date | null
    transfer_countries: string[] | null
    countries_read_at: Date | null
    transfers_read_to: Date | null
    transfers_read_at: Date | null
    scan_newest: Date | null
    scan_cursor: string | null
  }
  payout_accounts: {
    id: string
    workspace_id: string
    email: string
    country: string
    stripe_account_id: string | null
    status: Generated<PayoutAccountStatus>
    pays_bank: boolean | null
    checked_at: Date | null
    asked_at: Date | null
    lease_id: string | null
    created_at: Date
    disconnected_at: Date | null
    effective_at: Date | null
    confirm_hash: string | null
  }
  payment_details: {
    id: string
    workspace_id: string
    email: string
    method: PaymentMethod
    ciphertext: string | null
    masked: string | null
    country: string | null
    created_at: Date
    effective_at: Date
    canceled_at: Date | null
  }
  payers: {
    workspace_id: string
    name: string
    street: string | null
    postal_code: string | null
    city: string | null
    country: string | null
    vat_id: string | null
    iban_ciphertext: string | null
    iban_masked: string | null
    updated_at: Date
  }
  unknown_transfers: {
    workspace_id: string
    transfer_id: string
    payout_id: string
    run_id: string | null
    program_id: string | null
    partner_id: string | null
    stripe_account_id: string
    partner_email: string | null
    country: string | null
    account_read_at: Date | null
    amount_cents: bigint
    reversed_cents: bigint
    currency: string
    cutoff_at: Date
    created_at: Date
  }
  unreachable_people: {
    workspace_id: string
    email: string
    country: string
    noted_at: Date
  }
  account_payouts: {
    workspace_id: string
    id: string
    stripe_account_id: string
    currency: string
    amount_cents: bigint
    status: AccountPayoutStatus
    created_at: Date
    received_at: Date
  }
  payout_runs: {
    id: string
    workspace_id: string
    program_id: string | null
    method: PayoutMethod
    cutoff_at: Date
    scheduled_for: Date | null
    sends_at: Date | null
    created_by: string | null
    created_at: Date
    cover: Json<Cover> | null
    maximum: Json<Cover> | null
    previewed_at: Date | null
    expected: Json<Record<string, Pick<Total, 'amountCents' | 'count'>>> | null
    exclude_partner_ids: Generated<string[]>
    exclude_commission_ids: Generated<string[]>
    max_amount_cents: Json<Record<string, number>> | null
    needs_approval: Generated<boolean | null>
    first_approved_at: Date | null
    first_approved_by: string | null
    approved_at: Date | null
    approved_by: string | null
    declined_at: Date | null
    declined_by: string | null
    claim_cursor: string | null
    claimed_at: Date | null
    marked_paid_at: Date | null
    confirmed_at: Date | null
    canceled_at: Date | null
    is_canceling: Generated<boolean>
    manual_status: GeneratedAlways<RunStatus | null>
  }
  payout_run_notices: {
    workspace_id: string
    run_id: string
    reason: NoticeReason
    created_at: Date
    mailed_at: Date | null
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
    number: bigint
    reference: GeneratedAlways<string>
    created_at: Date
    claimed_at: Generated<Date | null>
    key_version: Generated<number>
    key_used_at: Date | null
    next_attempt_at: Date
    lease_id: string | null
    attempts: Generated<number>
    last_error: string | null
    failure_code: string | null
    transfer_id: string | null
    paid_at: Date | null
    failed_at: Date | null
    cancel_requested_at: Date | null
    canceled_at: Date | null
    is_freeing: Generated<boolean>
    reversed_cents: Generated<bigint>
    reversed_at: Date | null
    released_at: Date | null
    unreachable_since: Date | null
    failed_look_ups: Generated<number>
    resolved_at: Date | null
    resolution_reason: string | null
    found_transfer_id: string | null
    found_at: Date | null
    commissions: Generated<number>
    deducted_cents: Generated<bigint>
    restored_cents: Generated<bigint>
    returned_at: Date | null
    return_reason: string | null
    status: GeneratedAlways<PayoutStatus>
  }
}

declare module '../db/tables.ts' {
  interface Tables extends PayoutTables {}
}
