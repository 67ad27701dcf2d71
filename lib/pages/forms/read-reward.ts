/** Reads the fields of rewards. */
import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import { inEnglish } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { RewardTerms } from '../../rules/rewards/rewards.ts'
import { exactMoney, parseMoney } from '../../values/money.ts'

/** The number in a field: undefined if blank, NaN (which every schema rejects) if invalid. */
export const numberIn = (fields: Fields, name: string): number | undefined => {
  const text = fields[name]?.replace(/\s*%$/, '').replace(',', '.')
  if (text === undefined) return undefined
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
}

type TypedReward =
  | { kind: string; percent: number | undefined }
  | { kind: 'flat'; amountCents: number | null; currency: string }

/** The reward in a form's fields as API input, or null for none. */
export const readReward = (
  name: string,
  fields: Fields,
): { reward: TypedReward | null; problems: ErrorDetail[] } => {
  const kind = fields[`${name}.kind`]
  if (kind === undefined) return { reward: null, problems: [] }
  if (kind !== 'flat')
    return { reward: { kind, percent: numberIn(fields, `${name}.percent`) }, problems: [] }

  const currency = (fields[`${name}.currency`] ?? '').toUpperCase()
  const amountCents = parseMoney(fields[`${name}.amountCents`] ?? '', currency)
  const path = `${name}.amountCents`
  const message = inEnglish(m.programs_must_be_amount_as, { amount: exactMoney(500, currency) })
  return {
    reward: { kind, amountCents, currency },
    problems: amountCents ? [] : [{ path, message }],
  }
}

/** An entered base with the rules and caps of the saved reward, which another page changes. */
export const keepRules = <Entered extends RewardTerms | null>(
  entered: Entered,
  saved: RewardTerms | null,
): Entered =>
  entered && {
    ...entered,
    ...(saved?.rules && { rules: saved.rules }),
    ...(saved?.caps && { caps: saved.caps }),
  }
