/** The tables of this room, for Kysely: the outbox, and edited texts. See lib/db/tables.ts. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Json } from '../db/columns.ts'
import type { Delivery, EditableKind, MailStatus, OutboxKind } from './mails.ts'
import type { Stream } from './outbox/streams.ts'

type MailTables = {
  mail_usage: {
    account: Stream
    day: string
    sent: number
    daily_used: number | null
    monthly_used: number | null
    reported_at: Date | null
    exhausted_until: Date | null
  }
  mail_texts: {
    workspace_id: string
    kind: EditableKind
    subject: string | null
    intro: string | null
    version: number
    change_id: string
  }
  mailings: {
    id: string
    workspace_id: string
    subject: string
    content: string
    created_at: Date
  }
  mail_optouts: { workspace_id: string; email: string; created_at: Date }
  unsubscribe_key: { key: string }
  mails: {
    id: string
    workspace_id: string | null
    kind: OutboxKind
    recipient: string
    partner_id: string | null
    program_id: string | null
    payout_id: string | null
    occasion: Generated<string>
    details: Json<Record<string, string | null>>
    created_at: Date
    attempts: Generated<number>
    first_attempt_at: Date | null
    next_attempt_at: Date
    lease_id: string | null
    last_error: string | null
    sent_at: Date | null
    failed_at: Date | null
    is_held: Generated<boolean>
    released_at: Date | null
    key_version: Generated<number>
    batch_id: string | null
    delivery: Delivery | null
    delivery_reason: string | null
    delivery_at: Date | null
    status: GeneratedAlways<MailStatus>
  }
}

declare module '../db/tables.ts' {
  interface Tables extends MailTables {}
}
