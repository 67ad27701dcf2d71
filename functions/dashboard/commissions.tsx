import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { Filters, readFilters } from '../../lib/pages/filters.tsx'
import { COMMISSION_KINDS, CommissionTable } from '../../lib/pages/ledger.tsx'
import { Field, NextPage, Select } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { listCommissions } from '../../lib/tracking/commissions.queries.ts'
import { CommissionQuery } from '../../lib/tracking/commissions.schemas.ts'

const ANY = { value: '', label: 'Any' }
const STATUSES = [
  ANY,
  { value: 'pending', label: 'Pending' },
  { value: 'payable', label: 'Payable' },
  { value: 'processing', label: 'On its way' },
  { value: 'paid', label: 'Paid' },
]
const KINDS = [ANY, ...Object.entries(COMMISSION_KINDS).map(([value, label]) => ({ value, label }))]

/** /app/:workspace/commissions: what partners have earned. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/commissions', async (c) => {
  const { db, now, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, CommissionQuery)
  const rows = data ? await listCommissions(db, workspace.id, { ...data, limit: data.limit + 1 }, now) : []
  const { data: commissions, nextCursor } = page(rows, data?.limit ?? 0)
  const children = (
    <>
      <h1>Commissions</h1>
      <p>
        A commission is pending while it is held for refunds, and payable after that. A payout takes it on its
        way, and it is paid once that is sent. What it was for, and why it is as much as it is, its event
        says. A row never changes: what a refund or a dispute takes back is a reversal, with a row of its own.
      </p>
      <Filters
        what="commissions"
        path={`${base}/commissions`}
        fields={fields}
        errors={errors}
        kept={{
          partnerId: 'Only those of one partner.',
          eventId: 'Only those of one event.',
          payoutId: 'Only those of one payout.',
        }}
      >
        <Field
          label="Customer’s external id"
          name="customerExternalId"
          type="search"
          maxlength={255}
          value={fields.customerExternalId}
          errors={errors}
        />
        <Select label="Status" name="status" options={STATUSES} value={fields.status} errors={errors} />
        <Select label="For" name="kind" options={KINDS} value={fields.kind} errors={errors} />
      </Filters>
      {commissions.length > 0 ? (
        <CommissionTable base={base} commissions={commissions} now={now} />
      ) : (
        <p class="empty">
          {Object.keys(fields).length > 0 ? 'No commission is like that.' : 'Nobody has earned anything yet.'}
        </p>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Commissions', section: '/commissions', children }, errors ? 400 : 200)
})
