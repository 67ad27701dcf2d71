/** The tables of this room, for Kysely: parties and invoices. See lib/db/tables.ts. */
import type { Generated } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { CreditReason, Party } from '../payouts/invoices/invoices.ts'

type PaperTables = {
  payees: {
    workspace_id: string
    email: string
    name: string
    street: string | null
    postal_code: string | null
    city: string | null
    country: string | null
    vat_id: string | null
    self_billing_since: Date | null
    updated_at: Date
  }
  invoice_numbers: { workspace_id: string; last: bigint; last_credit_note: Generated<bigint> }
  credit_notes: {
    id: string
    workspace_id: string
    number: bigint
    invoice_id: string
    amount_cents: bigint
    reason: CreditReason
    issued_at: Date
  }
  invoices: {
    id: string
    workspace_id: string
    number: bigint
    payout_id: string
    supplier: Json<Party>
    customer: Json<Party>
    commissions: number
    program_name: string
    agreed_at: Date
    issued_at: Date
  }
}

declare module '../db/tables.ts' {
  interface Tables extends PaperTables {}
}
