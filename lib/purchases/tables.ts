/** The tables of this room, for Kysely: what payment processors report. See lib/db/tables.ts. */
import type { Json } from '../db/columns.ts'
import type { Fact } from '../rules/purchases/facts.ts'
import type { EventOutcome } from '../rules/purchases/outcomes.ts'
import type { Processor } from '../rules/purchases/processors.ts'

type PurchaseTables = {
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
    anonymized_at: Date | null
  }
}

declare module '../db/tables.ts' {
  interface Tables extends PurchaseTables {}
}
