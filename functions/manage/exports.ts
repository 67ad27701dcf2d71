import type { Context } from 'hono'
import { actOf, manager, member, reader, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { listCustomers } from '../../lib/customers/customers.queries.ts'
import type { CustomerResponse } from '../../lib/customers/customers.responses.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { connect, type Db } from '../../lib/db/connection.ts'
import type { PageRequest } from '../../lib/db/page-request.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { EXPORT_PAGE, streamCsv } from '../../lib/http/csv-stream.ts'
import { query } from '../../lib/http/validate.ts'
import { listMails } from '../../lib/mail/mails.queries.ts'
import type { MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { payoutResponse } from '../../lib/payouts/payout-response.ts'
import { payoutsQuery } from '../../lib/payouts/payouts.queries.ts'
import type { PayoutResponse } from '../../lib/payouts/payouts.responses.ts'
import { PayoutQuery } from '../../lib/payouts/payouts.schemas.ts'
import { overdueSince } from '../../lib/purchases/expected-sales.ts'
import { commissionResponse } from '../../lib/tracking/commission-response.ts'
import { listCommissions } from '../../lib/tracking/commissions.queries.ts'
import type { CommissionResponse } from '../../lib/tracking/commissions.responses.ts'
import { CommissionQuery } from '../../lib/tracking/commissions.schemas.ts'
import { eventResponse } from '../../lib/tracking/event-response.ts'
import { listEvents } from '../../lib/tracking/events.queries.ts'
import type { EventResponse } from '../../lib/tracking/events.responses.ts'
import { EventQuery } from '../../lib/tracking/events.schemas.ts'
import { listAudit, recordExport } from '../../lib/workspace/audit.queries.ts'
import type { AuditEntryResponse } from '../../lib/workspace/audit.responses.ts'
import { AuditQuery } from '../../lib/workspace/audit.schemas.ts'
import { partnerResponse } from '../../lib/workspace/partner-response.ts'
import { listPartners } from '../../lib/workspace/partners.queries.ts'
import type { PartnerResponse } from '../../lib/workspace/partners.responses.ts'
import { PartnerQuery } from '../../lib/workspace/partners.schemas.ts'
import { auditEntryResponse } from './audit.ts'
import { customerResponse } from './customers.ts'
import { mailResponse } from './mails.ts'

/** The columns are the fields of the API's representation. */
type Columns<Response> = readonly (keyof Response & string)[]

const PARTNERS: Columns<PartnerResponse> = [
  'id',
  'programId',
  'email',
  'name',
  'slug',
  'groupId',
  'status',
  'link',
  'minimumPayoutCents',
  'documentsReceivedAt',
  'payoutAccount',
  'coupons',
]
const CUSTOMERS: Columns<CustomerResponse> = [
  'id',
  'externalId',
  'email',
  'name',
  'partnerId',
  'importedAt',
  'startedAt',
  'identities',
]
const EVENTS: Columns<EventResponse> = [
  'id',
  'kind',
  'externalId',
  'eventName',
  'attributed',
  'attributedBy',
  'partner',
  'customer',
  'amountCents',
  'currency',
  'sale',
  'metadata',
  'occurredAt',
  'commission',
  'steps',
]
const COMMISSIONS: Columns<CommissionResponse> = [
  'id',
  'kind',
  'amountCents',
  'currency',
  'status',
  'payableAt',
  'createdAt',
  'partnerId',
  'customerExternalId',
  'eventId',
  'reversesId',
  'payoutId',
  'hold',
  'adjustment',
]
const PAYOUTS: Columns<PayoutResponse> = [
  'id',
  'reference',
  'runId',
  'partnerId',
  'programId',
  'currency',
  'amountCents',
  'status',
  'method',
  'createdAt',
  'paidAt',
  'failedAt',
  'cancelRequestedAt',
  'lookedUpUntil',
  'canceledAt',
  'lastError',
  'transferId',
  'bankStatus',
  'reversedCents',
  'reversedAt',
  'releasedAt',
  'unreachableSince',
  'resolvedAt',
  'resolutionReason',
  'foundTransferId',
  'returnedAt',
  'returnReason',
]
const MAILS: Columns<MailResponse> = [
  'id',
  'kind',
  'to',
  'partnerId',
  'status',
  'attempts',
  'lastError',
  'createdAt',
  'nextAttemptAt',
  'sentAt',
  'failedAt',
]
const AUDIT: Columns<AuditEntryResponse> = ['id', 'actor', 'action', 'subjectId', 'details', 'createdAt']

/** The filters of a list, without the size of its pages. */
type Filter = { cursor?: string | undefined; limit: number }

/**
 * Sends a list as a file, which the audit log records before.
 *
 * @param read a page of the list, on a connection of its own: each has the deadline of one call
 */
const send = async <R extends { id: string }, F extends Filter>(
  c: Context<WorkspaceEnv>,
  list: string,
  columns: readonly (keyof R & string)[],
  { cursor, limit: _, ...filter }: F,
  read: (db: Db, page: Omit<F, 'cursor' | 'limit'> & PageRequest) => Promise<R[]>,
) => {
  await recordExport(c.var.db, actOf(c), {
    action: 'list.exported',
    subjectId: null,
    details: { list, filter: JSON.parse(JSON.stringify(filter)) },
  })
  const stream = await streamCsv(
    columns,
    (after) => read(connect(c.env), { ...filter, cursor: after, limit: EXPORT_PAGE }),
    cursor,
  )
  return c.body(stream, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${list}.csv"`,
    'Cache-Control': 'no-store',
  })
}

const path = <L extends string>(list: L) => `/api/workspaces/:workspace/export/${list}.csv` as const

/** GET /export/:list.csv: the lists of the API as files, with their filters and for whoever may read them. */
export default createRoutes<WorkspaceEnv>()
  .get(path('partners'), reader(), query(PartnerQuery), (c) => {
    const { slug: slugKey, ...filter } = c.req.valid('query')
    return send(c, 'partners', PARTNERS, { ...filter, slugKey }, async (db, page) =>
      (await listPartners(db, c.var.workspace.id, page)).map(partnerResponse),
    )
  })
  .get(path('customers'), reader(), query(CustomerQuery), (c) =>
    send(c, 'customers', CUSTOMERS, c.req.valid('query'), async (db, page) =>
      (await listCustomers(db, c.var.workspace.id, page)).map(customerResponse),
    ),
  )
  .get(path('events'), reader(), query(EventQuery), (c) => {
    const { overdue, ...filter } = c.req.valid('query')
    const expectedBefore = overdue ? overdueSince(c.var.now) : undefined
    return send(c, 'events', EVENTS, { ...filter, expectedBefore }, async (db, page) =>
      (await listEvents(db, c.var.workspace.id, page)).map((event) => eventResponse(event, c.var.now)),
    )
  })
  .get(path('commissions'), reader(), query(CommissionQuery), (c) =>
    send(c, 'commissions', COMMISSIONS, c.req.valid('query'), async (db, page) =>
      (await listCommissions(db, c.var.workspace.id, page, c.var.now)).map((commission) =>
        commissionResponse(commission, c.var.now),
      ),
    ),
  )
  .get(path('payouts'), member(), query(PayoutQuery), (c) =>
    send(c, 'payouts', PAYOUTS, c.req.valid('query'), async (db, page) =>
      (await payoutsQuery(db, c.var.workspace.id, page).execute()).map(payoutResponse),
    ),
  )
  .get(path('mails'), manager(), query(MailQuery), (c) =>
    send(c, 'mails', MAILS, c.req.valid('query'), async (db, page) =>
      (await listMails(db, c.var.workspace.id, page)).map(mailResponse),
    ),
  )
  .get(path('audit'), manager(), query(AuditQuery), (c) =>
    send(c, 'audit', AUDIT, c.req.valid('query'), async (db, page) =>
      (await listAudit(db, c.var.workspace.id, page)).map(auditEntryResponse),
    ),
  )
