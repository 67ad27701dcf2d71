import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { COMMISSION_KIND_NAMES } from '../../../lib/languages/names.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { CommissionTable } from '../../../lib/pages/tables/commission-table.tsx'
import { FilteredRows, readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, partnerChip } from '../../../lib/pages/tables/filters.tsx'
import { sortingByTime } from '../../../lib/pages/tables/sorting.ts'
import { orderOf } from '../../../lib/tracking/ledger/commission-lists.queries.ts'
import { listCommissions } from '../../../lib/tracking/ledger/commissions.queries.ts'
import { CommissionQuery } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { CommissionActions } from './commissions-actions.tsx'

const STATUSES = [
  ANY,
  { value: 'held', label: m.commissions_held },
  { value: 'pending', label: m.balance_pending },
  { value: 'payable', label: m.balance_payable },
  { value: 'processing', label: m.balance_processing },
  { value: 'paid', label: m.balance_paid },
  { value: 'shadow', label: m.commissions_shadow },
]
const KINDS = [
  ANY,
  ...Object.entries(COMMISSION_KIND_NAMES).map(([value, name]) => ({
    value,
    label: inEnglish(name),
  })),
]

/** The column of each sort key. Commissions in payouts are sorted by payout. */
const SORTED = { id: 'created', payable_at: 'payableFrom', payout_id: 'status' } as const

/** /app/:workspace/commissions: the commissions of all partners. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/commissions', async (c) => {
  const t = textsOf(c)
  const { db, now, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const list = await readList(c, CommissionQuery, (request) =>
    listCommissions(db, workspace.id, request, now),
  )
  const { data: commissions, fields, request } = list
  const byTime = sortingByTime(`${base}/commissions`, fields, request?.order ?? 'desc')
  const mayHold = mayOpen(workspace, 'POST /commissions/change')
  const children = (
    <>
      <h1>{t(m.nav_commissions)}</h1>
      <p>{t(m.commissions_page_intro, { link: linkTo(`${base}/commissions/held`) })}</p>
      <FilteredRows
        {...{ workspace, list }}
        name="commissions"
        what={m.layout_items_commissions}
        url={c.req.url}
        filters={[
          { name: 'customerExternalId', label: m.commissions_customer_external_id, maxlength: 255 },
          { name: 'status', label: m.status, options: STATUSES },
          { name: 'kind', label: m.type_column, options: KINDS },
        ]}
        linked={{
          partnerId: partnerChip(commissions[0], t),
          eventId: t(m.layout_one_event),
          payoutId: t(m.commissions_one_payout),
          order: t(m.layout_oldest_first),
        }}
        none={t(m.commissions_none_yet)}
      >
        <CommissionTable
          {...{ base, commissions, now }}
          formId={mayHold ? 'chosen' : undefined}
          sorting={{ [SORTED[orderOf(request?.status)]]: byTime }}
        />
        {mayHold && <CommissionActions id="chosen" base={base} />}
      </FilteredRows>
    </>
  )
  return renderSection(c, '/commissions', m.nav_commissions, children, list.errors ? 400 : 200)
})
