/** The fields of forms that change earnings by hand. */

import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { MAX_REASON_LENGTH } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { parseMoney } from '../../../lib/values/money.ts'

/** @returns minor units; undefined for the whole remainder, or with a problem */
export const readPart = ({ amount = '' }: Fields, currency: string) => {
  const cents = amount.trim() ? parseMoney(amount.trim().replace(',', '.'), currency) : undefined
  const problems =
    cents === null || cents === 0
      ? [{ path: 'amount', message: inEnglish(m.commissions_enter_part) }]
      : []
  return { amountCents: cents || undefined, problems }
}

type Props = { label: string; id?: string; fields: Fields; errors: ErrorDetail[] | undefined }

/** The amount to refund or reverse. Blank is the whole remainder. */
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
