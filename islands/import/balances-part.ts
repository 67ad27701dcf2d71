/** The part of a preview with what the balances add up to, so that a wrong unit or column shows. */
import * as m from '../../lib/languages/messages.ts'
import { formatMoney } from '../../lib/money.ts'
import { t } from '../text.ts'
import { h, strong } from './dom.ts'
import { balanceSums } from './rules/balances.ts'
import type { Rows } from './rules/records.ts'

/** The elements of the part; none if nobody is owed anything. */
export const balancesPart = ({ partners }: Rows): HTMLElement[] => {
  const sums = balanceSums(partners)
  if (sums.length === 0) return []
  return [
    h('h3', {}, t(m.import_balances)),
    ...sums.map(({ currency, cents, largest }) =>
      h(
        'p',
        {},
        ...t(currency === 'USD' ? m.import_balances_sum : m.import_balances_not_imported, {
          sum: formatMoney(cents, currency),
          largest: largest.map((one) => `${one.email} ${formatMoney(one.cents, currency)}`).join(', '),
          strong,
        }),
      ),
    ),
  ]
}
