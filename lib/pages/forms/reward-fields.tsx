/** Rewards as form fields. */

import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import * as m from '../../languages/messages.ts'
import { type RewardTerms, rewardResponse } from '../../rules/rewards/rewards.ts'
import type { SaleTerms } from '../../rules/steps/reward-example.ts'
import { exactMoney } from '../../values/money.ts'
import { shown, t } from '../layout/text.ts'
import { amountStyle } from '../parts/money.tsx'
import { Field, Select } from './fields.tsx'
import { saleTermsOf } from './reward-example.ts'

export const rewardLabels = (name: string) => ({
  [`${name}.kind`]: m.type_column,
  [`${name}.percent`]: m.programs_percentage,
  [`${name}.amountCents`]: m.amount_column,
  [`${name}.currency`]: m.layout_currency,
})

/** A reward as form fields, named by the paths in the API's errors. */
export const rewardFields = (name: string, reward: RewardTerms | null): Fields => {
  if (!reward) return {}
  const response = rewardResponse(reward)
  if (response.kind === 'percent') {
    return { [`${name}.kind`]: 'percent', [`${name}.percent`]: String(response.percent) }
  }
  const { amountCents, currency } = response
  return {
    [`${name}.kind`]: 'flat',
    [`${name}.amountCents`]: exactMoney(amountCents, currency),
    [`${name}.currency`]: currency,
  }
}

type RewardInputsProps = {
  name: string
  legend: string
  event?: 'sale' | 'lead'
  none?: string
  example?: string | undefined
  program?: SaleTerms
  fields: Fields
  errors: ErrorDetail[] | undefined
}

/**
 * The inputs for a reward. `none` is the label for no reward, if that is allowed. `example` shows
 * what the saved reward earns; islands/rewards.ts updates it, for a group by the terms of its
 * program.
 */
export const RewardInputs = ({
  name,
  legend,
  event = 'sale',
  none,
  example,
  program,
  fields,
  errors,
}: RewardInputsProps) => {
  const flat = {
    value: 'flat',
    label: event === 'sale' ? m.programs_flat_per_sale : m.programs_flat_per_lead,
  }
  // A lead has no amount to take a percentage of.
  const kinds =
    event === 'lead' ? [flat] : [{ value: 'percent', label: m.programs_percentage_kind }, flat]
  const labels = rewardLabels(name)
  const labelOf = (field: string) => shown(labels[`${name}.${field}`] ?? '')
  const options = none === undefined ? kinds : [{ value: '', label: none }, ...kinds]
  return (
    <fieldset class="reward" id={name}>
      <legend>{legend}</legend>
      <Select
        label={labelOf('kind')}
        name={`${name}.kind`}
        options={options}
        value={fields[`${name}.kind`] ?? options[0]?.value}
        errors={errors}
      />
      {event === 'sale' && (
        <div data-kind="percent">
          <Field
            label={labelOf('percent')}
            name={`${name}.percent`}
            inputmode="decimal"
            autocomplete="off"
            value={fields[`${name}.percent`]}
            errors={errors}
          />
        </div>
      )}
      <div data-kind="flat">
        <Field
          label={labelOf('amountCents')}
          name={`${name}.amountCents`}
          hint={t(m.programs_flat_amount_hint)}
          inputmode="decimal"
          autocomplete="off"
          value={fields[`${name}.amountCents`]}
          errors={errors}
        />
        <Field
          label={labelOf('currency')}
          name={`${name}.currency`}
          hint={t(m.programs_currency_hint)}
          maxlength={3}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          value={fields[`${name}.currency`] ?? 'USD'}
          errors={errors}
        />
      </div>
      <output
        class="example"
        name={name}
        data-event={event}
        {...amountStyle()}
        data-program={program && JSON.stringify(saleTermsOf(program))}
        hidden={!example}
      >
        {example}
      </output>
    </fieldset>
  )
}
