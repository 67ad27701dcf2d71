/** What came of a period most: the pages that visitors came to, and the hosts that they came from. */
import { Table } from '../../lib/pages/parts.tsx'
import type { StatsRow } from '../../lib/totals/stats.queries.ts'
import { DIRECT } from '../../lib/totals/stats.ts'

const sum = (rows: StatsRow[], column: 'clicks' | 'sales'): string =>
  rows.reduce((total, row) => total + row[column], 0n).toLocaleString('en')

/** A list of pages or hosts, whose rows are of one currency each. */
const TopLandings = ({
  heading,
  column,
  empty,
  rows,
  nameOf,
}: {
  heading: string
  column: string
  empty: string
  rows: StatsRow[]
  nameOf: (key: string | null) => string
}) => {
  const keys = [...new Set(rows.map(({ key }) => key))]
  return (
    <section class="card">
      <h2>{heading}</h2>
      {keys.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <Table caption={heading} head={[column, { number: 'Clicks' }, { number: 'Sales' }]}>
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

/** The pages with the most clicks. */
export const TopPages = ({ rows }: { rows: StatsRow[] }) => (
  <TopLandings
    heading="Landing pages"
    column="Page"
    empty="No clicks yet. The pages that partners’ visitors come to are listed here."
    rows={rows}
    nameOf={(page) => page?.replace(/^https?:\/\//, '') ?? 'Other, or no page'}
  />
)

/** The hosts with the most clicks. */
export const TopReferrers = ({ rows }: { rows: StatsRow[] }) => (
  <TopLandings
    heading="Referrers"
    column="Site"
    empty="No clicks yet. The sites that partners’ visitors come from are listed here."
    rows={rows}
    nameOf={(host) => (host === DIRECT ? 'Direct' : (host ?? 'Other, or no click'))}
  />
)
