import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import {
  ANY,
  areFilters,
  Empty,
  Filters,
  ListEnd,
  partnerChip,
  readFilters,
} from '../../../lib/pages/tables/filters.tsx'
import { PayoutTable } from '../../../lib/pages/tables/payout-table.tsx'
import { sortingByTime } from '../../../lib/pages/tables/sorting.ts'
import { payoutsQuery } from '../../../lib/payouts/payouts.queries.ts'
import { PayoutQuery } from '../../../lib/payouts/payouts.schemas.ts'

const STATUSES = [
  ANY,
  { value: 'processing', label: m.balance_processing },
  { value: 'paid', label: m.balance_paid },
  { value: 'failed', label: m.payouts_failed },
  { value: 'canceling', label: m.payouts_canceling },
  { value: 'canceled', label: m.payouts_canceled },
  { value: 'reversed', label: m.payouts_reversed },
  { value: 'returned', label: m.payouts_returned },
]

/** /app/:workspace/payouts/all: the payouts of all runs. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/payouts/all', async (c) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, PayoutQuery)
  const rows = data
    ? await payoutsQuery(db, workspace.id, { ...data, limit: data.limit + 1 }).execute()
    : []
  const { data: payouts, nextCursor } = page(rows, data?.limit ?? 0)
  const children = (
    <>
      <h1>{t(m.payouts_all_payouts)}</h1>
      <Filters
        what={m.layout_items_payouts}
        path={`${base}/payouts/all`}
        fields={fields}
        errors={errors}
        filters={[
          {
            name: 'status',
            label: t(m.status),
            options: STATUSES,
          },
        ]}
        linked={{
          partnerId: partnerChip(payouts[0], t),
          runId: t(m.payouts_one_run),
          order: t(m.layout_oldest_first),
        }}
      />
      {payouts.length > 0 ? (
        <PayoutTable
          base={base}
          payouts={payouts}
          mayPay={mayOpen(workspace, 'POST /payouts/:id/cancel')}
          byTime={sortingByTime(`${base}/payouts/all`, fields, data?.order ?? 'desc')}
        />
      ) : (
        <Empty what={m.layout_items_payouts} isFiltered={areFilters(fields)}>
          {t(m.payouts_no_payouts_yet)}
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
  return renderPage(
    c,
    { title: m.payouts_all_payouts, section: '/payouts', children },
    errors ? 400 : 200,
  )
})
