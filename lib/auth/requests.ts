/** What comes in: an address to which a link can be mailed. */
import * as z from 'zod'
import { isEmail, normalizeEmail } from '../domain/emails.ts'
import { safePath } from './next.ts'

/** What is wrong with an address to which nothing can be mailed. */
export const NO_EMAIL = 'This is not an e-mail address. It looks like ann@example.com.'

/** An address to which a link can be mailed, as it is stored, or null. */
export const mailable = (email: string | undefined): string | null => {
  const normalized = normalizeEmail(email)
  return isEmail(normalized) ? normalized : null
}

/** POST /api/auth/sign-in/magic-link. */
export const LinkRequest = z.object({
  email: z
    .string()
    .refine((email) => mailable(email) !== null, NO_EMAIL)
    .transform((email) => normalizeEmail(email) ?? ''),
  next: z
    .string()
    .nullish()
    .transform((next) => safePath(next ?? undefined)),
})
