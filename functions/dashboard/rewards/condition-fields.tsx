/** A condition of a rule, and a group of conditions, as fields. */
import type { Child } from 'hono/jsx'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { RewardedEvent } from '../../../lib/languages/reward-words.ts'
import { Field, IDENTIFIER, Select, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { LEAD_FACTS } from '../../../lib/rules/rewards/conditions.ts'
import { MAX_VALUES } from '../../../lib/rules/rewards/limits.ts'
import { BILLING_INTERVALS, type BillingInterval } from '../../../lib/rules/rewards/sale-lines.ts'
import { jsonOf } from '../../../lib/values/json.ts'
import { EditButton, type EditedForm } from '../fields/edit-button.tsx'
import type { Part } from './draft.ts'
import { chosenIn, FACTS, type Fact, type FieldKind, isFact, listIn } from './facts.ts'

/** What all parts of the form know. */
export type Form = EditedForm & {
  /** What the reward is for. */
  event: RewardedEvent
  /** The names of the program's tiers. */
  tiers: string[]
}

export const FACT_LABELS: Record<Fact, Message> = {
  product: m.rewards_fact_product,
  payment: m.rewards_fact_payment,
  customerMonths: m.rewards_fact_customer_months,
  lineAmount: m.rewards_fact_line_amount,
  saleAmount: m.rewards_fact_sale_amount,
  quantity: m.rewards_fact_quantity,
  billingInterval: m.rewards_fact_interval,
  coupon: m.rewards_fact_coupon,
  metadata: m.rewards_fact_metadata,
  country: m.rewards_fact_country,
  link: m.rewards_fact_link,
  sub: m.rewards_fact_sub,
  tier: m.rewards_fact_tier,
  day: m.rewards_fact_day,
}

export const INTERVAL_LABELS: Record<BillingInterval, Message> = {
  day: m.rewards_interval_day,
  week: m.rewards_interval_week,
  month: m.rewards_interval_month,
  quarter: m.rewards_interval_quarter,
  half_year: m.rewards_interval_half_year,
  year: m.rewards_interval_year,
}

/** The labels of fields, by fact and name. */
const LABELS: { [F in Fact]: Record<string, Message> } = {
  product: { in: m.rewards_products_in },
  payment: {
    of: m.rewards_payment_of,
    atLeast: m.rewards_payment_from,
    atMost: m.rewards_payment_to,
  },
  customerMonths: { atLeast: m.rewards_months_from, below: m.rewards_months_below },
  lineAmount: {
    currency: m.layout_currency,
    atLeastCents: m.rewards_amount_from,
    belowCents: m.rewards_amount_below,
  },
  saleAmount: {
    currency: m.layout_currency,
    atLeastCents: m.rewards_amount_from,
    belowCents: m.rewards_amount_below,
  },
  quantity: { atLeast: m.rewards_quantity_from, atMost: m.rewards_quantity_to },
  billingInterval: { in: m.rewards_fact_interval },
  coupon: { in: m.rewards_coupons_in },
  metadata: { key: m.rewards_metadata_key, in: m.rewards_metadata_in },
  country: { in: m.rewards_countries_in },
  link: { in: m.rewards_links_in },
  sub: { in: m.rewards_subs_in },
  tier: { in: m.rewards_fact_tier },
  day: { from: m.rewards_day_from, until: m.rewards_day_until },
}

/** What helps to fill in the fields of a fact. */
const HINTS: Partial<Record<Fact, Message>> = {
  payment: m.rewards_payment_hint,
  customerMonths: m.rewards_months_hint,
  lineAmount: m.rewards_amount_hint,
  saleAmount: m.rewards_amount_hint,
  coupon: m.rewards_coupons_hint,
  metadata: m.rewards_metadata_hint,
  day: m.rewards_day_hint,
}

/** Whose payments are counted. The customer's are the default, which an API call may name too. */
const ofOptions = (named: string | undefined) => [
  { value: named === 'customer' ? named : '', label: m.rewards_of_customer },
  { value: 'subscription', label: m.rewards_of_subscription },
]

/** The list of products that fields offer. */
export const PRODUCTS = 'products'

/** Attributes of inputs by how they are filled in. */
const INPUTS: Partial<Record<FieldKind, object>> = {
  count: { inputmode: 'numeric', autocomplete: 'off', class: 'short' },
  amount: { inputmode: 'decimal', autocomplete: 'off', class: 'short' },
  day: { type: 'date', class: 'short' },
  currency: { maxlength: 3, class: 'short', ...IDENTIFIER },
  text: { maxlength: 200, ...IDENTIFIER },
}

type ValueProps = { form: Form; at: string; part: Part; fact: Fact; name: string; kind: FieldKind }

/** One field of a condition. */
const Value = ({ form, at, part, fact, name, kind }: ValueProps) => {
  const { errors, focus } = form
  const isFirst = Object.keys(FACTS[fact])[0] === name
  const field = {
    label: t(LABELS[fact][name] ?? FACT_LABELS[fact]),
    name: `${at}.${name}`,
    value: part.fields[name],
    errors,
    autofocus: isFirst && focus === at,
  }
  if (kind === 'of') return <Select {...field} options={ofOptions(field.value)} />
  if (kind === 'intervals') return <Intervals {...{ form, at, part }} isFocused={focus === at} />
  if (kind === 'tiers') return <Tiers {...{ form, at, part }} isFocused={focus === at} />
  if (!kind.endsWith('list') && kind !== 'countries') return <Field {...field} {...INPUTS[kind]} />
  const values = listIn(part.fields, name)
  const rows = Math.min(8, Math.max(2, values.length))
  return (
    <>
      <TextArea {...field} value={values.join('\n')} rows={rows} {...IDENTIFIER} />
      {fact === 'product' && (
        <Field
          label={t(m.rewards_add_product)}
          name={`${at}.${name}.add`}
          hint={t(m.rewards_add_product_hint)}
          list={PRODUCTS}
          {...IDENTIFIER}
        />
      )}
    </>
  )
}

type BoxesProps = { form: Form; at: string; part: Part; isFocused: boolean }

const Boxes = ({ form, name, children }: { form: Form; name: string; children: Child }) => {
  const error = form.errors.find(({ path }) => path === name)
  return (
    <div class="field boxes" id={name}>
      {error && <p class="error">{error.message}</p>}
      {children}
    </div>
  )
}

const Intervals = ({ form, at, part, isFocused }: BoxesProps) => {
  const name = `${at}.in`
  return (
    <Boxes {...{ form, name }}>
      {BILLING_INTERVALS.map((interval, i) => (
        <label>
          <input
            type="checkbox"
            name={`${name}.${interval}`}
            checked={part.fields[`in.${interval}`] !== undefined}
            autofocus={isFocused && i === 0}
          />
          {t(INTERVAL_LABELS[interval])}
        </label>
      ))}
    </Boxes>
  )
}

/** More than the boxes of tiers that were chosen when the condition was saved. */
const NOT_CHOSEN = MAX_VALUES

/** The tiers of the program, and those that the condition asks for all the same. */
const Tiers = ({ form, at, part, isFocused }: BoxesProps) => {
  const name = `${at}.in`
  const chosen = chosenIn(part.fields, 'in')
  const unknown = chosen.filter((tier) => !form.tiers.includes(tier))
  const tiers = [...form.tiers, ...unknown]
  return (
    <Boxes {...{ form, name }}>
      {tiers.length === 0 && <p class="hint">{t(m.rewards_no_tiers)}</p>}
      {tiers.map((tier, i) => {
        const place = chosen.indexOf(tier)
        return (
          <label>
            <input
              type="checkbox"
              // The order in which they were saved stays.
              name={`${name}.${place < 0 ? NOT_CHOSEN + i : place}`}
              value={tier}
              checked={place >= 0}
              autofocus={isFocused && i === 0}
            />
            {form.tiers.includes(tier) ? tier : t(m.rewards_unknown_tier, { tier })}
          </label>
        )
      })}
    </Boxes>
  )
}

type PartProps = { form: Form; at: string; part: Part; match: 'all' | 'any' }

/** A condition or a group, with the button that removes it. */
const Item = ({ form, at, part, match }: PartProps) => {
  const { is = '' } = part.fields
  const label = labelOf(part, match)
  const error = form.errors.find(({ path }) => path === at)
  const hint = isFact(is) && HINTS[is]
  return (
    <fieldset class="condition" id={at}>
      <legend>{label}</legend>
      <input type="hidden" name={`${at}.is`} value={is} />
      {error && <p class="error">{error.message}</p>}
      {hint && <p class="hint">{t(hint)}</p>}
      {isFact(is) && (
        <div class="values">
          {Object.entries(FACTS[is]).map(([name, kind]) => (
            <Value {...{ form, at, part, fact: is, name, kind }} />
          ))}
        </div>
      )}
      {is === 'group' && <Items {...{ form, at, part, match: match === 'all' ? 'any' : 'all' }} />}
      {is === 'kept' && <Kept {...{ at, part }} />}
      <p class="actions">
        <EditButton form={form} does={`${at}.remove`}>
          {t(m.rewards_remove_condition, { what: label, hidden })}
        </EditButton>
      </p>
    </fieldset>
  )
}

const labelOf = ({ fields: { is = '', json } }: Part, match: 'all' | 'any'): string => {
  if (is === 'group') return t(match === 'all' ? m.rewards_group_any : m.rewards_group_all)
  const fact = is === 'kept' ? keptFact(json) : is
  return isFact(fact) ? t(FACT_LABELS[fact]) : t(m.rewards_kept)
}

/** What a condition that the form cannot show is about. */
const keptFact = (json: string | undefined): string => {
  const condition = jsonOf(json)
  return typeof condition === 'object' && condition !== null && 'fact' in condition
    ? String(condition.fact)
    : ''
}

/** A condition that the form cannot show. */
const Kept = ({ at, part }: { at: string; part: Part }) => (
  <>
    <p class="hint">{t(m.rewards_kept_hint)}</p>
    <pre>
      <code>{part.fields.json}</code>
    </pre>
    <input type="hidden" name={`${at}.json`} value={part.fields.json} />
  </>
)

/** The conditions of a rule or a group, and what adds one. */
export const Items = ({ form, at, part, match }: PartProps) => {
  const isRule = part.fields.is === 'rule'
  const group = {
    value: 'group',
    label: match === 'all' ? m.rewards_group_any : m.rewards_group_all,
  }
  const facts = Object.entries(FACT_LABELS)
    .filter(([fact]) => isFact(fact) && (form.event === 'sale' || LEAD_FACTS.includes(fact)))
    .map(([value, label]) => ({ value, label }))
  const [, number = ''] = /^rules\.(\d+)/.exec(at) ?? []
  const error = form.errors.find(({ path }) => path === `${at}.when`)
  return (
    <div id={`${at}.when`}>
      {error && <p class="error">{error.message}</p>}
      {part.parts.length === 0 && <p class="hint">{t(m.rewards_no_conditions)}</p>}
      {part.parts.map((item, i) => (
        <Item {...{ form, at: `${at}.when.${i}`, part: item, match }} />
      ))}
      <div class="add">
        <Select
          label={t(m.rewards_new_condition)}
          name={`${at}.add`}
          options={isRule ? [...facts, group] : facts}
          value={part.fields.add}
          autofocus={form.focus === `${at}.when.add`}
        />
        <EditButton form={form} does={`${at}.add`}>
          {t(m.rewards_add_what, {
            button: t(m.rewards_add_condition),
            what: t(m.rewards_rule_number, { number: String(Number(number) + 1) }),
            hidden,
          })}
        </EditButton>
      </div>
    </div>
  )
}
