/** What the portal's forms about a partner's account take. */
import * as z from 'zod'
import { PAYOUT_COUNTRIES } from './countries.ts'

/** Names the workspace for which an account is. */
export const OfWorkspace = z.object({ workspace: z.uuid('There is no such program.') })

/** POST /portal/connect. */
export const NewConnection = OfWorkspace.extend({
  country: z
    .string('Choose a country.')
    .refine((code) => PAYOUT_COUNTRIES.includes(code), 'Choose one of the countries of the list.'),
})
