import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { ApplicationQuery } from '../../lib/applications/applications.schemas.ts'
import { AuditQuery } from '../../lib/audit/audit.schemas.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { PartnerQuery } from '../../lib/partners/lists/partners.schemas.ts'
import { PayoutQuery } from '../../lib/payouts/payouts.schemas.ts'
import { StatsResponse } from '../../lib/totals/stats.responses.ts'
import { StatsQuery } from '../../lib/totals/stats.schemas.ts'
import { EventQuery, MismatchQuery } from '../../lib/tracking/events/events.schemas.ts'
import { CommissionQuery } from '../../lib/tracking/ledger/commissions.schemas.ts'
import { list, managersOnly, membersOnly, returning, WORKSPACE } from '../operations.ts'

const file = (what: string, query: z.ZodObject): ZodOpenApiOperationObject => {
  const operation = list(
    `Export ${what} as a file, newest first`,
    z.object(),
    query.omit({ limit: true }),
  )
  return {
    ...operation,
    responses: {
      ...operation.responses,
      200: {
        description: 'The filtered list. The first line has the names of the API’s fields.',
        content: { 'text/csv': { schema: z.string() } },
      },
    },
  }
}

export const reports: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/stats`]: {
    get: returning(
      list(
        'Get statistics of a period, by day, partner, program, landing page, referrer or sub',
        StatsResponse,
        StatsQuery,
      ),
      'The sums.',
      StatsResponse,
    ),
  },
  [`${WORKSPACE}/export/partners.csv`]: { get: file('partners', PartnerQuery) },
  [`${WORKSPACE}/export/applications.csv`]: { get: file('applications', ApplicationQuery) },
  [`${WORKSPACE}/export/customers.csv`]: { get: file('customers', CustomerQuery) },
  [`${WORKSPACE}/export/events.csv`]: { get: file('events', EventQuery) },
  [`${WORKSPACE}/export/mismatches.csv`]: { get: file('mismatches', MismatchQuery) },
  [`${WORKSPACE}/export/commissions.csv`]: { get: file('commissions', CommissionQuery) },
  [`${WORKSPACE}/export/payouts.csv`]: { get: membersOnly(file('payouts', PayoutQuery)) },
  [`${WORKSPACE}/export/mails.csv`]: { get: managersOnly(file('mails', MailQuery)) },
  [`${WORKSPACE}/export/audit.csv`]: { get: managersOnly(file('the audit log', AuditQuery)) },
}
