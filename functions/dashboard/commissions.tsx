import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { inEnglish } from '../../lib/languages/message.ts'
import { COMMISSION_KIND_NAMES } from '../../lib/languages/names.ts'
import { areFilters, Empty, Filters, ListEnd, partnerChip, readFilters } from '../../lib/pages/filters.tsx'
import { CommissionTable } from '../../lib/pages/ledger.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { sortingByTime } from '../../lib/pages/sorting.ts'
import { orderOf } from '../../lib/tracking/commission-lists.queries.ts'
import { listCommissions } from '../../lib/tracking/commissions.queries.ts'
import { CommissionQuery } from '../../lib/tracking/commissions.schemas.ts'
import { CommissionActions } from './commissions-actions.tsx'

const ANY = { value: '', label: 'Any' }
const STATUSES = [
  ANY,
  { value: 'held', label: 'Held' },
  { value: 'pending', label: 'Pending' },
  { value: 'payable', label: 'Payable' },
  { value: 'processing', label: 'Processing' },
  { value: 'paid', label: 'Paid' },
  { value: 'shadow', label: 'Shadow' },
]
const KINDS = [
  ANY,
  ...Object.entries(COMMISSION_KIND_NAMES).map(([value, name]) => ({ value, label: inEnglish(name) })),
]

/** The column that shows what a list is sorted by: of commissions in payouts, the payout. */
const SORTED = { id: 'created', payable_at: 'payableFrom', payout_id: 'status' } as const

/** /app/:workspace/commissions: the commissions of all partners. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/commissions', async (c) => {
  const { db, now, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, CommissionQuery)
  const rows = data ? await listCommissions(db, workspace.id, { ...data, limit: data.limit + 1 }, now) : []
  const { data: commissions, nextCursor } = page(rows, data?.limit ?? 0)
  const isManager = workspace.role === 'manager'
  const children = (
    <>
      <h1>Commissions</h1>
      <p>
        A commission is pending during the program’s holding period, then payable, then paid by a payout.
        Refunds and disputes add reversals. Open an event to see how its commission was calculated.{' '}
        <a href={`${base}/commissions/held`}>Review held commissions</a>
      </p>
      <Filters
        what="commissions"
        path={`${base}/commissions`}
        fields={fields}
        errors={errors}
        filters={[
          { name: 'customerExternalId', label: 'Customer external ID', maxlength: 255 },
          { name: 'status', label: 'Status', options: STATUSES },
          { name: 'kind', label: 'Type', options: KINDS },
        ]}
        linked={{
          partnerId: partnerChip(commissions[0]),
          eventId: 'One event',
          payoutId: 'One payout',
          order: 'Oldest first',
        }}
      />
      {commissions.length > 0 ? (
        <>
          <CommissionTable
            base={base}
            commissions={commissions}
            now={now}
            formId={isManager ? 'chosen' : undefined}
            sorting={{
              [SORTED[orderOf(data?.status)]]: sortingByTime(
                `${base}/commissions`,
                fields,
                data?.order ?? 'desc',
              ),
            }}
          />
          {isManager && <CommissionActions id="chosen" base={base} />}
        </>
      ) : (
        <Empty what="commissions" isFiltered={areFilters(fields)}>
          No commissions yet. They appear here when a partner’s sale or lead is rewarded.
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
  return renderPage(c, { title: 'Commissions', section: '/commissions', children }, errors ? 400 : 200)
})
