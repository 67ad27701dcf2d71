/** The partners whom late leads and unverified addresses have credited lately. */
import * as m from '../../../lib/languages/messages.ts'
import { Table } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import type { DoubtfulCredits as Row } from '../../../lib/tracking/checks/doubtful-credits.queries.ts'

export const DoubtfulCredits = ({ rows, base }: { rows: Row[]; base: string }) =>
  rows.length > 0 && (
    <section class="card" id="doubtful">
      <h2>{t(m.overview_doubtful_credits)}</h2>
      <p>{t(m.overview_doubtful_help, { link: linkTo('/docs/decisions#by-an-address-alone') })}</p>
      <Table
        caption={t(m.overview_doubtful_credits)}
        head={[
          t(m.partner),
          { number: t(m.overview_by_late_leads) },
          { number: t(m.overview_by_unverified_address) },
        ]}
      >
        {rows.map(({ partnerId, slug, name, lateLeads, byAddress }) => (
          <tr>
            <td>
              <a href={`${base}/partners/${partnerId}`}>{name ?? slug}</a>
            </td>
            <td class="number">{figure(lateLeads)}</td>
            <td class="number">{figure(byAddress)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
