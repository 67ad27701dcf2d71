/** The caps of a reward as rows of its form. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish, type Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field, IDENTIFIER, Select } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { CAPPED, type Cap, type Capped } from '../../../lib/rules/rewards/caps.ts'
import { MAX_CAPS } from '../../../lib/rules/rewards/limits.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'
import type { EditedForm } from '../fields/edit-button.tsx'
import { Rows } from '../fields/row-fields.tsx'
import { CAPS } from './draft.ts'

const WORDS = {
  heading: m.rewards_caps,
  number: m.rewards_cap_number,
  none: m.rewards_no_caps,
  add: m.rewards_add_cap,
  tooMany: m.rewards_too_many_caps,
}

const PER: Record<Capped, Message> = {
  sale: m.rewards_cap_sale,
  customer: m.rewards_cap_customer,
  partner_month: m.rewards_cap_partner_month,
}

export const capFields = ({ per, amountCents, currency }: Cap): Fields => ({
  per,
  amountCents: exactMoney(amountCents, currency),
  currency,
})

/** A cap as API input. @param at the start of the names of its fields */
export const capInput = (fields: Fields, at: string, problems: ErrorDetail[]) => {
  const currency = fields.currency?.toUpperCase() ?? ''
  const amountCents = parseMoney(fields.amountCents ?? '', currency)
  if (!amountCents) {
    const message = inEnglish(m.programs_must_be_amount_as, { amount: exactMoney(500, currency) })
    problems.push({ path: `${at}.amountCents`, message })
  }
  return { per: fields.per, amountCents, currency }
}

export const Caps = ({ form, caps }: { form: EditedForm; caps: Fields[] }) => (
  <Rows
    form={form}
    list={CAPS}
    rows={caps}
    most={MAX_CAPS}
    words={WORDS}
    fieldsOf={(cap, at, isFocused) => (
      <div class="values">
        <Select
          label={t(m.rewards_cap_per)}
          name={`${at}.per`}
          options={CAPPED.map((value) => ({ value, label: PER[value] }))}
          value={cap.per ?? 'customer'}
          errors={form.errors}
          autofocus={isFocused}
        />
        <Field
          label={t(m.rewards_cap_at_most)}
          name={`${at}.amountCents`}
          inputmode="decimal"
          autocomplete="off"
          class="short"
          value={cap.amountCents}
          errors={form.errors}
        />
        <Field
          label={t(m.layout_currency)}
          name={`${at}.currency`}
          {...IDENTIFIER}
          maxlength={3}
          class="short"
          value={cap.currency ?? 'USD'}
          errors={form.errors}
        />
      </div>
    )}
  />
)
