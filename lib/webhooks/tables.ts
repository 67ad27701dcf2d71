/** The tables of this room, for Kysely: webhook endpoints and deliveries. See lib/db/tables.ts. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { DeliveryStatus } from './deliveries/deliveries.ts'
import type { Try } from './deliveries/delivery-attempts.ts'
import type { AnnouncedRefund } from './payloads.ts'
import type { EventType, WebhookType } from './types.ts'

type WebhookTables = {
  webhook_endpoints: {
    id: string
    workspace_id: string
    url: string
    description: string | null
    types: WebhookType[]
    ciphertext: string
    former_ciphertext: string | null
    former_until: Date | null
    created_at: Date
    failing_since: Date | null
    disabled_at: Date | null
    disabled_reason: 'manager' | 'failing' | null
    removed_at: Date | null
  }
  webhook_events: {
    id: string
    workspace_id: string
    type: EventType
    subject_id: string
    partner_id: string | null
    created_at: Date
    payload: string | null
    refund: Json<AnnouncedRefund> | null
  }
  webhook_deliveries: {
    id: string
    workspace_id: string
    event_id: string
    endpoint_id: string
    created_at: Date
    lane: Generated<'first' | 'retry'>
    attempts: Generated<number>
    first_attempt_at: Date | null
    next_attempt_at: Date
    lease_id: string | null
    delivered_at: Date | null
    failed_at: Date | null
    tries: Json<Try[]>
    status: GeneratedAlways<DeliveryStatus>
  }
}

declare module '../db/tables.ts' {
  interface Tables extends WebhookTables {}
}
