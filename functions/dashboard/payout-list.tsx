import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { areFilters, Empty, Filters, ListEnd, partnerChip, readFilters } from '../../lib/pages/filters.tsx'
import { PayoutTable } from '../../lib/pages/payout-table.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { sortingByTime } from '../../lib/pages/sorting.ts'
import { textsOf } from '../../lib/pages/text.ts'
import { payoutsQuery } from '../../lib/payouts/payouts.queries.ts'
import { PayoutQuery } from '../../lib/payouts/payouts.schemas.ts'

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'processing', label: 'Processing' },
  { value: 'paid', label: 'Paid' },
  { value: 'failed', label: 'Failed' },
  { value: 'canceling', label: 'Canceling' },
  { value: 'canceled', label: 'Canceled' },
  { value: 'reversed', label: 'Reversed' },
  { value: 'returned', label: 'Returned' },
]

/** /app/:workspace/payouts/all: the payouts of all runs. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/payouts/all', async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, PayoutQuery)
  const rows = data ? await payoutsQuery(db, workspace.id, { ...data, limit: data.limit + 1 }).execute() : []
  const { data: payouts, nextCursor } = page(rows, data?.limit ?? 0)
  const children = (
    <>
      <h1>All payouts</h1>
      <Filters
        what="payouts"
        path={`${base}/payouts/all`}
        fields={fields}
        errors={errors}
        filters={[{ name: 'status', label: 'Status', options: STATUSES }]}
        linked={{ partnerId: partnerChip(payouts[0], textsOf(c)), runId: 'One run', order: 'Oldest first' }}
      />
      {payouts.length > 0 ? (
        <PayoutTable
          base={base}
          payouts={payouts}
          isManager={workspace.role === 'manager'}
          byTime={sortingByTime(`${base}/payouts/all`, fields, data?.order ?? 'desc')}
        />
      ) : (
        <Empty what="payouts" isFiltered={areFilters(fields)}>
          No payouts yet. They appear here once a payout run has started.
        </Empty>
      )}
      <ListEnd
        url={c.req.url}
        cursor={nextCursor}
        slug={workspace.slug}
        list="payouts"
        fields={fields}
        isEmpty={payouts.length === 0}
      />
    </>
  )
  return renderPage(c, { title: 'All payouts', section: '/payouts', children }, errors ? 400 : 200)
})
