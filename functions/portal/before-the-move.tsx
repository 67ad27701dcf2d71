import * as m from '../../lib/languages/messages.ts'
import { money } from '../../lib/pages/money.tsx'
import { name } from '../../lib/pages/tags.tsx'
import { t } from '../../lib/pages/text.ts'
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
