/** Reads the connected account that an event is about, in either of Stripe's event formats. */
import * as z from 'zod'

/** Currently `acct_` and 16 characters; longer ids are accepted. */
const accountId = z.string().regex(/^acct_[A-Za-z0-9]{1,200}$/)

/** A snapshot event has the account. For a connected account, its id is also at the top level. */
const Snapshot = z
  .object({
    type: z.literal('account.updated'),
    account: accountId.nullish(),
    data: z.object({ object: z.object({ id: accountId }) }),
  })
  .transform(({ account, data }) => account ?? data.object.id)

/** A thin event of API v2 contains only the account's id. Any such event triggers a refresh. */
const Thin = z
  .object({
    object: z.literal('v2.core.event'),
    type: z.string().startsWith('v2.core.account'),
    related_object: z.object({ id: accountId }),
  })
  .transform(({ related_object: related }) => related.id)

const AccountEvent = z.union([Snapshot, Thin])

/** The account that a verified event is about; null for any other event. */
export const readAccountEvent = (input: unknown): string | null =>
  AccountEvent.safeParse(input).data ?? null
