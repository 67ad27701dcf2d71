import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { COMMISSION_KIND_NAMES } from '../../../lib/languages/names.ts'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { CommissionTable } from '../../../lib/pages/tables/commission-table.tsx'
import {
  ANY,
  areFilters,
  Empty,
  Filters,
  ListEnd,
  partnerChip,
  readFilters,
} from '../../../lib/pages/tables/filters.tsx'
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

/** The column that shows what a list is sorted by: of commissions in payouts, the payout. */
const SORTED = { id: 'created', payable_at: 'payableFrom', payout_id: 'status' } as const

/** /app/:workspace/commissions: the commissions of all partners. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/commissions', async (c) => {
  const t = textsOf(c)
  const { db, now, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, CommissionQuery)
  const rows = data
    ? await listCommissions(db, workspace.id, { ...data, limit: data.limit + 1 }, now)
    : []
  const { data: commissions, nextCursor } = page(rows, data?.limit ?? 0)
  const mayHold = mayOpen(workspace, 'POST /commissions/change')
  const children = (
    <>
      <h1>{t(m.nav_commissions)}</h1>
      <p>{t(m.commissions_page_intro, { link: linkTo(`${base}/commissions/held`) })}</p>
      <Filters
        what={m.layout_items_commissions}
        path={`${base}/commissions`}
        fields={fields}
        errors={errors}
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
      />
      {commissions.length > 0 ? (
        <>
          <CommissionTable
            base={base}
            commissions={commissions}
            now={now}
            formId={mayHold ? 'chosen' : undefined}
            sorting={{
              [SORTED[orderOf(data?.status)]]: sortingByTime(
                `${base}/commissions`,
                fields,
                data?.order ?? 'desc',
              ),
            }}
          />
          {mayHold && <CommissionActions id="chosen" base={base} />}
        </>
      ) : (
        <Empty what={m.layout_items_commissions} isFiltered={areFilters(fields)}>
          {t(m.commissions_none_yet)}
        </Empty>
      )}
      <ListEnd
        url={c.req.url}
        cursor={nextCursor}
        slug={workspace.slug}
        list="commissions"
        fields={fields}
        isEmpty={commissions.length === 0}
      />
    </>
  )
  return renderPage(
    c,
    { title: m.nav_commissions, section: '/commissions', children },
    errors ? 400 : 200,
  )
})
