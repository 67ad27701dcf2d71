/** Applications as the API represents them. */
import type { ApplicationRow } from './applications.queries.ts'
import type { ApplicationResponse } from './applications.responses.ts'

export const applicationResponse = ({
  programName: _,
  name,
  promotion,
  isBlocked,
  ...application
}: ApplicationRow): ApplicationResponse => ({
  ...application,
  name: name || null,
  promotion: promotion || null,
  blocked: isBlocked,
})

/** The columns of the list as a file. */
export const APPLICATION_COLUMNS = [
  'id',
  'programId',
  'email',
  'name',
  'status',
  'siteUrl',
  'promotion',
  'answers',
  'agreementVersion',
  'appliedAt',
  'invitedAt',
  'invitedBy',
  'groupId',
  'decidedAt',
  'decidedBy',
  'reason',
  'blocked',
  'partnerId',
] as const satisfies readonly (keyof ApplicationResponse)[]
