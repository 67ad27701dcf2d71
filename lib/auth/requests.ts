/** What comes in: an address to which a link can be mailed. */
import * as z from 'zod'
import { isEmail, normalizeEmail } from '../domain/emails.ts'
import { email } from '../http/fields.ts'
import { safePath } from './next.ts'

/** An address to which a link can be mailed, as it is stored, or null. */
export const mailable = (email: string | undefined): string | null => {
  const normalized = normalizeEmail(email)
  return isEmail(normalized) ? normalized : null
}

/** POST /api/auth/sign-in/magic-link. */
export const LinkRequest = z.object({
  email: email('Where the link goes.'),
  next: z
    .string()
    .nullish()
    .transform((next) => safePath(next ?? undefined)),
})
