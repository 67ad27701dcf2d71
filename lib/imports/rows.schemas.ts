/** Parses the rows of an import: each is valid, or has a correction to make. */
import * as z from 'zod'
import type { PriorCommissions } from '../customers/prior-earnings.ts'
import { normalizeEmail, readEmail } from '../values/emails.ts'
import { MAX_ID_LENGTH } from '../values/external-ids.ts'
import { MAX_AMOUNT_CENTS } from '../values/money.ts'
import { MAX_SLUG_LENGTH, slugKey } from '../values/slugs.ts'
import type { BadCustomerRow, CustomerRow } from './customers/customer-import.ts'
import {
  CustomerImportRow,
  isWebUrl,
  MAX_PRIOR_COMMISSIONS,
  MAX_SLUGS,
  PartnerImportRow,
} from './imports.schemas.ts'
import { MAX_FORMER_LINK_LENGTH } from './partners/former-links.ts'
import type { BadPartnerRow, PartnerRow } from './partners/partner-import.ts'

/** Ignores the balance. */
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
  slugs: {
    code: 'slug_invalid',
    message: `Enter at most ${MAX_SLUGS} further slugs, as a list, each of at most ${MAX_SLUG_LENGTH} characters in one line.`,
  },
  couponId: BAD_COUPON,
  couponLabel: BAD_COUPON,
  formerLink: {
    code: 'former_link_invalid',
    message: `Enter the partner’s link on the earlier platform, such as https://shop.example/?ref=ann, of at most ${MAX_FORMER_LINK_LENGTH} characters, or leave it out.`,
  },
  group: {
    code: 'group_invalid',
    message: `Enter the id or the name of a group, of at most ${MAX_ID_LENGTH} characters, or leave it blank.`,
  },
  openingBalanceCents: {
    code: 'opening_balance_invalid',
    message: `Enter the balance in cents, a whole number from 0 to ${MAX_AMOUNT_CENTS}.`,
  },
}

const BAD_CUSTOMER_ID = {
  code: 'customer_id_invalid',
  message: `Enter the customer’s id at the payment processor, of at most ${MAX_ID_LENGTH} characters, or the email address.`,
} as const
/** The largest offset ahead of UTC. A time without a zone up to this far ahead counts as now. */
const MAX_AHEAD_MS = 14 * 3_600_000

const BAD_START = {
  code: 'started_at_invalid',
  message: 'Enter a date in the past, such as 2025-01-31, or leave it blank.',
} as const

const BAD_PRIOR = {
  code: 'prior_invalid',
  message: `Enter how many commissions were paid before, from 0 to ${MAX_PRIOR_COMMISSIONS}, their sum in minor units, from 0 to ${MAX_AMOUNT_CENTS}, and a currency such as USD, or leave them blank.`,
} as const

/** By invalid field. */
const CUSTOMER_PROBLEMS: Record<string, Problem<BadCustomerRow['code']>> = {
  customerEmail: {
    code: 'customer_email_invalid',
    message: 'Correct the customer’s email address, or leave it blank.',
  },
  priorCommissions: BAD_PRIOR,
  priorAmountCents: BAD_PRIOR,
  priorCurrency: BAD_PRIOR,
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

/** Older dates are typing errors: there were no affiliate programs. */
const EARLIEST = new Date('1990-01-01')

/** The first invalid field; blank when the row is not an object. */
const badField = (error: z.ZodError): string => String(error.issues[0]?.path[0] ?? '')

/** A field of an invalid row, by which the sender recognizes it. */
const textOf = (row: unknown, field: string): string => {
  const value: unknown = Object(row)[field]
  return typeof value === 'string' ? value.trim() : ''
}

/** Addresses and texts that schemas leave alone: ASCII without Punycode, trimmed, single spaces. */
const PLAIN_EMAIL = /^[a-z0-9._%+-]{1,64}@(?!.*xn--)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,2}$/
const PLAIN_TEXT = /^[!-~]+(?: [!-~]+)*$/

const isPlain = (value: unknown): value is string | null | undefined =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.length <= MAX_PLAIN_LENGTH && PLAIN_TEXT.test(value))

