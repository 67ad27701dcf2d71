/** The sale to try, and what it would earn. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field, IDENTIFIER, Select, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { BILLING_INTERVALS } from '../../../lib/rules/rewards/sale-lines.ts'
import { explain } from '../../../lib/tracking/events/explain.ts'
import { INTERVAL_LABELS, PRODUCTS } from './condition-fields.tsx'
import type { Tried } from './try-sale.ts'

/** What is shown of a tried sale or lead: its outcome, or why there is none. */
export type Outcome = { tried: Tried } | { why: Message }

/** A sale or lead to try, and its outcome. */
export type Trial = { fields: Fields; errors: ErrorDetail[]; outcome: Outcome }

/**
 * @param edit  the path that shows the outcome
 * @param tiers the names of the program's tiers
 */
export type TryProps = Trial & { edit: string; tiers: string[] }

type FieldOf = ReturnType<typeof fieldsIn>

/** The attributes of the fields of a trial. */
export const fieldsIn =
  ({ fields, errors }: Trial) =>
  (name: string, label: Message) => ({
    label: t(label),
    name: `try.${name}`,
    value: fields[`try.${name}`],
    errors,
    autocomplete: 'off',
  })

export const TrySale = ({ fields, errors, outcome, edit, tiers }: TryProps) => {
  const field = fieldsIn({ fields, errors, outcome })
  const count = { inputmode: 'numeric', class: 'short' }
  return (
    <section class="card" aria-labelledby="try">
      <h2 id="try">{t(m.rewards_try)}</h2>
      <p class="hint">{t(m.rewards_try_hint)}</p>
      <Line end="" {...{ field }} />
      <div class="values">
        <Field
          {...field('currency', m.layout_currency)}
          class="short"
          maxlength={3}
          autocapitalize="characters"
          spellcheck="false"
        />
        <Field {...field('payment', m.rewards_try_payment)} {...count} />
        <Field {...field('months', m.rewards_try_months)} {...count} />
        <TierField {...{ field, tiers }} />
      </div>
      <details open={isMoreUsed(fields)}>
        <summary>{t(m.rewards_try_second)}</summary>
        <Line end="2" {...{ field }} />
      </details>
      <details open={isOtherUsed(fields, errors)}>
        <summary>{t(m.rewards_try_more)}</summary>
        <OtherFields field={field}>
          <Field {...field('subscription', m.rewards_try_subscription)} {...count} />
        </OtherFields>
      </details>
      <TryButton edit={edit} label={m.rewards_try_button} outcome={outcome} />
    </section>
  )
}

/** The partner's tier, if the program has tiers. */
export const TierField = ({ field, tiers }: { field: FieldOf; tiers: string[] }) =>
  tiers.length > 0 ? (
    <Select
      {...field('tier', m.rewards_fact_tier)}
      options={[
        { value: '', label: m.rewards_try_no_tier },
        ...tiers.map((tier) => ({ value: tier, label: tier })),
      ]}
    />
  ) : null

/** What a lead has too: the customer's country, coupon, click, day and metadata. */
export const OtherFields = ({ field, children }: { field: FieldOf; children?: Child }) => (
  <>
    <div class="values">
      <Field {...field('country', m.rewards_fact_country)} class="short" maxlength={2} />
      {children}
      <Field {...field('coupon', m.rewards_try_coupon)} {...IDENTIFIER} />
      <Field {...field('link', m.rewards_fact_link)} {...IDENTIFIER} />
      <Field {...field('sub', m.rewards_fact_sub)} {...IDENTIFIER} />
      <Field {...field('day', m.rewards_try_day)} type="date" class="short" />
    </div>
    <TextArea
      {...field('metadata', m.rewards_fact_metadata)}
      {...IDENTIFIER}
      hint={t(m.rewards_try_metadata_hint)}
      rows={2}
    />
  </>
)

type ButtonProps = { edit: string; label: Message; outcome: Outcome }

/** The button that tries it, and the outcome. */
export const TryButton = ({ edit, label, outcome }: ButtonProps) => (
  <>
    <p>
      <button type="submit" class="quiet" formaction={edit} formnovalidate name="do" value="try">
        {t(label)}
      </button>
    </p>
    <div role="status" class="outcome">
      {'why' in outcome ? <p class="hint">{t(outcome.why)}</p> : <Earned {...outcome.tried} />}
    </div>
  </>
)

type LineProps = { end: '' | '2'; field: FieldOf }

/** One line of the sale. */
const Line = ({ end, field }: LineProps) => (
  <div class="values">
    <Field {...field(`product${end}`, m.rewards_try_product)} list={PRODUCTS} {...IDENTIFIER} />
    <Field {...field(`amount${end}`, m.amount_column)} inputmode="decimal" class="short" />
    <Field
      {...field(`quantity${end}`, m.rewards_fact_quantity)}
      inputmode="numeric"
      class="short"
    />
    <Select
      {...field(`interval${end}`, m.rewards_fact_interval)}
      options={[
        { value: '', label: m.rewards_interval_none },
        ...BILLING_INTERVALS.map((value) => ({ value, label: INTERVAL_LABELS[value] })),
      ]}
    />
  </div>
)

const isMoreUsed = (fields: Fields): boolean =>
  ['try.product2', 'try.amount2'].some((name) => fields[name] !== undefined)

const OTHERS = ['country', 'subscription', 'coupon', 'link', 'sub', 'metadata']

const isOtherUsed = (fields: Fields, errors: ErrorDetail[]): boolean =>
  OTHERS.some((name) => fields[`try.${name}`] !== undefined) ||
  errors.some(({ path }) => path === 'try.day')

const Earned = ({ earned, steps }: Tried) => (
  <>
    <p>
      <strong>
        {earned
          ? t(m.rewards_try_earns, { amount: money(earned.amountCents, earned.currency) })
          : t(m.rewards_try_earns_nothing)}
      </strong>
    </p>
    {steps.length > 0 && (
      <ul>
        {steps.map((step) => (
          <li>{explain(step, money)}</li>
        ))}
      </ul>
    )}
  </>
)
