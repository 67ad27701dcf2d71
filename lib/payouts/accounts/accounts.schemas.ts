/** The portal's forms about a partner's Stripe account. */
import * as z from 'zod'
import { PAYOUT_COUNTRIES } from './countries.ts'

export const OfWorkspace = z.object({ workspace: z.uuid('There is no such program.') })

/** POST /portal/connect. */
export const NewConnection = OfWorkspace.extend({
  country: z
    .string('Choose a country.')
    .refine((code) => PAYOUT_COUNTRIES.includes(code), 'Choose a country from the list.'),
})

/** /portal/connect/confirm: the link of the mail about a changed account. */
export const Confirmation = OfWorkspace.extend({ token: z.string().min(1).max(100) })
