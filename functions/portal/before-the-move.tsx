import * as m from '../../lib/languages/messages.ts'
import { t } from '../../lib/pages/layout/text.ts'
import { money } from '../../lib/pages/parts/money.tsx'
import { name } from '../../lib/pages/parts/tags.tsx'
import type { Partnership } from '../../lib/portal/portal.queries.ts'

/** What another platform paid for the customers who came along, if an import says so. */
export const BeforeTheMove = ({ priors, workspace }: Partnership) =>
  priors.length > 0 && (
    <>
      <h3>{t(m.before_the_move)}</h3>
      <ul>
        {priors.map(({ currency, customers, commissions, amountCents }) => {
          const count = commissions > 0 ? t(m.prior_commissions, { count: commissions }) : null
          return (
            <li>
              {amountCents > 0 &&
                t(m.prior_amount, { amount: money(amountCents, currency), count: customers })}
              {amountCents > 0 && count ? ` (${count})` : count}
            </li>
          )
        })}
      </ul>
      <p class="hint">{t(m.prior_hint, { workspace, name })}</p>
    </>
  )