const MAX_PLAIN_LENGTH = Math.min(MAX_ID_LENGTH, MAX_SLUG_LENGTH)

/**
 * Reads a row without its schema, which takes longer than the rest of an import in the Worker. Most
 * rows are that plain.
 *
 * @returns null for any other row, valid or not
 */
export const readPlainPartnerRow = (input: unknown, withBalance: boolean): PartnerRow | null => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null
  const {
    email,
    name,
    slug,
    slugs,
    couponId,
    couponLabel,
    openingBalanceCents,
    formerLink,
    group,
  } = input as Record<string, unknown>
  const balance = withBalance ? (openingBalanceCents ?? 0) : 0
  if (typeof email !== 'string' || !PLAIN_EMAIL.test(email)) return null
  if (slugs !== undefined && slugs !== null) return null
  if (!isPlain(formerLink) || (formerLink && !isWebUrl(formerLink))) return null
  if (
    !isPlain(group) ||
    !isPlain(name) ||
    !isPlain(slug) ||
    !isPlain(couponId) ||
    !isPlain(couponLabel)
  )
    return null
  if (typeof balance !== 'number' || !Number.isInteger(balance)) return null
  if (balance < 0 || balance > MAX_AMOUNT_CENTS) return null
  return {
    email,
    name: name ?? null,
    slug: slug ?? null,
    otherSlugs: [],
    coupon: couponId ? { id: couponId, label: couponLabel ?? null } : null,
    openingBalanceCents: balance,
    formerLink: formerLink ?? null,
    group: group ?? null,
  }
}

/** The main slug and the further ones, each once. */
const slugsOf = (slug: string | null, slugs: string[]): Pick<PartnerRow, 'slug' | 'otherSlugs'> => {
  const given = [slug ?? '', ...slugs].filter(Boolean)
  const keys = given.map(slugKey)
  const [main = null, ...otherSlugs] = given.filter(
    (_, index) => keys.indexOf(keys[index] ?? '') === index,
  )
  return { slug: main, otherSlugs }
}

/** @param withBalance whether to read the opening balance */
export const readPartnerRow = (
  input: unknown,
  withBalance: boolean,
): PartnerRow | BadPartnerRow => {
  const plain = readPlainPartnerRow(input, withBalance)
  if (plain) return plain
  const { data: row, error } = (
    withBalance ? PartnerImportRow : PartnerRowWithoutBalance
  ).safeParse(input)
  if (error) {
    const problem = PARTNER_PROBLEMS[badField(error)] ?? BAD_EMAIL
    return { email: normalizeEmail(textOf(input, 'email')) ?? '', ...problem }
  }
  return {
    email: row.email,
    name: row.name ?? null,
    ...slugsOf(row.slug ?? null, row.slugs ?? []),
    coupon: row.couponId ? { id: row.couponId, label: row.couponLabel ?? null } : null,
    openingBalanceCents: row.openingBalanceCents ?? 0,
    formerLink: row.formerLink ?? null,
    group: row.group ?? null,
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
  if (startedAt && (startedAt.getTime() > now.getTime() + MAX_AHEAD_MS || startedAt < EARLIEST))
    return bad(BAD_START)
  return {
    customerExternalId,
    customerEmail: row.customerEmail ?? readEmail(customerExternalId),
    partnerEmail: row.partnerEmail,
    startedAt: startedAt && startedAt > now ? now : startedAt,
    prior: priorOf(row),
    programId: row.programId ?? programId,
  }
}

type PriorFields = Pick<
  z.infer<typeof CustomerImportRow>,
  'priorCommissions' | 'priorAmountCents' | 'priorCurrency'
>

/** A currency alone says nothing. */
const priorOf = ({
  priorCommissions,
  priorAmountCents,
  priorCurrency,
}: PriorFields): PriorCommissions | null => {
  const [commissions, amountCents] = [priorCommissions ?? null, priorAmountCents ?? null]
  return commissions === null && amountCents === null
    ? null
    : { commissions, amountCents, currency: priorCurrency ?? 'USD' }
}
