/** The portal's forms about how a partner is paid. */
import * as z from 'zod'
import { email, line, NOT_BLANK } from '../../http/fields.ts'
import { deliverableAddress } from '../../mail/transport/address.ts'
import { isIban, normalizeIban } from '../files/iban.ts'
import { isSepaName } from '../files/latin.ts'
import { HOLDERS } from './payment-details.ts'

const MAX_NAME = 70

/** Services would read other first characters as a formula, or refuse them. */
const address = email('The address of the account.')
  .refine(
    (text) => text !== null && /^[\p{L}\p{N}]/u.test(text),
    'Must begin with a letter or a digit.',
  )
  // PayPal and Wise read it.
  .transform((text) => deliverableAddress(text) ?? text)

const holder = z.enum(HOLDERS, 'Choose who the account belongs to.')

const name = line(MAX_NAME)
  .min(1, NOT_BLANK)
  .refine(isSepaName, 'Write it in Latin letters, as your bank does.')

const iban = z
  .string('Must be a string.')
  .transform(normalizeIban)
  .refine(isIban, 'Not an IBAN: its length or checksum is wrong.')

/** What a form for a method has. */
export const NewPaymentDetails = z.discriminatedUnion('method', [
  z.object({ method: z.literal('stripe') }),
  z.object({ method: z.literal('paypal'), address }),
  z.object({ method: z.literal('wise'), address, name, holder }),
  z.object({ method: z.literal('iban'), iban, name, holder }),
])

/** Cancels a pending change. */
export const DetailsCancellation = z.object({ id: z.uuid() })
