/** Requests of the sign-in endpoints. */
import * as z from 'zod'
import { email } from '../http/fields.ts'
import { safePath } from './next.ts'

/** POST /api/auth/sign-in/magic-link. */
export const LinkRequest = z.object({
  email: email('Where the link goes.'),
  next: z
    .string()
    .nullish()
    .transform((next) => safePath(next ?? undefined)),
})
