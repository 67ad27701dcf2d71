import type { PriorCommissions } from '../../customers/prior-earnings.ts'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'
import { money } from '../parts/money.tsx'

/** What was paid on another platform, such as "12 commissions of $96.00", as far as it is known. */
export const priorWords = ({ commissions, amountCents, currency }: PriorCommissions): string => {
  const amount = amountCents === null ? '' : money(amountCents, currency)
  if (commissions === null) return amount
  return amount
    ? t(m.customers_prior_commissions, { count: commissions, amount })
    : t(m.prior_commissions, { count: commissions })
}
