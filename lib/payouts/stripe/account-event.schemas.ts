/** Reads of which connected account an event tells, whichever of Stripe's two ways it comes by. */
import * as z from 'zod'

/** Stripe's are `acct_` and 16 characters; whatever it may become, it stays one word. */
const accountId = z.string().regex(/^acct_[A-Za-z0-9]{1,200}$/)

/** With the account in it, as it was then; the id of a connected one stands at the top too. */
const Snapshot = z
  .object({
    type: z.literal('account.updated'),
    account: accountId.nullish(),
    data: z.object({ object: z.object({ id: accountId }) }),
  })
  .transform(({ account, data }) => account ?? data.object.id)

/** By name alone, from the API's second version. Whatever it tells of an account is a reason to look. */
const Thin = z
  .object({
    object: z.literal('v2.core.event'),
    type: z.string().startsWith('v2.core.account'),
    related_object: z.object({ id: accountId }),
  })
  .transform(({ related_object: related }) => related.id)

const AccountEvent = z.union([Snapshot, Thin])

/** The account that an event tells of; null for one that is about something else. The signature must be right. */
export const readAccountEvent = (input: unknown): string | null => AccountEvent.safeParse(input).data ?? null
