/** The tables of this room, for Kysely: the outbox. See lib/db/tables.ts. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { MailStatus, OutboxKind } from './mails.ts'

export type MailTables = {
  mails: {
    id: string
    workspace_id: string | null
    kind: OutboxKind
    recipient: string
    partner_id: string | null
    payout_id: string | null
    occasion: Generated<string>
    details: Json<Record<string, string | null>>
    created_at: Date
    attempts: Generated<number>
    first_attempt_at: Date | null
    next_attempt_at: Date
    last_error: string | null
    sent_at: Date | null
    failed_at: Date | null
    is_held: Generated<boolean>
    released_at: Date | null
    status: GeneratedAlways<MailStatus>
  }
}
