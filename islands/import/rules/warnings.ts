/** The warnings of an import. They block nothing. */
import type { PartnerImportWarning } from '../../../lib/imports/partners/partner-import.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { formatMoney } from '../../../lib/values/money.ts'

/** Partners with an opening balance in another program, and its sum in minor units. */
export type BalancesElsewhere = { count: number; currency: string; amountCents: number }

/**
 * The balances in other programs by currency, from the warnings of all calls. Calls share no
 * partner.
 */
export const balancesElsewhere = (
  answers: { warnings?: PartnerImportWarning[] }[],
): BalancesElsewhere[] => {
  const sums = new Map<string, BalancesElsewhere>()
  for (const { currency, count, amountCents } of answers.flatMap(({ warnings = [] }) => warnings)) {
    const sum = sums.get(currency) ?? { count: 0, currency, amountCents: 0 }
    sums.set(currency, {
      currency,
      count: sum.count + count,
      amountCents: sum.amountCents + amountCents,
    })
  }
  return [...sums.values()]
}

/** A report's warning. A dry run asks for a decision; an import says what can still be done. */
export const describeBalancesElsewhere = (
  { count, currency, amountCents }: BalancesElsewhere,
  { dryRun }: { dryRun: boolean },
): string => {
  const values = { count, sum: formatMoney(amountCents, currency) }
  return dryRun
    ? inEnglish(m.import_owed_elsewhere, values)
    : inEnglish(m.import_now_owed_twice, values)
}
