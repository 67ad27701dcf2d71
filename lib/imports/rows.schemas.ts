/** Parses the rows of an import. Each is valid, or says what to correct. */
import * as z from 'zod'
import { normalizeEmail, readEmail } from '../emails.ts'
import { MAX_ID_LENGTH } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import type { BadCustomerRow, CustomerRow } from './customer-import.ts'
import { CustomerImportRow, PartnerImportRow } from './imports.schemas.ts'
import type { BadPartnerRow, PartnerRow } from './partner-import.ts'

/** Ignores the balance, whatever it is. */
const PartnerRowWithoutBalance = PartnerImportRow.extend({
  openingBalanceCents: z
    .unknown()
    .transform(() => null)
    .optional(),
})

type Problem<Code> = { code: Code; message: string }

const BAD_EMAIL = {
  code: 'email_invalid',
  message: 'Enter the partner’s email address, such as ann@example.com.',
} as const
const BAD_COUPON = {
  code: 'coupon_invalid',
  message: `Enter the coupon’s id, and optionally a label, of at most ${MAX_ID_LENGTH} characters each.`,
} as const

/** By invalid field. */
const PARTNER_PROBLEMS: Record<string, Problem<BadPartnerRow['code']>> = {
  name: { code: 'name_invalid', message: `Enter a name of at most ${MAX_ID_LENGTH} characters.` },
  slug: {
    code: 'slug_invalid',
    message: `Enter a slug of at most ${MAX_ID_LENGTH} characters in one line, or leave it blank to generate one.`,
  },
  couponId: BAD_COUPON,
  couponLabel: BAD_COUPON,
  openingBalanceCents: {
    code: 'opening_balance_invalid',
    message: `Enter the balance in cents, a whole number from 0 to ${MAX_AMOUNT_CENTS}.`,
  },
}

const BAD_CUSTOMER_ID = {
  code: 'customer_id_invalid',
  message: `Enter the customer’s id at the payment processor, of at most ${MAX_ID_LENGTH} characters, or the email address.`,
} as const
const BAD_START = {
  code: 'started_at_invalid',
  message: 'Enter a date in the past, such as 2025-01-31, or leave it blank.',
} as const

/** By invalid field. */
const CUSTOMER_PROBLEMS: Record<string, Problem<BadCustomerRow['code']>> = {
  customerEmail: {
    code: 'customer_email_invalid',
    message: 'Correct the customer’s email address, or leave it blank.',
  },
  partnerEmail: {
    code: 'partner_email_invalid',
    message: 'Enter the partner’s email address, such as ann@example.com.',
  },
  startedAt: BAD_START,
  programId: {
    code: 'program_not_found',
    message: 'Enter the id of one of your programs, or leave it blank.',
  },
}

/** Older dates are typing errors: no affiliate programs existed. */
const EARLIEST = new Date('1990-01-01')

/** The first invalid field; blank when the row is not an object. */
const badField = (error: z.ZodError): string => String(error.issues[0]?.path[0] ?? '')

/** A field of an invalid row, for the sender to recognize the row. */
const textOf = (row: unknown, field: string): string => {
  const value: unknown = Object(row)[field]
  return typeof value === 'string' ? value.trim() : ''
}

/** @param withBalance whether to read the opening balance */
export const readPartnerRow = (input: unknown, withBalance: boolean): PartnerRow | BadPartnerRow => {
  const { data: row, error } = (withBalance ? PartnerImportRow : PartnerRowWithoutBalance).safeParse(input)
  if (error) {
    const problem = PARTNER_PROBLEMS[badField(error)] ?? BAD_EMAIL
    return { email: normalizeEmail(textOf(input, 'email')) ?? '', ...problem }
  }
  return {
    email: row.email,
    name: row.name ?? null,
    slug: row.slug ?? null,
    coupon: row.couponId ? { id: row.couponId, label: row.couponLabel ?? null } : null,
    openingBalanceCents: row.openingBalanceCents ?? 0,
  }
}

/** @param programId the default for rows without one */
export const readCustomerRow = (
  input: unknown,
  programId: string | null,
  now: Date,
): CustomerRow | BadCustomerRow => {
  const bad = (problem: Problem<BadCustomerRow['code']>) => ({
    customerExternalId: textOf(input, 'customerExternalId'),
    partnerEmail: normalizeEmail(textOf(input, 'partnerEmail')) ?? '',
    ...problem,
  })
  const { data: row, error } = CustomerImportRow.safeParse(input)
  if (error) return bad(CUSTOMER_PROBLEMS[badField(error)] ?? BAD_CUSTOMER_ID)
  const { customerExternalId, startedAt = null } = row
  if (startedAt && (startedAt > now || startedAt < EARLIEST)) return bad(BAD_START)
  return {
    customerExternalId,
    customerEmail: row.customerEmail ?? readEmail(customerExternalId),
    partnerEmail: row.partnerEmail,
    startedAt,
    programId: row.programId ?? programId,
  }
}
