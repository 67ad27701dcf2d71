/** The part of a preview with the sums of amounts, which reveal a wrong unit or column. */
import * as m from '../../lib/languages/messages.ts'
import { formatMoney } from '../../lib/values/money.ts'
import { t } from '../text.ts'
import { h, strong } from './dom.ts'
import { balanceSums, priorSums, type Sum } from './rules/balances.ts'
import type { Rows } from './rules/reading/records.ts'

const said = ({ currency, cents, largest }: Sum) => ({
  sum: formatMoney(cents, currency),
  largest: largest.map((one) => `${one.of} ${formatMoney(one.cents, currency)}`).join(', '),
  strong,
})

/** The elements of the part; none if the file has no amounts. */
export const balancesPart = ({ partners, customers }: Rows): HTMLElement[] => {
  const balances = balanceSums(partners).map((sum) =>
    h(
      'p',
      {},
      ...t(
        sum.currency === 'USD' ? m.import_balances_sum : m.import_balances_not_imported,
        said(sum),
      ),
    ),
  )
  const priors = priorSums(customers).map((sum) => h('p', {}, ...t(m.import_priors_sum, said(sum))))
  return [
    ...(balances.length > 0 ? [h('h3', {}, t(m.import_balances)), ...balances] : []),
    ...(priors.length > 0 ? [h('h3', {}, t(m.import_field_prior_amount)), ...priors] : []),
  ]
}
