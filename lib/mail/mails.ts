/**
 * The status of a mail: `queued` has not been tried, `retrying` is tried again, `sent` was accepted by the transport,
 * `failed` is not tried again unless a manager retries it.
 */
export const MAIL_STATUSES = ['queued', 'retrying', 'sent', 'failed'] as const
export type MailStatus = (typeof MAIL_STATUSES)[number]
