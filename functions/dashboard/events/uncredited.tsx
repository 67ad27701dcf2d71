import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { saleAmount } from '../../../lib/pages/tables/event-table.tsx'
import { Empty, Filters, readFilters } from '../../../lib/pages/tables/filters.tsx'
import { NextPage, Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import { creditRefusalOf } from '../../../lib/rules/attribution/hand-credits.ts'
import { noticedSince } from '../../../lib/tracking/checks/findings.ts'
import {
  listUncredited,
  type UncreditedRow,
} from '../../../lib/tracking/checks/uncredited.queries.ts'
import { evidenceWords } from '../../../lib/tracking/checks/uncredited.ts'
import { UncreditedQuery } from '../../../lib/tracking/events/events.schemas.ts'
import { explain } from '../../../lib/tracking/events/explain.ts'

/** Finding the evidence of a row reads several tables. */
const PAGE_SIZE = 25

const LISTS = [
  { value: 'sales', label: m.sales },
  { value: 'likely', label: m.events_recent_probably_referred },
  { value: 'leads', label: m.leads },
] as const

type RowProps = { base: string; event: UncreditedRow; mayCredit: boolean }

/** Credits the partner, or opens the page of an inactive partner. */
const NextStep = ({ base, event }: Omit<RowProps, 'mayCredit'>) => {
  const partner = event.evidence?.partner
  if (creditRefusalOf(event.steps)) return null
  if (partner && !partner.isActive)
    return <a href={`${base}/partners/${partner.id}`}>{t(m.events_view, { slug: partner.slug })}</a>
  return (
    <a href={`${base}/events/${event.id}/credit`}>
      {partner
        ? t(m.events_credit_partner, { slug: partner.slug, externalId: event.externalId, hidden })
        : t(m.events_credit_by_hand, { externalId: event.externalId, hidden })}
    </a>
  )
}

const Row = ({ base, event, mayCredit }: RowProps) => {
  const { id, externalId, occurredAt, customerEmail, customerExternalId, steps, evidence } = event
  const reason = steps.at(-1)
  // The reason already names the expired click.
  const isSaid =
    reason?.code === 'expired_click' && evidence?.kind === 'click' && evidence.partner?.isActive
  return (
    <tr>
      <TimeCell at={occurredAt} />
      <td class="id">
        <a href={`${base}/events/${id}`}>{externalId}</a>
      </td>
      <td class="number">{saleAmount(event)}</td>
      <td>{customerEmail ?? customerExternalId}</td>
      <td class="words">
        {reason && <div class="reason">{explain(reason, money)}</div>}
        <div>
          {evidence
            ? !isSaid && evidenceWords(t, evidence, occurredAt)
            : t(m.events_no_evidence_partner)}{' '}
          {mayCredit && <NextStep base={base} event={event} />}
        </div>
      </td>
    </tr>
  )
}

/**
 * /app/:workspace/uncredited: events without a partner, with the reason and a link that credits the
 * likely one.
 */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/uncredited', async (c) => {
  const { db, now, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const path = `${base}/uncredited`
  const mayCredit = mayOpen(workspace, 'POST /events/:id/credit')
  const { fields, data, errors } = readFilters(c, UncreditedQuery)
  const { show = 'sales', cursor } = data ?? {}
  const kind = show === 'leads' ? 'lead' : 'sale'
  const filter = {
    kind,
    cursor,
    likelySince: show === 'likely' ? noticedSince(now) : undefined,
  } as const
  const rows = data
    ? await listUncredited(db, workspace.id, { ...filter, limit: PAGE_SIZE + 1 })
    : []
  const { data: events, nextCursor } = page(rows, PAGE_SIZE)
  const children = (
    <>
      <h1>{t(m.not_credited)}</h1>
      <p>{t(m.events_sales_leads_no)}</p>
      <Filters
        what={`${kind}s`}
        path={path}
        fields={fields}
        errors={errors}
        filters={[
          {
            name: 'show',
            label: t(m.show),
            options: LISTS,
            value: show,
          },
        ]}
      />
      {events.length > 0 ? (
        <Table
          caption={kind === 'sale' ? t(m.sales) : t(m.leads)}
          head={[
            t(m.date_column),
            kind === 'sale' ? t(m.kind_sale) : t(m.kind_lead),
            { number: t(m.amount_column) },
            t(m.layout_customer),
            t(m.events_reason_nearest_evidence),
          ]}
        >
          {events.map((event) => (
            <Row base={base} event={event} mayCredit={mayCredit} />
          ))}
        </Table>
      ) : (
        <Empty
          what={`${kind}s`}
          isFiltered={data === undefined || show === 'likely' || cursor !== undefined}
        >
          {t(m.events_every_credited_partner, { kind })}
        </Empty>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderSection(c, '/uncredited', m.not_credited, children, errors ? 400 : 200)
})
