/** The fields of forms in which a manager changes earnings by hand: an amount, and the reason. */

import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { MAX_REASON_LENGTH } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { parseMoney } from '../../../lib/values/money.ts'

/** @returns minor units; undefined for all that is left, or with a problem */
export const readPart = ({ amount = '' }: Fields, currency: string) => {
  const cents = amount.trim() ? parseMoney(amount.trim().replace(',', '.'), currency) : undefined
  const problems =
    cents === null || cents === 0
      ? [{ path: 'amount', message: inEnglish(m.commissions_enter_part) }]
      : []
  return { amountCents: cents || undefined, problems }
}

type Props = { label: string; id?: string; fields: Fields; errors: ErrorDetail[] | undefined }

/** The amount of a form that refunds or reverses all that is left, or a part of it. */
export const PartField = ({ label, id, hint, fields, errors }: Props & { hint: Child }) => (
  <Field
    label={label}
    name="amount"
    id={id}
    hint={hint}
    inputmode="decimal"
    maxlength={20}
    autocomplete="off"
    value={fields.amount}
    errors={errors}
  />
)

/** Why a manager changes earnings by hand. */
export const ReasonField = ({ label, id, fields, errors }: Props) => (
  <Field
    label={label}
    name="reason"
    id={id}
    hint={t(m.commissions_partner_sees_it)}
    required
    maxlength={MAX_REASON_LENGTH}
    autocomplete="off"
    value={fields.reason}
    errors={errors}
  />
)
