/** The partners, landing pages and referrers with the highest figures of a period. */

import * as m from '../../../lib/languages/messages.ts'
import type { TopPartnerRow } from '../../../lib/overview/top-partners.queries.ts'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import type { StatsRow } from '../../../lib/totals/stats.queries.ts'
import { DIRECT } from '../../../lib/totals/stats.ts'

const sum = (rows: StatsRow[], column: 'clicks' | 'sales'): string =>
  figure(rows.reduce((total, row) => total + row[column], 0n))

type TopLandingsProps = {
  heading: string
  column: string
  empty: string
  rows: StatsRow[]
  nameOf: (key: string | null) => string
}

/** A list of pages or hosts. Each row has one currency. */
const TopLandings = ({ heading, column, empty, rows, nameOf }: TopLandingsProps) => {
  const keys = [...new Set(rows.map(({ key }) => key))]
  return (
    <section class="card">
      <h2>{heading}</h2>
      {keys.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <Table caption={heading} head={[column, { number: t(m.clicks) }, { number: t(m.sales) }]}>
          {keys.map((key) => {
            const own = rows.filter((row) => row.key === key)
            return (
              <tr>
                <td class="url">{nameOf(key)}</td>
                <td class="number">{sum(own, 'clicks')}</td>
                <td class="number">{sum(own, 'sales')}</td>
              </tr>
            )
          })}
        </Table>
      )}
    </section>
  )
}

export const TopPages = ({ rows }: { rows: StatsRow[] }) => (
  <TopLandings
    heading={t(m.overview_landing_pages)}
    column={t(m.page_field)}
    empty={t(m.overview_no_clicks_yet)}
    rows={rows}
    nameOf={(page) => page?.replace(/^https?:\/\//, '') ?? t(m.overview_other_no_page)}
  />
)

export const TopReferrers = ({ rows }: { rows: StatsRow[] }) => (
  <TopLandings
    heading={t(m.overview_referrers)}
    column={t(m.layout_site)}
    empty={t(m.overview_no_clicks_yet_sites)}
    rows={rows}
    nameOf={(host) =>
      host === DIRECT ? t(m.overview_direct) : (host ?? t(m.overview_other_no_click))
    }
  />
)

const Amounts = ({ rows, of }: { rows: TopPartnerRow[]; of: 'revenueCents' | 'earnedCents' }) => (
  <td class="number">
    {rows.map(({ currency, [of]: cents }) => cents !== 0n && <div>{money(cents, currency)}</div>)}
  </td>
)

export const TopPartners = ({ rows, base }: { rows: TopPartnerRow[]; base: string }) => {
  const ids = [...new Set(rows.map(({ partnerId }) => partnerId))]
  return (
    <section class="card">
      <h2>{t(m.overview_top_partners)}</h2>
      {ids.length === 0 ? (
        <p>{t(m.overview_no_revenue_yet)}</p>
      ) : (
        <>
          <Table
            caption={t(m.overview_top_partners)}
            head={[t(m.partner), { number: t(m.layout_revenue) }, { number: t(m.nav_commissions) }]}
            isStacked
          >
            {ids.map((id) => {
              const own = rows.filter(({ partnerId }) => partnerId === id)
              return (
                <tr>
                  <LinkCell href={`${base}/partners/${id}`}>
                    {own[0]?.name ?? own[0]?.slug}
                  </LinkCell>
                  <Amounts rows={own} of="revenueCents" />
                  <Amounts rows={own} of="earnedCents" />
                </tr>
              )
            })}
          </Table>
          <LinkLine href={`${base}/partners?sort=revenue`}>
            {t(m.overview_partners_revenue)}
          </LinkLine>
        </>
      )}
    </section>
  )
}
