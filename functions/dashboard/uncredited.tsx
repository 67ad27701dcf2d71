/** The page of sales and leads that nobody was credited with. */
import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { Empty, Filters, readFilters } from '../../lib/pages/filters.tsx'
import { saleAmount } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { NextPage, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { UncreditedQuery } from '../../lib/tracking/events.schemas.ts'
import { creditRefusalOf } from '../../lib/tracking/hand-credits.ts'
import { likelySince } from '../../lib/tracking/likely-credits.queries.ts'
import { explain } from '../../lib/tracking/steps.ts'
import { listUncredited, type UncreditedRow } from '../../lib/tracking/uncredited.queries.ts'
import { evidenceWords } from '../../lib/tracking/uncredited.ts'

/** Evidence is looked for in several tables, for each row. */
const PAGE_SIZE = 25

const LISTS = [
  { value: 'sales', label: 'Sales' },
  { value: 'likely', label: 'Recent, probably referred' },
  { value: 'leads', label: 'Leads' },
] as const

type RowProps = { base: string; event: UncreditedRow; isManager: boolean }

/** What a manager does about it: credit the partner, or open the page of one who is not active. */
const NextStep = ({ base, event }: Omit<RowProps, 'isManager'>) => {
  const partner = event.evidence?.partner
  if (creditRefusalOf(event.steps)) return null
  if (partner && !partner.isActive) return <a href={`${base}/partners/${partner.id}`}>View {partner.slug}</a>
  return (
    <a href={`${base}/events/${event.id}/credit`}>
      Credit {partner?.slug ?? 'by hand'}
      <span class="hidden"> with {event.externalId}</span>
    </a>
  )
}

const Row = ({ base, event, isManager }: RowProps) => {
  const { id, externalId, occurredAt, customerEmail, customerExternalId, steps, evidence } = event
  const reason = steps.at(-1)
  // The reason names the expired click already.
  const isSaid = reason?.code === 'expired_click' && evidence?.kind === 'click' && evidence.partner?.isActive
  return (
    <tr>
      <td>
        <Time at={occurredAt} />
      </td>
      <td class="id">
        <a href={`${base}/events/${id}`}>{externalId}</a>
      </td>
      <td class="number">{saleAmount(event)}</td>
      <td>{customerEmail ?? customerExternalId}</td>
      <td class="words">
        {reason && <div class="reason">{explain(reason, money)}</div>}
        <div>
          {evidence ? !isSaid && evidenceWords(evidence, occurredAt) : 'No evidence of a partner was found.'}{' '}
          {isManager && <NextStep base={base} event={event} />}
        </div>
      </td>
    </tr>
  )
}

/** /app/:workspace/uncredited: why nobody was credited, who may have referred the customer, and a link to credit that partner. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/uncredited', async (c) => {
  const { db, now, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const path = `${base}/uncredited`
  const isManager = workspace.role === 'manager'
  const { fields, data, errors } = readFilters(c, UncreditedQuery)
  const { show = 'sales', cursor } = data ?? {}
  const kind = show === 'leads' ? 'lead' : 'sale'
  const filter = { kind, cursor, likelySince: show === 'likely' ? likelySince(now) : undefined } as const
  const rows = data ? await listUncredited(db, workspace.id, { ...filter, limit: PAGE_SIZE + 1 }) : []
  const { data: events, nextCursor } = page(rows, PAGE_SIZE)
  const children = (
    <>
      <h1>Not credited</h1>
      <p>
        Sales and leads that no partner is credited with, with the reason and the nearest evidence of a
        partner.
      </p>
      <Filters
        what={`${kind}s`}
        path={path}
        fields={fields}
        errors={errors}
        filters={[{ name: 'show', label: 'Show', options: LISTS, value: show }]}
      />
      {events.length > 0 ? (
        <Table
          caption={kind === 'sale' ? 'Sales' : 'Leads'}
          head={[
            'Date',
            kind === 'sale' ? 'Sale' : 'Lead',
            { number: 'Amount' },
            'Customer',
            'Reason and nearest evidence',
          ]}
        >
          {events.map((event) => (
            <Row base={base} event={event} isManager={isManager} />
          ))}
        </Table>
      ) : (
        <Empty what={`${kind}s`} isFiltered={data === undefined || show === 'likely' || cursor !== undefined}>
          Every {kind} is credited to a partner, or none was reported yet.
        </Empty>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Not credited', section: '/uncredited', children }, errors ? 400 : 200)
})
