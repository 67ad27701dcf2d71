import type { MismatchResponse } from '../events/events.responses.ts'
import type { MismatchRow } from './mismatches.queries.ts'

export const mismatchResponse = ({
  firstAt,
  lastAt,
  ...mismatch
}: MismatchRow): MismatchResponse => ({
  ...mismatch,
  firstReportedAt: firstAt,
  lastReportedAt: lastAt,
})

/** Of the list as a file. */
export const MISMATCH_COLUMNS = [
  'id',
  'eventId',
  'kind',
  'externalId',
  'differences',
  'reports',
  'firstReportedAt',
  'lastReportedAt',
] as const satisfies (keyof MismatchResponse)[]
