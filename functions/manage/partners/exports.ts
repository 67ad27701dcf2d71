import {
  APPLICATION_COLUMNS,
  applicationResponse,
} from '../../../lib/applications/application-response.ts'
import { applicationsQuery } from '../../../lib/applications/applications.queries.ts'
import { ApplicationQuery } from '../../../lib/applications/applications.schemas.ts'
import { listAudit } from '../../../lib/audit/audit.queries.ts'
import type { AuditEntryResponse } from '../../../lib/audit/audit.responses.ts'
import { AuditQuery } from '../../../lib/audit/audit.schemas.ts'
import { member, reader, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { listCustomers } from '../../../lib/customers/customers.queries.ts'
import type { CustomerResponse } from '../../../lib/customers/customers.responses.ts'
import { CustomerQuery } from '../../../lib/customers/customers.schemas.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { query } from '../../../lib/http/validate.ts'
import { listMails } from '../../../lib/mail/mails.queries.ts'
import type { MailResponse } from '../../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../../lib/mail/mails.schemas.ts'
import { sendList } from '../../../lib/partners/changes/send-list.service.ts'
import { PARTNER_COLUMNS, partnerResponse } from '../../../lib/partners/lists/partner-response.ts'
import { listPartners } from '../../../lib/partners/lists/partners.queries.ts'
import { PartnerQuery } from '../../../lib/partners/lists/partners.schemas.ts'
import { payoutResponse } from '../../../lib/payouts/payout-response.ts'
import { payoutsQuery } from '../../../lib/payouts/payouts.queries.ts'
import type { PayoutResponse } from '../../../lib/payouts/payouts.responses.ts'
import { PayoutQuery } from '../../../lib/payouts/payouts.schemas.ts'
import { overdueSince } from '../../../lib/rules/purchases/expected-sales.ts'
import {
  MISMATCH_COLUMNS,
  mismatchResponse,
} from '../../../lib/tracking/checks/mismatch-response.ts'
import { listMismatches } from '../../../lib/tracking/checks/mismatches.queries.ts'
import { eventResponse } from '../../../lib/tracking/events/event-response.ts'
import { listEvents } from '../../../lib/tracking/events/events.queries.ts'
import type { EventResponse } from '../../../lib/tracking/events/events.responses.ts'
import { EventQuery, MismatchQuery } from '../../../lib/tracking/events/events.schemas.ts'
import { commissionResponse } from '../../../lib/tracking/ledger/commission-response.ts'
import { listCommissions } from '../../../lib/tracking/ledger/commissions.queries.ts'
import type { CommissionResponse } from '../../../lib/tracking/ledger/commissions.responses.ts'
import { CommissionQuery } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { customerResponse } from '../customers.ts'
import { mailResponse } from '../programs/mails.ts'
import { auditEntryResponse } from '../workspace/audit.ts'

/** The columns are fields of the API's representation. */
type Columns<Response> = readonly (keyof Response & string)[]

const CUSTOMERS: Columns<CustomerResponse> = [
  'id',
  'externalId',
  'email',
  'name',
  'partnerId',
  'importedAt',
  'startedAt',
  'prior',
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
  'lines',
  'customerCountry',
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
  'bonus',
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
const AUDIT: Columns<AuditEntryResponse> = [
  'id',
  'actor',
  'action',
  'subjectId',
  'details',
  'createdAt',
]

const path = <L extends string>(list: L) => `/api/workspaces/:workspace/export/${list}.csv` as const

/** GET /export/:list.csv: the API's lists as files, with the same filters and roles. */
export default createRoutes<WorkspaceEnv>()
  .get(path('partners'), reader(), expensive(), query(PartnerQuery), (c) => {
    const { slug: slugKey, ...filter } = c.req.valid('query')
    return sendList(c, 'partners', PARTNER_COLUMNS, { ...filter, slugKey }, async (db, page) =>
      (await listPartners(db, c.var.workspace.id, page)).map(partnerResponse),
    )
  })
  .get(path('applications'), reader(), expensive(), query(ApplicationQuery), (c) =>
    sendList(c, 'applications', APPLICATION_COLUMNS, c.req.valid('query'), async (db, page) =>
      (await applicationsQuery(db, c.var.workspace.id, page).execute()).map(applicationResponse),
    ),
  )
  .get(path('customers'), reader(), expensive(), query(CustomerQuery), (c) =>
    sendList(c, 'customers', CUSTOMERS, c.req.valid('query'), async (db, page) =>
      (await listCustomers(db, c.var.workspace.id, page)).map(customerResponse),
    ),
  )
  .get(path('events'), reader(), expensive(), query(EventQuery), (c) => {
    const { overdue, ...filter } = c.req.valid('query')
    const expectedBefore = overdue ? overdueSince(c.var.now) : undefined
    return sendList(c, 'events', EVENTS, { ...filter, expectedBefore }, async (db, page) =>
      (await listEvents(db, c.var.workspace.id, page)).map((event) =>
        eventResponse(event, c.var.now),
      ),
    )
  })
  .get(path('mismatches'), reader(), expensive(), query(MismatchQuery), (c) =>
    sendList(c, 'mismatches', MISMATCH_COLUMNS, c.req.valid('query'), async (db, page) =>
      (await listMismatches(db, c.var.workspace.id, page)).map(mismatchResponse),
    ),
  )
  .get(path('commissions'), reader(), expensive(), query(CommissionQuery), (c) =>
    sendList(c, 'commissions', COMMISSIONS, c.req.valid('query'), async (db, page) =>
      (await listCommissions(db, c.var.workspace.id, page, c.var.now)).map((commission) =>
        commissionResponse(commission, c.var.now),
      ),
    ),
  )
  .get(path('payouts'), member(), expensive(), query(PayoutQuery), (c) =>
    sendList(c, 'payouts', PAYOUTS, c.req.valid('query'), async (db, page) =>
      (await payoutsQuery(db, c.var.workspace.id, page).execute()).map(payoutResponse),
    ),
  )
  .get(path('mails'), member(), expensive(), query(MailQuery), (c) =>
    sendList(c, 'mails', MAILS, c.req.valid('query'), async (db, page) =>
      (await listMails(db, c.var.workspace.id, page)).map(mailResponse),
    ),
  )
  .get(path('audit'), member(), expensive(), query(AuditQuery), (c) =>
    sendList(c, 'audit', AUDIT, c.req.valid('query'), async (db, page) =>
      (await listAudit(db, c.var.workspace.id, page)).map(auditEntryResponse),
    ),
  )
