/** A program's bonuses as fields of a form, and the fields as API input. */
import * as z from 'zod'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { bonuses } from '../../../lib/rules/bonuses/bonuses.schemas.ts'
import type { BonusTerms } from '../../../lib/rules/bonuses/bonuses.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'
import { inRowOrder } from '../fields/rows.ts'
import { amountWanted, measureIn, readThreshold, thresholdField } from './thresholds.ts'

export const BONUSES = 'bonuses'

export const bonusFields = (bonus: BonusTerms): Fields => ({
  name: bonus.name,
  by: bonus.by,
  from: thresholdField(bonus),
  ...(bonus.by === 'netSales' && { currency: bonus.currency }),
  amount: exactMoney(bonus.pays.amountCents, bonus.pays.currency),
  paysCurrency: bonus.pays.currency,
})

type Checked = { data: BonusTerms[]; errors?: never } | { data?: never; errors: ErrorDetail[] }

/** The bonuses in rows, checked as the API does, or their errors by the names of fields. */
export const checkBonuses = (rows: Fields[]): Checked => {
  const problems: ErrorDetail[] = []
  const input = { bonuses: rows.map((row, i) => bonusInput(row, `${BONUSES}.${i}`, problems)) }
  const { data, errors } = checkForm(z.strictObject({ bonuses }), { input })
  if (!errors && problems.length === 0) return { data: data.bonuses }
  const named = (errors ?? []).map(({ path, message }) => ({ path: fieldOf(path), message }))
  return { errors: inRowOrder([...problems, ...named], BONUSES) }
}

const bonusInput = (row: Fields, at: string, problems: ErrorDetail[]) => {
  const by = measureIn(row.by)
  const currency = row.currency?.toUpperCase() ?? ''
  const paysCurrency = row.paysCurrency?.toUpperCase() ?? ''
  const amountCents = parseMoney(row.amount ?? '', paysCurrency)
  if (!amountCents) problems.push({ path: `${at}.amount`, message: amountWanted(paysCurrency) })
  return {
    name: row.name ?? '',
    by,
    ...(by === 'netSales' && { currency }),
    ...readThreshold({ by, currency, text: row.from }, `${at}.from`, problems),
    pays: { amountCents: amountCents || 1, currency: paysCurrency },
  }
}

/** The field of a path in the API's errors. */
const fieldOf = (path: string): string =>
  path
    .replace(/\.atLeast(?:Cents)?$/, '.from')
    .replace(/\.pays\.amountCents$/, '.amount')
    .replace(/\.pays\.currency$/, '.paysCurrency')
