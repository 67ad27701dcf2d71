/** The two streams of mail, which may have senders and accounts of their own at the provider. */
import { EDITABLE_KINDS, type OutboxKind } from '../mails.ts'

/**
 * `personal`: sign-in links, and mails about somebody's account or to managers. `bulk`: mails about
 * programs and payouts, which go to many partners. A complaint about one of them must not end
 * sign-in.
 */
export type Stream = 'personal' | 'bulk'

/** The kinds of the outbox that are bulk mail. */
export const BULK_KINDS: readonly string[] = [...EDITABLE_KINDS, 'message']

/** The stream of a mail of the outbox. A test mail has the stream of its kind. */
export const streamOf = (kind: OutboxKind): Stream =>
  BULK_KINDS.includes(kind) ? 'bulk' : 'personal'
