import { newId } from '../../../lib/db/ids.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Checked, Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import type { ManualReversal } from '../../../lib/rules/refunds/manual-reversals.ts'
import { NewReversal } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { PartField, ReasonField, readPart } from '../fields/correction-fields.tsx'

/** Validates the form as the API's request. */
export const readReversal = (fields: Fields, currency: string): Checked<ManualReversal> => {
  const { externalId, reason = '' } = fields
  const { amountCents, problems } = readPart(fields, currency)
  return checkForm(NewReversal, { input: { externalId, reason, amountCents }, problems })
}

type Props = {
  action: string
  currency: string
  refused: { fields: Fields; errors: ErrorDetail[] } | undefined
}

/** Amount and reason. A form that is submitted twice reverses once. */
export const ReversalForm = ({ action, currency, refused }: Props) => {
  const { fields = {}, errors } = refused ?? {}
  return (
    <form method="post" action={action}>
      <input type="hidden" name="externalId" value={fields.externalId ?? newId()} />
      <PartField
        label={t(m.commissions_amount_to_reverse, { currency })}
        id="reversed-amount"
        hint={t(m.commissions_leave_empty_reverse)}
        fields={fields}
        errors={errors}
      />
      <ReasonField
        id="reversal-reason"
        label={t(m.commissions_reason_reversal)}
        fields={fields}
        errors={errors}
      />
      <p>
        <DangerButton>{t(m.commissions_reverse_commission)}</DangerButton>
      </p>
    </form>
  )
}
