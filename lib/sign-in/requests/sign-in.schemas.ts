/** Requests of the sign-in endpoints. */
import * as z from 'zod'
import { email } from '../../http/fields.ts'
import { safePath } from './next-url.ts'

/** POST /api/auth/sign-in/magic-link. */
export const LinkRequest = z.object({
  email: email('Where the link goes.'),
  next: z
    .string()
    .nullish()
    .transform((next) => safePath(next ?? undefined)),
})

const base64url = z.string().regex(/^[\w-]{1,16000}$/)
const credential = { id: base64url, rawId: base64url, type: z.literal('public-key') }

export const PasskeyRequest = z.object({ purpose: z.enum(['add', 'confirm']) })

/** The fields of `RegistrationResponseJSON` that are read. */
export const NewPasskeyResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']))
      .catch([]),
  }),
})

/** The fields of `AuthenticationResponseJSON` that are read. */
export const PasskeySignature = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
  }),
})
