/** The amount of a form that refunds or reverses all that is left, or a part of it. */

import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
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

type Props = {
  label: string
  id?: string
  hint: Child
  fields: Fields
  errors: ErrorDetail[] | undefined
}

export const PartField = ({ label, id, hint, fields, errors }: Props) => (
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
