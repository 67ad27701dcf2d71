import { newId } from '../../../lib/db/ids.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Checked, Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Adjustment } from '../../../lib/tracking/ledger/adjustments.ts'
import { NewAdjustment } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { parseMoney } from '../../../lib/values/money.ts'
import { ReasonField } from '../fields/correction-fields.tsx'

/** Why an adjustment that was already saved with other values is refused. */
export const ALREADY_SAVED = m.commissions_adjustment_already_saved

type About = { partnerId: string; commissionId?: string }

/** An amount with its sign, such as "-5.00"; NaN, which the schema rejects, if it is none. */
const amountIn = (text: string, currency: string): number => {
  const cents = parseMoney(text.replace(/^[-+−]\s*/, '').replace(',', '.'), currency.toUpperCase())
  if (cents === null) return Number.NaN
  return /^[-−]/.test(text) ? -cents : cents
}

/** Validates the form as the API's request. */
export const readAdjustment = (fields: Fields, about: About): Checked<Adjustment> => {
  const { externalId, amount = '', currency = '', reason = '' } = fields
  const amountCents = amountIn(amount, currency)
  const problems = Number.isNaN(amountCents)
    ? [{ path: 'amount', message: inEnglish(m.commissions_enter_amount) }]
    : []
  const input = { externalId, ...about, amountCents, currency, reason }
  const { data, errors } = checkForm(NewAdjustment, { input, problems })
  if (data) return { data }
  const typed = errors.filter(({ path }) => path !== 'amountCents' || problems.length === 0)
  return {
    errors: typed.map((error) =>
      error.path === 'amountCents' ? { ...error, path: 'amount' } : error,
    ),
  }
}

type Props = {
  action: string
  /** The initial currency. */
  currency: string
  /** Whether the currency is fixed. */
  isFixed?: boolean
  refused?: { fields: Fields; errors: ErrorDetail[] } | undefined
}

/** Amount, currency and reason. A form that is submitted twice makes one adjustment. */
export const AdjustmentForm = ({ action, currency, isFixed = false, refused }: Props) => {
  const { fields = {}, errors } = refused ?? {}
  return (
    <form method="post" action={action}>
      <input type="hidden" name="externalId" value={fields.externalId ?? newId()} />
      <Field
        label={isFixed ? t(m.commissions_amount_in, { currency }) : t(m.amount_column)}
        name="amount"
        hint={t(m.commissions_adjustment_hint)}
        required
        inputmode="text"
        maxlength={20}
        autocomplete="off"
        value={fields.amount}
        errors={errors}
      />
      {isFixed ? (
        <input type="hidden" name="currency" value={currency} />
      ) : (
        <Field
          label={t(m.layout_currency)}
          name="currency"
          required
          maxlength={3}
          autocomplete="off"
          spellcheck="false"
          value={fields.currency ?? currency}
          errors={errors}
        />
      )}
      <ReasonField label={t(m.layout_reason)} fields={fields} errors={errors} />
      <Submit>{t(m.commissions_adjust)}</Submit>
    </form>
  )
}
