/** The form with which a manager reverses a commission, or a part of it. */
import { newId } from '../../lib/db/ids.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Checked, Fields } from '../../lib/http/validate.ts'
import { parseMoney } from '../../lib/money.ts'
import { Field } from '../../lib/pages/fields.tsx'
import { checkForm } from '../../lib/pages/forms.ts'
import { NewReversal } from '../../lib/tracking/commissions.schemas.ts'
import type { ManualReversal } from '../../lib/tracking/manual-reversals.ts'
import { ReasonField } from './reason-field.tsx'

/** Validates the form as the API's request. */
export const readReversal = (fields: Fields, currency: string): Checked<ManualReversal> => {
  const { externalId, amount = '', reason = '' } = fields
  const amountCents = amount.trim() ? parseMoney(amount.trim().replace(',', '.'), currency) : undefined
  const problems =
    amountCents === null || amountCents === 0
      ? [{ path: 'amount', message: 'Enter an amount of the currency, such as 5.00, or nothing.' }]
      : []
  const input = { externalId, reason, amountCents: amountCents || undefined }
  return checkForm(NewReversal, { input, problems })
}

type Props = {
  action: string
  currency: string
  /** The rejected form. */
  refused: { fields: Fields; errors: ErrorDetail[] } | undefined
}

/** Amount and reason. A form that is submitted twice reverses once. */
export const ReversalForm = ({ action, currency, refused }: Props) => {
  const { fields = {}, errors } = refused ?? {}
  return (
    <form method="post" action={action}>
      <input type="hidden" name="externalId" value={fields.externalId ?? newId()} />
      <Field
        label={`Amount to reverse (${currency})`}
        name="amount"
        hint="Leave it empty to reverse all that is left."
        inputmode="decimal"
        maxlength={20}
        autocomplete="off"
        value={fields.amount}
        errors={errors}
      />
      <ReasonField label="Reason for the reversal" fields={fields} errors={errors} />
      <p>
        <button type="submit" class="danger">
          Reverse commission
        </button>
      </p>
    </form>
  )
}
