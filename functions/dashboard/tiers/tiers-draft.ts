/** A program's tiers as fields of a form, and the fields as API input. */
import * as z from 'zod'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { tiers } from '../../../lib/rules/tiers/tiers.schemas.ts'
import { levelsOf, type Measure, type Tiers } from '../../../lib/rules/tiers/tiers.ts'
import { exactMoney } from '../../../lib/values/money.ts'
import { inRowOrder, rowsIn } from '../fields/rows.ts'
import { measureIn, readThreshold } from './thresholds.ts'

export type TiersDraft = { base: Fields; levels: Fields[] }

export const LEVELS = 'levels'

/** The saved tiers; null for none. */
export const tiersDraft = (saved: Tiers | null): TiersDraft =>
  saved
    ? {
        base: {
          by: saved.by,
          period: saved.period,
          timeZone: saved.timeZone,
          ...(saved.by === 'netSales' && { currency: saved.currency }),
        },
        levels: levelsOf(saved).map(({ name, groupId, movesBack, atLeast }) => ({
          name,
          from: saved.by === 'netSales' ? exactMoney(atLeast, saved.currency) : String(atLeast),
          ...(groupId && { groupId }),
          ...(movesBack && { movesBack: 'on' }),
        })),
      }
    : { base: {}, levels: [] }

export const readTiersDraft = (fields: Fields): TiersDraft => ({
  base: fields,
  levels: rowsIn(fields, LEVELS),
})

type Checked = { data: Tiers | null; errors?: never } | { data?: never; errors: ErrorDetail[] }

/** The tiers of a draft, checked as the API does, or its errors by the names of fields. */
export const checkTiers = ({ base, levels }: TiersDraft): Checked => {
  if (levels.length === 0) return { data: null }
  const by = measureIn(base.by)
  const currency = base.currency?.toUpperCase() ?? ''
  const problems: ErrorDetail[] = []
  const input = {
    tiers: {
      by,
      ...(by === 'netSales' && { currency }),
      period: base.period,
      ...(base.timeZone !== undefined && { timeZone: base.timeZone }),
      levels: levels.map((level, i) => levelInput(level, by, currency, `${LEVELS}.${i}`, problems)),
    },
  }
  const { data, errors } = checkForm(z.strictObject({ tiers }), { input })
  if (!errors && problems.length === 0) return { data: data.tiers }
  return { errors: ofFields([...problems, ...(errors ?? [])]) }
}

const levelInput = (
  { name, from, groupId, movesBack }: Fields,
  by: Measure,
  currency: string,
  at: string,
  problems: ErrorDetail[],
) => ({
  name: name ?? '',
  ...readThreshold({ by, currency, text: from }, `${at}.from`, problems),
  ...(groupId && { groupId }),
  ...(groupId && movesBack && { movesBack: true as const }),
})

/** The API's errors by the names of fields. */
export const ofFields = (errors: ErrorDetail[]): ErrorDetail[] =>
  inRowOrder(
    errors.map(({ path, message }) => ({ path: fieldOf(path), message })),
    LEVELS,
  )

/** The field of a path in the API's errors: `tiers.levels.1` says that it begins too low. */
const fieldOf = (path: string): string =>
  path.replace(/^tiers\./, '').replace(/^(levels\.\d+)(?:\.atLeast(?:Cents)?)?$/, '$1.from')
