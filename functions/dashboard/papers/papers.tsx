import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page } from '../../../lib/http/lists.ts'
import { query } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noSuchPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { MAX_LINES, Statement } from '../../../lib/pages/tables/statement.tsx'
import { NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import { StatementQuery } from '../../../lib/papers/papers.schemas.ts'
import {
  listPaidInYear,
  listYears,
  type PaidInYear,
} from '../../../lib/papers/payout-years.queries.ts'
import { statementOf } from '../../../lib/papers/statement.service.ts'
import { pageOfPartners } from '../../../lib/payouts/balances/balances.ts'
import { monthsSince } from '../../../lib/rules/statements/statements.ts'

const YearTable = ({ paid }: { paid: PaidInYear[] }) => (
  <Table
    caption={t(m.partners_paid_per_partner)}
    head={[
      t(m.partner),
      t(m.country),
      t(m.party_vat_id),
      t(m.nav_documents),
      { number: t(m.nav_payouts) },
      { number: t(m.balance_paid) },
      { number: t(m.partners_came_back) },
      { number: t(m.partners_net) },
    ]}
  >
    {paid.map((row) => (
      <tr>
        <td>
          {row.name ? (
            <>
              <bdi>{row.name}</bdi>, {row.email}
            </>
          ) : (
            row.email
          )}
        </td>
        <td>{row.country}</td>
        <td>{row.vatId}</td>
        <td>{row.documentsReceived ? t(m.partners_received) : t(m.partners_missing)}</td>
        <td class="number">{figure(row.payouts)}</td>
        <td class="number">{money(row.stripeCents + row.manualCents, row.currency)}</td>
        <td class="number">{money(row.returnedCents, row.currency)}</td>
        <td class="number">{money(row.netCents, row.currency)}</td>
      </tr>
    ))}
  </Table>
)

const PAYOUTS = '/app/:workspace/payouts'

/** Partners' statements, and the payments of a year by partner. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/partners/:id/statement', expensive(), query(StatementQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { month } = c.req.valid('query')
    const read = await found('partner', c.req.param('id'), (partnerId) =>
      statementOf(db, { of: { workspaceId: workspace.id }, partnerId, month, now }, MAX_LINES + 1),
    )
    const { id, createdAt } = read.partner
    const children = (
      <Statement
        {...read}
        months={monthsSince(createdAt, now)}
        path={`/app/${workspace.slug}/partners/${id}/statement`}
        csv={`/api/workspaces/${workspace.slug}/partners/${id}/statement?month=${read.month.key}&format=csv`}
      />
    )
    return renderSection(c, '/partners', m.statement, children)
  })
  .get(`${PAYOUTS}/years`, async (c) => {
    const { db, now, workspace } = c.var
    const years = await listYears(db, workspace.id)
    return c.redirect(
      `/app/${workspace.slug}/payouts/years/${years[0] ?? now.getUTCFullYear()}`,
      302,
    )
  })
  .get(`${PAYOUTS}/years/:year{[2][0-9][0-9][0-9]}`, expensive(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const t = textsOf(c)
    const { cursor, limit } = c.req.valid('query')
    const year = Number(c.req.param('year'))
    if (!Number.isInteger(year)) throw noSuchPage()
    const [rows, years] = await Promise.all([
      listPaidInYear(db, workspace.id, year, { cursor, limit: limit + 1 }),
      listYears(db, workspace.id),
    ])
    const { data: paid, nextCursor } = pageOfPartners(rows, limit)
    const children = (
      <>
        <h1>{t(m.partners_paid_in, { year: String(year) })}</h1>
        <p class="noprint">
          {t(m.partners_each_person_paid, {
            link: linkTo(`/api/workspaces/${workspace.slug}/payout-years/${year}?format=csv`),
          })}
        </p>
        {years.length > 1 && (
          <nav class="periods noprint" aria-label={t(m.partners_year)}>
            {years.map((one) => (
              <a
                href={`/app/${workspace.slug}/payouts/years/${one}`}
                aria-current={one === year ? 'true' : undefined}
              >
                {one}
              </a>
            ))}
          </nav>
        )}
        {paid.length > 0 ? (
          <YearTable paid={paid} />
        ) : (
          <p class="empty">{t(m.partners_nobody_paid, { year: String(year) })}</p>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderSection(c, '/payouts', t(m.partners_paid_in, { year: String(year) }), children)
  })
