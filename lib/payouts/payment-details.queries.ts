/** How partners want to be paid, as it is stored. */
import { type RawBuilder, sql } from 'kysely'

/** The details of a person that count at a time, as a query of one row or none. */
export const detailsAt = (
  workspaceId: RawBuilder<unknown>,
  email: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
) => sql`
  select w.method, w.country, w.ciphertext, w.masked from payment_details w
  where w.workspace_id = ${workspaceId} and w.email = ${email} and w.effective_at <= ${at} and w.canceled_at is null
  order by w.effective_at desc, w.id desc limit 1`
