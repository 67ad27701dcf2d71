/** What came of a partner's links by the `sub` that they name. */

import type { StatsRow } from '../totals/stats.queries.ts'
import { figure } from './money.tsx'
import { Table } from './parts.tsx'

type Count = 'clicks' | 'leads' | 'sales'

/** @param rows of the last 12 months, those with the most clicks first; all others are one row. Without any, nothing is shown */
export const SubTable = ({ rows }: { rows: StatsRow[] }) => {
  const subs = [...new Set(rows.map(({ key }) => key))]
  const count = (sub: string | null, of: Count) => {
    const own = rows.filter(({ key }) => key === sub)
    return figure(own.reduce((total, row) => total + row[of], 0n))
  }
  if (subs.length === 0) return null
  return (
    <>
      <h3 id="subs">By channel</h3>
      <Table
        caption="By channel, in the last 12 months"
        head={['Channel', { number: 'Clicks' }, { number: 'Leads' }, { number: 'Sales' }]}
        isStacked
      >
        {subs.map((sub) => (
          <tr>
            <td class="link">{sub === null ? 'All others' : <bdi>{sub}</bdi>}</td>
            <td class="number">{count(sub, 'clicks')}</td>
            <td class="number">{count(sub, 'leads')}</td>
            <td class="number">{count(sub, 'sales')}</td>
          </tr>
        ))}
      </Table>
      <p class="hint">
        A channel is the value of <code>sub</code> in a link. Links without one are not listed.
      </p>
    </>
  )
}
