/** Splits the rows of an import into calls (spec section 8, design section 6). */
import { MAX_CUSTOMER_ROWS } from '../../../../lib/imports/customers/customer-import.ts'
import { MAX_FORMER_LINK_LENGTH } from '../../../../lib/imports/partners/former-links.ts'
import { MAX_PARTNER_ROWS } from '../../../../lib/imports/partners/partner-import.ts'
import { slugKey } from '../../../../lib/values/slugs.ts'
import type { FileCustomer, FilePartner } from './records.ts'

/** The maximum rows and bytes of JSON per call. */
type Limits = { rows: number; bytes: number }

/** The body limit is 1 MiB. The rest is for the JSON around the rows. */
const BYTES = 900_000
const PARTNERS: Limits = { rows: MAX_PARTNER_ROWS, bytes: BYTES }
const CUSTOMERS: Limits = { rows: MAX_CUSTOMER_ROWS, bytes: BYTES }

/** A group's id, which may be longer than its name. */
const ID_BYTES = 36

/** A partner row as API input, without its group: see groups.ts. */
export const partnerBody = (row: FilePartner) => ({
  email: row.email,
  ...(row.name && { name: row.name }),
  ...(row.slug && { slug: row.slug }),
  ...(row.otherSlugs.length > 0 && { slugs: row.otherSlugs }),
  ...(row.couponId && { couponId: row.couponId }),
  ...(row.couponLabel && { couponLabel: row.couponLabel }),
  ...(row.openingBalanceCents !== undefined && { openingBalanceCents: row.openingBalanceCents }),
  ...(row.link?.url &&
    row.link.url.length <= MAX_FORMER_LINK_LENGTH && { formerLink: row.link.url }),
})

/** A customer row as API input. */
export const customerBody = ({
  customerExternalId,
  customerEmail,
  partnerEmail,
  startedAt,
  prior,
}: FileCustomer) => ({
  customerExternalId,
  ...(customerEmail && { customerEmail }),
  partnerEmail,
  ...(startedAt && { startedAt }),
  ...(prior && {
    ...(prior.commissions !== null && { priorCommissions: prior.commissions }),
    ...(prior.amountCents !== null && { priorAmountCents: prior.amountCents }),
    priorCurrency: prior.currency,
  }),
})

/**
 * The calls that import these partners, in order. Rows with the same slug or coupon share a call
 * where they fit, so that its dry run sees both. Rows with a slug precede rows without, because a
 * generated slug could take the slug of a later row.
 */
export const partnerCalls = (rows: FilePartner[]): FilePartner[][] => {
  const groups = together(rows, (row) => [
    ...(row.slug ? [row.slug, ...row.otherSlugs] : []).map((slug) => `slug:${slugKey(slug)}`),
    ...(row.couponId ? [`coupon:${row.couponId}`] : []),
  ])
  const size = (row: FilePartner) =>
    bytes({ ...partnerBody(row), ...(row.group && { group: row.group }) }) + ID_BYTES
  const slugged = groups.filter((group) => group.every((row) => row.slug))
  const bare = groups.filter((group) => group.every((row) => !row.slug))
  // Groups joined by a coupon, with and without slugs. They are split if they exceed a call.
  const mixed = groups.filter(
    (group) => group.some((row) => row.slug) && group.some((row) => !row.slug),
  )
  const sorted = [
    ...mixed.flat().filter((row) => row.slug),
    ...mixed.flat().filter((row) => !row.slug),
  ]
  const fits = sorted.length <= PARTNERS.rows && sum(sorted.map(size)) <= PARTNERS.bytes
  return pack(
    [...slugged, ...(fits ? [sorted] : sorted.map((row) => [row])), ...bare],
    PARTNERS,
    size,
  )
}

/**
 * The calls that import these customers. Rows of one customer share a call, whose last row wins.
 */
export const customerCalls = (rows: FileCustomer[]): FileCustomer[][] =>
  pack(
    together(rows, (row) => [row.customerExternalId]),
    CUSTOMERS,
    (row) => bytes(customerBody(row)),
  )

/** Groups rows that share a key, directly or transitively, in the order of their first row. */
const together = <Row>(rows: Row[], keysOf: (row: Row) => string[]): Row[][] => {
  const groupOf = new Map<string, Row[]>()
  const groups = new Set<Row[]>()
  for (const row of rows) {
    const known = new Set(keysOf(row).map((key) => groupOf.get(key)))
    known.delete(undefined)
    const [group = [], ...others] = known as Set<Row[]>
    groups.add(group)
    const members = [...others.flat(), row]
    for (const other of others) groups.delete(other)
    group.push(...members)
    for (const member of members) for (const key of keysOf(member)) groupOf.set(key, group)
  }
  return [...groups]
}

/** Packs whole groups into calls. A group that exceeds a call is split. */
const pack = <Row>(groups: Row[][], limits: Limits, size: (row: Row) => number): Row[][] => {
  const calls: Row[][] = []
  let call: Row[] = []
  let filled = 0
  const close = () => {
    if (call.length > 0) calls.push(call)
    call = []
    filled = 0
  }
  for (const group of groups) {
    const sizes = group.map(size)
    if (call.length + group.length > limits.rows || filled + sum(sizes) > limits.bytes) close()
    for (const [index, row] of group.entries()) {
      if (call.length + 1 > limits.rows || filled + (sizes[index] ?? 0) > limits.bytes) close()
      call.push(row)
      filled += sizes[index] ?? 0
    }
  }
  close()
  return calls
}

const encoder = new TextEncoder()

/** A row's size in the body, with its comma. */
const bytes = (row: object): number => encoder.encode(JSON.stringify(row)).length + 1

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
