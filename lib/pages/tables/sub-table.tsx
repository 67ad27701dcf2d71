/** Clicks and sales of a partner's links, by `sub`. */

import * as m from '../../languages/messages.ts'
import type { StatsRow } from '../../totals/stats.queries.ts'
import { t } from '../layout/text.ts'
import { figure } from '../parts/money.tsx'
import { code } from '../parts/tags.tsx'
import { Table } from './table.tsx'

type Count = 'clicks' | 'leads' | 'sales'

/** @param rows of the last 12 months, most clicks first; one row sums up all others */
export const SubTable = ({ rows }: { rows: StatsRow[] }) => {
  const subs = [...new Set(rows.map(({ key }) => key))]
  const count = (sub: string | null, of: Count) => {
    const own = rows.filter(({ key }) => key === sub)
    return figure(own.reduce((total, row) => total + row[of], 0n))
  }
  if (subs.length === 0) return null
  return (
    <>
      <h3 id="subs">{t(m.by_channel)}</h3>
      <Table
        caption={t(m.by_channel_caption)}
        head={[
          t(m.channel),
          { number: t(m.clicks) },
          { number: t(m.leads) },
          { number: t(m.sales) },
        ]}
        isStacked
      >
        {subs.map((sub) => (
          <tr>
            <td class="link">{sub === null ? t(m.all_others) : <bdi>{sub}</bdi>}</td>
            <td class="number">{count(sub, 'clicks')}</td>
            <td class="number">{count(sub, 'leads')}</td>
            <td class="number">{count(sub, 'sales')}</td>
          </tr>
        ))}
      </Table>
      <p class="hint">{t(m.sub_hint, { code })}</p>
    </>
  )
}
