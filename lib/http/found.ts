/** Ids in addresses: what they name is there, or it is not, whoever it belongs to. */
import * as z from 'zod'
import { ApiError } from './errors.ts'

/** Where else to look, when an id leads to nothing. */
const HINTS = {
  event: 'Search by `externalId` instead.',
  partner: 'Search by `email` or `slug` instead.',
  coupon: 'List the partner’s coupons for those that it has.',
  mail: 'List the mails for the ids that there are.',
  payout: 'List the payouts for the ids that there are.',
  'payout run': 'List the payout runs for the ids that there are.',
  program: 'List the programs for the ids that there are.',
  group: 'List the groups of its program for the ids that there are.',
  member: 'List the members for the ids that there are.',
  'API key': 'List the API keys for the ids that there are.',
  'signing secret': 'GET /stripe lists those that there are.',
}

/** What an id can name. */
export type Noun = keyof typeof HINTS

export const notFound = (noun: Noun) =>
  new ApiError('not_found', `There is no ${noun} with this id. ${HINTS[noun]}`)

/**
 * Looks something up by the id of an address. Postgres would refuse an id that is no UUID.
 *
 * @throws {ApiError} `not_found`, also for what belongs to another workspace
 */
export const found = async <T>(
  noun: Noun,
  id: string,
  find: (id: string) => Promise<T | undefined>,
): Promise<T> => {
  const row = z.uuid().safeParse(id).success ? await find(id) : undefined
  if (row === undefined) throw notFound(noun)
  return row
}
