import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { FilteredRows, readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, partnerChip } from '../../../lib/pages/tables/filters.tsx'
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
  const list = await readList(c, PayoutQuery, (request) =>
    payoutsQuery(db, workspace.id, request).execute(),
  )
  const { data: payouts, fields, request } = list
  const children = (
    <>
      <h1>{t(m.payouts_all_payouts)}</h1>
      <FilteredRows
        {...{ workspace, list }}
        name="payouts"
        path="payouts/all"
        what={m.layout_items_payouts}
        url={c.req.url}
        filters={[{ name: 'status', label: m.status, options: STATUSES }]}
        linked={{
          partnerId: partnerChip(payouts[0], t),
          runId: t(m.payouts_one_run),
          order: t(m.layout_oldest_first),
        }}
        none={t(m.payouts_no_payouts_yet)}
      >
        <PayoutTable
          {...{ base, payouts }}
          mayPay={mayOpen(workspace, 'POST /payouts/:id/cancel')}
          byTime={sortingByTime(`${base}/payouts/all`, fields, request?.order ?? 'desc')}
        />
      </FilteredRows>
    </>
  )
  return renderSection(c, '/payouts', m.payouts_all_payouts, children, list.errors ? 400 : 200)
})
