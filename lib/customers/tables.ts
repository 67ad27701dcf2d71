/** The tables of this room, for Kysely: customers and referrals. See lib/db/tables.ts. */
import type { Generated } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { IdentityKind, IdentitySource } from '../rules/identities/identities.ts'
import type { MergeDecision } from '../rules/identities/possible-merges.ts'
import type { Prior } from './prior-earnings.ts'

type CustomerTables = {
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
    prior: Json<Prior> | null
    merged_into: string | null
    revision: Generated<number>
    replan_from: Date | null
    addressed_from: Date | null
  }
  customer_identities: {
    workspace_id: string
    customer_id: string
    kind: IdentityKind
    value: string
    is_verified: Generated<boolean>
    source: IdentitySource
    evidence: string | null
    created_at: Date
  }
  possible_merges: {
    id: string
    workspace_id: string
    customer_id: string
    named_customer_id: string
    checkout_id: string
    created_at: Date
    resolved_at: Date | null
    resolution: MergeDecision | null
    resolved_by: string | null
  }
  referrals: {
    workspace_id: string
    customer_id: string
    origin: string
    partner_id: string
    source: 'click' | 'coupon' | 'code' | 'import' | 'manual'
    attribution: 'last' | 'first'
    referred_at: Date
    clicked_at: Date | null
    started_at: Date | null
  }
}

declare module '../db/tables.ts' {
  interface Tables extends CustomerTables {}
}
