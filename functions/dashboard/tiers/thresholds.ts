/** Where a tier or a bonus begins, as a field of a form. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { MEASURES, type Measure, type Threshold } from '../../../lib/rules/tiers/tiers.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'

export const MEASURE_OPTIONS = [
  { value: 'netSales', label: m.tiers_net_sales },
  { value: 'customers', label: m.tiers_customers },
  { value: 'sales', label: m.tiers_sales },
] as const

export const measureIn = (text: string | undefined): Measure =>
  MEASURES.find((measure) => measure === text) ?? 'netSales'

/** An amount is entered in major units. */
export const thresholdField = (threshold: Threshold): string =>
  threshold.by === 'netSales'
    ? exactMoney(threshold.atLeastCents, threshold.currency)
    : String(threshold.atLeast)

/**
 * The threshold in a field as API input. One that cannot be read is a problem, and 1 stands for it,
 * so that the schema checks all others.
 */
export const readThreshold = (
  { by, currency, text = '' }: { by: Measure; currency: string; text?: string | undefined },
  path: string,
  problems: ErrorDetail[],
) => {
  if (by === 'netSales') {
    const atLeastCents = parseMoney(text, currency)
    if (!atLeastCents) problems.push({ path, message: amountWanted(currency) })
    return { atLeastCents: atLeastCents || 1 }
  }
  const atLeast = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (!atLeast) problems.push({ path, message: inEnglish(m.rewards_must_be_count, { from: '1' }) })
  return { atLeast: atLeast || 1 }
}

/** What an amount must be like. */
export const amountWanted = (currency: string): string =>
  inEnglish(m.programs_must_be_amount_as, { amount: exactMoney(1000_00, currency) })
