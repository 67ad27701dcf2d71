import type { Generated } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { Threshold } from '../rules/tiers/tiers.ts'

type BonusTables = {
  partner_bonuses: {
    partner_id: string
    name: string
    workspace_id: string
    milestone: Json<Threshold>
    since: Date
    commission_id: string | null
  }
  bonus_checks: {
    partner_id: string
    workspace_id: string
    revision: Generated<number>
    since: Generated<Date>
  }
}

declare module '../db/tables.ts' {
  interface Tables extends BonusTables {}
}
