/** The rules of a reward as fields, in order. */
import * as m from '../../../lib/languages/messages.ts'
import type { RewardedEvent } from '../../../lib/languages/reward-words.ts'
import { Field, Select } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { MAX_RULES } from '../../../lib/rules/rewards/limits.ts'
import { parseMoney } from '../../../lib/values/money.ts'
import { EditButton } from '../fields/edit-button.tsx'
import { type Form, Items } from './condition-fields.tsx'
import type { Part } from './draft.ts'
import { ruleOf } from './reward-draft.ts'

const MATCHES = [
  { value: 'all', label: m.rewards_match_all },
  { value: 'any', label: m.rewards_match_any },
]

const PAYS = {
  sale: [
    { value: 'percent', label: m.rewards_pay_percent },
    { value: 'sale', label: m.rewards_pay_sale },
    { value: 'unit', label: m.rewards_pay_unit },
    { value: 'none', label: m.rewards_pay_none },
  ],
  lead: [
    { value: 'sale', label: m.programs_flat_per_lead },
    { value: 'none', label: m.rewards_pay_none },
  ],
}

const DURATIONS = [
  { value: 'program', label: m.rewards_duration_program },
  { value: 'months', label: m.rewards_duration_months },
  { value: 'forever', label: m.rewards_duration_forever },
]

type RulesProps = {
  form: Form
  rules: Part[]
  /** Why rules never apply, by their number from 0. */
  conflicts: Map<number, string>
}

export const Rules = ({ form, rules, conflicts }: RulesProps) => {
  const error = form.errors.find(({ path }) => path === 'rules')
  return (
    <section id="rules">
      <h2>{t(m.rewards_rules)}</h2>
      {error && <p class="error">{error.message}</p>}
      {rules.length === 0 ? (
        <p class="empty">
          {t(form.event === 'sale' ? m.rewards_no_rules : m.rewards_no_lead_rules)}
        </p>
      ) : (
        <ol class="rules">
          {rules.map((rule, i) => (
            <RuleItem {...{ form, rule, i }} count={rules.length} conflict={conflicts.get(i)} />
          ))}
        </ol>
      )}
      {rules.length < MAX_RULES ? (
        <p>
          <EditButton form={form} does="rules.add">
            {t(m.rewards_add_rule)}
          </EditButton>
        </p>
      ) : (
        <p class="hint">{t(m.rewards_too_many_rules, { count: String(MAX_RULES) })}</p>
      )}
    </section>
  )
}

type RuleProps = {
  form: Form
  rule: Part
  i: number
  count: number
  conflict: string | undefined
}

/** A rule. Of several, only those that were just changed or have errors are open. */
const RuleItem = ({ form, rule, i, count, conflict }: RuleProps) => {
  const at = `rules.${i}`
  const number = String(i + 1)
  const { event, focus, errors } = form
  const isTouched =
    (focus !== null && ruleOf(focus) === i) || errors.some(({ path }) => ruleOf(path) === i)
  const pay = payWords(rule, event)
  return (
    <li id={at}>
      <details open={count === 1 || isTouched}>
        <summary>
          <strong>
            {number}. {rule.fields.name ?? t(m.rewards_new_rule)}
          </strong>
          {pay && <span class="hint">{t(m.rewards_rule_pays, { pay })}</span>}
          {conflict && <span class="conflict">{conflict}</span>}
        </summary>
        <fieldset class="rule">
          <legend class="hidden">{t(m.rewards_rule_number, { number })}</legend>
          <input type="hidden" name={`${at}.is`} value="rule" />
          <Field
            label={t(m.layout_name)}
            name={`${at}.name`}
            maxlength={100}
            autocomplete="off"
            value={rule.fields.name}
            errors={errors}
            autofocus={focus === at}
          />
          <fieldset>
            <legend>{t(m.rewards_conditions)}</legend>
            <Select
              label={t(m.rewards_match)}
              name={`${at}.match`}
              options={MATCHES}
              value={rule.fields.match ?? 'all'}
            />
            <Items
              {...{ form, at, part: rule }}
              match={rule.fields.match === 'any' ? 'any' : 'all'}
            />
          </fieldset>
          <div class="beside">
            <PayFields {...{ form, at, rule }} />
            {event === 'sale' && <DurationFields {...{ form, at, rule }} />}
          </div>
        </fieldset>
      </details>
      <p class="moves">
        <EditButton form={form} does={`${at}.up`} isDisabled={i === 0}>
          {t(m.rewards_move_up, { number, hidden })}
        </EditButton>
        <EditButton form={form} does={`${at}.down`} isDisabled={i === count - 1}>
          {t(m.rewards_move_down, { number, hidden })}
        </EditButton>
        <EditButton form={form} does={`${at}.remove`}>
          {t(m.rewards_remove_rule, { number, hidden })}
        </EditButton>
      </p>
    </li>
  )
}

/** What a rule pays, if its fields say so. */
const payWords = ({ fields }: Part, event: RewardedEvent): string | null => {
  const kind = fields['pay.kind']
  if (kind === 'none') return t(m.rewards_pays_none)
  if (kind === 'percent') {
    const percent = Number(fields['pay.percent'])
    return percent >= 0 ? t(m.rewards_pays_percent, { percent: figure(percent) }) : null
  }
  const currency = fields['pay.currency']?.toUpperCase() ?? ''
  const cents = parseMoney(fields['pay.amountCents'] ?? '', currency)
  if (!cents || !/^[A-Z]{3}$/.test(currency)) return null
  const amount = money(cents, currency)
  if (event === 'lead') return t(m.rewards_pays_lead, { amount })
  return t(kind === 'unit' ? m.rewards_pays_unit : m.rewards_pays_sale, { amount })
}

type PartProps = { form: Form; at: string; rule: Part }

const PayFields = ({ form: { event, errors }, at, rule: { fields } }: PartProps) => (
  <fieldset class="pay" id={`${at}.pay`}>
    <legend>{t(m.rewards_pays)}</legend>
    <Select
      label={t(m.type_column)}
      name={`${at}.pay.kind`}
      options={PAYS[event]}
      value={fields['pay.kind']}
      errors={errors}
    />
    {event === 'sale' && (
      <div data-kind="percent">
        <Field
          label={t(m.rewards_percentage)}
          name={`${at}.pay.percent`}
          inputmode="decimal"
          autocomplete="off"
          class="short"
          value={fields['pay.percent']}
          errors={errors}
        />
      </div>
    )}
    <div data-kind="flat" class="values">
      <Field
        label={t(m.amount_column)}
        name={`${at}.pay.amountCents`}
        inputmode="decimal"
        autocomplete="off"
        class="short"
        value={fields['pay.amountCents']}
        errors={errors}
      />
      <Field
        label={t(m.layout_currency)}
        name={`${at}.pay.currency`}
        maxlength={3}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        class="short"
        value={fields['pay.currency'] ?? 'USD'}
        errors={errors}
      />
    </div>
  </fieldset>
)

const DurationFields = ({ form: { errors }, at, rule: { fields } }: PartProps) => (
  <fieldset class="duration">
    <legend>{t(m.rewards_duration)}</legend>
    <Select
      label={t(m.rewards_duration_paid_for)}
      name={`${at}.duration`}
      options={DURATIONS}
      value={fields.duration ?? 'program'}
    />
    <div data-kind="months">
      <Field
        label={t(m.rewards_duration_number)}
        name={`${at}.durationMonths`}
        hint={t(m.rewards_duration_hint)}
        inputmode="numeric"
        autocomplete="off"
        class="short"
        value={fields.durationMonths}
        errors={errors}
      />
    </div>
  </fieldset>
)
