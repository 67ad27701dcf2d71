/** Mails managers what was made payable by hand: see mail_manual_earnings. */
import { type RawBuilder, sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { ManualEarning } from '../../mail/outbox/details.ts'

/**
 * What a statement selects for each row that makes money payable by hand, so that a repeat of it
 * mails nothing.
 *
 * @param row its columns: the program, the partner's slug or null, the amount and the currency
 */
export const mailManualEarning = (
  { workspaceId, actor, now }: Act,
  what: ManualEarning['what'],
  row: Record<'program' | 'partner' | 'cents' | 'currency', RawBuilder<unknown>>,
) => sql`
  mail_manual_earnings(
    ${workspaceId}::uuid, ${row.program},
    jsonb_build_object('what', ${what}::text, 'by', ${actor}::text, 'partner', ${row.partner},
                       'amountCents', ${row.cents}, 'currency', ${row.currency}), ${now}::timestamptz)`
