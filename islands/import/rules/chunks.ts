/** Splits the rows of an import into calls. Spec, section 8, and design, section 6. */
import { MAX_CUSTOMER_ROWS } from '../../../lib/imports/customer-import.ts'
import { MAX_PARTNER_ROWS } from '../../../lib/imports/partner-import.ts'
import { slugKey } from '../../../lib/slugs.ts'
import type { FileCustomer, FilePartner } from './records.ts'

/** At most so many rows, and so many bytes of JSON, in one call. */
type Limits = { rows: number; bytes: number }

/** A body may be 1 MiB; the rest is for what stands around the rows. */
const BYTES = 900_000
const PARTNERS: Limits = { rows: MAX_PARTNER_ROWS, bytes: BYTES }
const CUSTOMERS: Limits = { rows: MAX_CUSTOMER_ROWS, bytes: BYTES }

/** A partner's row as the API takes it. */
export const partnerBody = (row: FilePartner) => ({
  email: row.email,
  ...(row.name && { name: row.name }),
  ...(row.slug && { slug: row.slug }),
  ...(row.couponId && { couponId: row.couponId }),
  ...(row.couponLabel && { couponLabel: row.couponLabel }),
  ...(row.openingBalanceCents !== undefined && { openingBalanceCents: row.openingBalanceCents }),
})

/** A customer's row as the API takes it. */
export const customerBody = ({
  customerExternalId,
  customerEmail,
  partnerEmail,
  startedAt,
}: FileCustomer) => ({
  customerExternalId,
  ...(customerEmail && { customerEmail }),
  partnerEmail,
  ...(startedAt && { startedAt }),
})

/**
 * The calls that import these partners, in the order in which they are to be made.
 *
 * Rows that want the same slug or coupon share a call where they fit, so that its dry run knows of both. Rows that
 * bring a slug come before those that need one made up, which could otherwise take one that a later row asks for.
 */
export const partnerCalls = (rows: FilePartner[]): FilePartner[][] => {
  const groups = together(rows, (row) => [
    ...(row.slug ? [`slug ${slugKey(row.slug)}`] : []),
    ...(row.couponId ? [`coupon ${row.couponId}`] : []),
  ])
  const size = (row: FilePartner) => bytes(partnerBody(row))
  const slugged = groups.filter((group) => group.every((row) => row.slug))
  const bare = groups.filter((group) => group.every((row) => !row.slug))
  // Joined by a coupon, some with a slug and some without. More of them than a call holds are parted after all.
  const mixed = groups.filter((group) => group.some((row) => row.slug) && group.some((row) => !row.slug))
  const sorted = [...mixed.flat().filter((row) => row.slug), ...mixed.flat().filter((row) => !row.slug)]
  const fits = sorted.length <= PARTNERS.rows && sum(sorted.map(size)) <= PARTNERS.bytes
  return pack([...slugged, ...(fits ? [sorted] : sorted.map((row) => [row])), ...bare], PARTNERS, size)
}

/** The calls that import these customers. Rows of one customer share a call, the last of them deciding. */
export const customerCalls = (rows: FileCustomer[]): FileCustomer[][] =>
  pack(
    together(rows, (row) => [row.customerExternalId]),
    CUSTOMERS,
    (row) => bytes(customerBody(row)),
  )

/** Groups of the rows that share a key, directly or through others, in the order of their first row. */
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

/** Fills calls with whole groups; a group that no call can hold is parted. */
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

/** A row's size in the body, with the comma after it. */
const bytes = (row: object): number => encoder.encode(JSON.stringify(row)).length + 1

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
