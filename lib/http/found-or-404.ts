/** Lookups by the id in a URL. Rows of other workspaces are not found. */
import * as z from 'zod'
import { ApiError } from './errors.ts'

/** How to find the right id. */
const REMEDIES = {
  commission: 'List the commissions to find it.',
  customer: 'Search by `externalId` or `email` instead.',
  import: 'List the imports to find it.',
  'import source': 'GET /import-sources lists them.',
  'possible merge': 'List the possible merges to find it.',
  'audit entry': 'List the audit log to find it.',
  sale: 'Report it by POST /api/track/sale.',
  event: 'Search by `externalId` instead.',
  application: 'List the applications to find it.',
  partner: 'Search by `email` or `slug` instead.',
  link: 'List the partner’s links to find it.',
  coupon: 'List the partner’s coupons to find it.',
  note: 'List the partner’s notes to find it.',
  mail: 'List the mails to find it.',
  invoice: 'List the invoices to find it.',
  'credit note': 'List the invoices to find it.',
  payout: 'List the payouts to find it.',
  'limit request': 'GET /settings shows the open one.',
  'payout run': 'List the payout runs to find it.',
  program: 'List the programs to find it.',
  group: 'List the groups of its program to find it.',
  member: 'List the members to find it.',
  passkey: 'The members’ page lists those that do not count yet.',
  'API key': 'List the API keys to find it.',
  'signing secret': 'GET /stripe lists them.',
  'webhook endpoint': 'List the webhook endpoints to find it.',
  'webhook delivery': 'List the webhook deliveries to find it. They are kept for 30 days.',
}

export type Noun = keyof typeof REMEDIES

export const notFound = (noun: Noun) =>
  new ApiError('not_found', `No ${noun} has this ID. ${REMEDIES[noun]}`)

/** Finds a row by the id of a URL. Only UUIDs reach `find`. @throws {ApiError} `not_found` */
export const found = async <T>(
  noun: Noun,
  id: string,
  find: (id: string) => Promise<T | undefined>,
): Promise<T> => {
  const row = z.uuid().safeParse(id).success ? await find(id) : undefined
  if (row === undefined) throw notFound(noun)
  return row
}
