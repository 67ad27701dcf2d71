/** Reads the rows of an import: each is a partner or a mapping, or what is to be corrected in it. */
import * as z from 'zod'
import { normalizeEmail, readEmail } from '../emails.ts'
import { MAX_ID_LENGTH } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import type { BadCustomerRow, CustomerRow } from './customer-import.ts'
import { CustomerImportRow, PartnerImportRow } from './imports.schemas.ts'
import type { BadPartnerRow, PartnerRow } from './partner-import.ts'

/** A row whose balance nobody looks at. */
const PartnerRowWithoutBalance = PartnerImportRow.extend({
  openingBalanceCents: z
    .unknown()
    .transform(() => null)
    .optional(),
})

type Problem<Code> = { code: Code; message: string }

const BAD_EMAIL = {
  code: 'email_invalid',
  message: 'Give the e-mail address of the partner, such as ann@example.com.',
} as const
const BAD_COUPON = {
  code: 'coupon_invalid',
  message: `Give the coupon an id, and a label if it has one, of at most ${MAX_ID_LENGTH} characters each.`,
} as const

/** What is wrong with a partner's row, by the field that can't be read. */
const PARTNER_PROBLEMS: Record<string, Problem<BadPartnerRow['code']>> = {
  name: { code: 'name_invalid', message: `Give a name of at most ${MAX_ID_LENGTH} characters.` },
  slug: {
    code: 'slug_invalid',
    message: `Give a slug of at most ${MAX_ID_LENGTH} characters in one line, or none to have one made.`,
  },
  couponId: BAD_COUPON,
  couponLabel: BAD_COUPON,
  openingBalanceCents: {
    code: 'opening_balance_invalid',
    message: `Give the balance as a whole number of cents, from 0 to ${MAX_AMOUNT_CENTS}.`,
  },
}

const BAD_CUSTOMER_ID = {
  code: 'customer_id_invalid',
  message: `Give the customer’s id at the payment processor, of at most ${MAX_ID_LENGTH} characters, or the e-mail address.`,
} as const
const BAD_START = {
  code: 'started_at_invalid',
  message: 'Give a date that has been, such as 2025-01-31, or none.',
} as const

/** What is wrong with a customer's row, by the field that can't be read. */
const CUSTOMER_PROBLEMS: Record<string, Problem<BadCustomerRow['code']>> = {
  customerEmail: {
    code: 'customer_email_invalid',
    message: 'Correct the customer’s e-mail address, or leave it out.',
  },
  partnerEmail: {
    code: 'partner_email_invalid',
    message: 'Give the e-mail address of the partner, such as ann@example.com.',
  },
  startedAt: BAD_START,
  programId: { code: 'program_not_found', message: 'Give the id of one of your programs, or none.' },
}

/** Before there was a web, nobody was rewarded for a link. */
const EARLIEST = new Date('1990-01-01')

/** The first field that can't be read, or none when the row is no object at all. */
const badField = (error: z.ZodError): string => String(error.issues[0]?.path[0] ?? '')

/** The text of a field of a row that can't be read, by which its sender knows it again. */
const textOf = (row: unknown, field: string): string => {
  const value: unknown = Object(row)[field]
  return typeof value === 'string' ? value.trim() : ''
}

/** @param withBalance looks at the opening balance; else it is nothing, whatever it says */
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

/** @param programId where the partner is to be found, when the row doesn't say */
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
