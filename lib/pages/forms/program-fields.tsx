import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import { inEnglish, type Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { PROGRAM_DEFAULTS, type ProgramTerms } from '../../programs/programs.ts'
import type { OneTimePer } from '../../rules/steps/intervals.ts'
import { exactMoney, parseMoney } from '../../values/money.ts'
import { t } from '../layout/text.ts'
import { Checkbox, controls, Field, type FormState, IDENTIFIER, Select } from './fields.tsx'
import type { Reading } from './forms.ts'
import { numberIn, readReward } from './read-reward.ts'
import { RewardInputs, rewardFields, rewardLabels } from './reward-fields.tsx'
import {
  readSchedule,
  SCHEDULE_LABELS,
  ScheduleInputs,
  scheduleFields,
} from './schedule-fields.tsx'

/** Minimums apply to every currency, in minor units. They are entered with two decimals. */
export const MINIMUM_CURRENCY = 'USD'

const LABELS = {
  name: m.layout_name,
  siteUrl: m.programs_site_url,
  rewardInterval: m.programs_rewarded_sales,
  rewardDurationMonths: m.programs_reward_duration_months,
  oneTimeMinimumCents: m.programs_smallest_sale,
  oneTimePer: m.programs_one_time_per,
  holdingDays: m.programs_holding_period_days,
  netDays: m.programs_net_terms_days,
  attributionDays: m.programs_attribution_window_days,
  attribution: m.programs_attribution,
  attributeKnownCustomers: m.programs_who_reports_renewals,
  lateLeadDays: m.programs_time_late_lead,
  selfReferrals: m.programs_partners_own_purchases,
  unverifiedAddresses: m.programs_unverified_addresses,
  minimumPayoutCents: m.programs_minimum_payout,
  manualEarningsNoticeCents: m.programs_manual_earnings_notice,
  'monthlyBudget.amountCents': m.programs_budget,
  'monthlyBudget.currency': m.programs_budget_currency,
}

export const PROGRAM_LABELS = { ...LABELS, ...rewardLabels('reward'), ...SCHEDULE_LABELS }

const INTERVALS = [
  { value: 'recurring', label: m.programs_recurring },
  { value: 'one-time', label: m.programs_one_time },
] as const

const ONE_TIME_PER_OPTIONS = [
  { value: 'customer', label: m.programs_once_per_customer },
  { value: 'product', label: m.programs_once_per_product },
] as const satisfies { value: OneTimePer; label: Message }[]

const ATTRIBUTIONS = [
  { value: 'last', label: m.programs_last_click },
  { value: 'first', label: m.programs_first_click },
] as const

/** Who reports renewals determines whether known customers are credited without a click. */
const RENEWALS = [
  { value: 'processor', label: m.programs_renewals_processor },
  { value: 'backend', label: m.programs_renewals_backend },
] as const

const OWN_PURCHASES = [
  { value: 'hold', label: m.programs_own_purchases_hold },
  { value: 'allow', label: m.programs_own_purchases_pay },
  { value: 'refuse', label: m.programs_own_purchases_refuse },
] as const

const BY_ADDRESS = [
  { value: 'allow', label: m.programs_unverified_allow },
  { value: 'hold', label: m.programs_unverified_hold },
] as const

/** A program as form fields, named by the paths in the API's errors. */
export const programFields = (program: ProgramTerms): Fields => ({
  name: program.name,
  siteUrl: program.siteUrl,
  ...rewardFields('reward', program.reward),
  rewardInterval: program.rewardInterval,
  ...(program.rewardDurationMonths !== null && {
    rewardDurationMonths: String(program.rewardDurationMonths),
  }),
  oneTimeMinimumCents: exactMoney(program.oneTimeMinimumCents, MINIMUM_CURRENCY),
  oneTimePer: program.oneTimePer,
  ...budgetFields(program.monthlyBudget),
  ...(program.rewardShipping && { rewardShipping: 'on' }),
  ...(program.creditOutOfBand && { creditOutOfBand: 'on' }),
  holdingDays: String(program.holdingDays),
  ...(program.netDays !== null && { netDays: String(program.netDays) }),
  attributionDays: String(program.attributionDays),
  attribution: program.attribution,
  attributeKnownCustomers: program.attributeKnownCustomers ? 'backend' : 'processor',
  lateLeadDays: String(program.lateLeadDays),
  ...(program.trustedAttribution && { trustedAttribution: 'on' }),
  selfReferrals: program.selfReferrals,
  unverifiedAddresses: program.unverifiedAddresses,
  minimumPayoutCents: exactMoney(program.minimumPayoutCents, MINIMUM_CURRENCY),
  manualEarningsNoticeCents: exactMoney(program.manualEarningsNoticeCents, MINIMUM_CURRENCY),
  ...scheduleFields(program),
  reviewDays: String(program.reviewDays),
})

const budgetFields = (budget: ProgramTerms['monthlyBudget']): Fields =>
  budget
    ? {
        'monthlyBudget.amountCents': exactMoney(budget.amountCents, budget.currency),
        'monthlyBudget.currency': budget.currency,
      }
    : {}

/** The budget in a form's fields as API input; null if its amount is blank. */
const readBudget = (fields: Fields, problems: ErrorDetail[]) => {
  const path = 'monthlyBudget.amountCents'
  const entered = fields[path]
  if (entered === undefined) return null
  const currency = fields['monthlyBudget.currency']?.toUpperCase() ?? ''
  const amountCents = parseMoney(entered, currency)
  if (!amountCents) {
    const amount = exactMoney(500_000, currency)
    problems.push({ path, message: inEnglish(m.programs_must_be_amount_as, { amount }) })
  }
  return { amountCents, currency }
}

/** A form's fields as API input. Blank fields take the defaults of a new program. */
export const readProgram = (fields: Fields): Reading => {
  const { reward, problems } = readReward('reward', fields)
  const readAmount = (
    path: 'oneTimeMinimumCents' | 'minimumPayoutCents' | 'manualEarningsNoticeCents',
  ) => {
    const entered = fields[path]
    const cents = entered === undefined ? undefined : parseMoney(entered, MINIMUM_CURRENCY)
    if (cents === null) problems.push({ path, message: inEnglish(m.programs_must_be_amount) })
    return cents
  }
  if (fields.rewardInterval === 'recurring' && fields.attributeKnownCustomers === undefined) {
    problems.push({
      path: 'attributeKnownCustomers',
      message: inEnglish(m.programs_choose_renewals),
    })
  }
  const input = {
    name: fields.name ?? '',
    siteUrl: fields.siteUrl ?? '',
    reward,
    rewardInterval: fields.rewardInterval,
    rewardDurationMonths: numberIn(fields, 'rewardDurationMonths'),
    oneTimeMinimumCents: readAmount('oneTimeMinimumCents'),
    oneTimePer: fields.oneTimePer,
    monthlyBudget: readBudget(fields, problems),
    rewardShipping: fields.rewardShipping !== undefined,
    creditOutOfBand: fields.creditOutOfBand !== undefined,
    holdingDays: numberIn(fields, 'holdingDays'),
    netDays: numberIn(fields, 'netDays'),
    attributionDays: numberIn(fields, 'attributionDays'),
    attribution: fields.attribution,
    attributeKnownCustomers: fields.attributeKnownCustomers === 'backend',
    lateLeadDays: numberIn(fields, 'lateLeadDays'),
    trustedAttribution: fields.trustedAttribution !== undefined,
    selfReferrals: fields.selfReferrals,
    unverifiedAddresses: fields.unverifiedAddresses,
    minimumPayoutCents: readAmount('minimumPayoutCents'),
    manualEarningsNoticeCents: readAmount('manualEarningsNoticeCents'),
    ...readSchedule(fields),
    reviewDays: numberIn(fields, 'reviewDays'),
  }
  return { input, problems }
}

/** The inputs for all settings of a program. `example` shows what the saved reward earns. */
export const ProgramInputs = ({
  example,
  fields,
  errors,
}: FormState & { example?: string | undefined }) => {
  const control = controls(LABELS, { fields, errors })
  const days = { inputmode: 'numeric', autocomplete: 'off' }
  return (
    <>
      <Field
        {...control('name')}
        hint={t(m.programs_name_hint)}
        required
        maxlength={255}
        autocomplete="off"
      />
      <Field
        {...control('siteUrl')}
        hint={t(m.programs_site_hint)}
        required
        inputmode="url"
        autocomplete="url"
      />
      <RewardInputs
        name="reward"
        legend={t(m.programs_reward)}
        example={example}
        fields={fields}
        errors={errors}
      />
      <Select
        {...control('rewardInterval')}
        options={INTERVALS}
        value={fields.rewardInterval ?? 'recurring'}
      />
      <Field {...control('rewardDurationMonths')} hint={t(m.programs_duration_hint)} {...days} />
      <Field
        {...control('oneTimeMinimumCents')}
        hint={t(m.programs_smallest_sale_hint, {
          standard: String(PROGRAM_DEFAULTS.oneTimeMinimumCents),
        })}
        inputmode="decimal"
        autocomplete="off"
      />
      <Select
        {...control('oneTimePer')}
        hint={t(m.programs_one_time_per_hint)}
        options={ONE_TIME_PER_OPTIONS}
        value={fields.oneTimePer ?? PROGRAM_DEFAULTS.oneTimePer}
      />
      <Field
        {...control('monthlyBudget.amountCents')}
        hint={t(m.programs_budget_hint)}
        inputmode="decimal"
        autocomplete="off"
      />
      <Field
        {...control('monthlyBudget.currency')}
        {...IDENTIFIER}
        maxlength={3}
        value={fields['monthlyBudget.currency'] ?? MINIMUM_CURRENCY}
      />
      <Checkbox
        label={t(m.programs_reward_shipping)}
        name="rewardShipping"
        hint={t(m.programs_shipping_hint)}
        checked={fields.rewardShipping !== undefined}
      />
      <Checkbox
        label={t(m.programs_credit_out_of_band)}
        name="creditOutOfBand"
        hint={t(m.programs_out_of_band_hint)}
        checked={fields.creditOutOfBand !== undefined}
      />
      <Field
        {...control('holdingDays')}
        hint={t(m.programs_holding_hint, { standard: String(PROGRAM_DEFAULTS.holdingDays) })}
        {...days}
      />
      <Field {...control('netDays')} hint={t(m.programs_net_terms_hint)} {...days} />
      <Field
        {...control('attributionDays')}
        hint={t(m.programs_attribution_days_hint, {
          standard: String(PROGRAM_DEFAULTS.attributionDays),
        })}
        {...days}
      />
      <Select
        {...control('attribution')}
        hint={t(m.programs_attribution_hint)}
        options={ATTRIBUTIONS}
        value={fields.attribution ?? PROGRAM_DEFAULTS.attribution}
      />
      <Select
        {...control('attributeKnownCustomers')}
        hint={t(m.programs_renewals_hint)}
        options={
          fields.attributeKnownCustomers
            ? RENEWALS
            : [{ value: '', label: m.programs_choose_one }, ...RENEWALS]
        }
        value={fields.attributeKnownCustomers}
        required
      />
      <Field
        {...control('lateLeadDays')}
        hint={t(m.programs_late_lead_hint, { standard: String(PROGRAM_DEFAULTS.lateLeadDays) })}
        {...days}
      />
      <Checkbox
        label={t(m.programs_trusted_attribution)}
        name="trustedAttribution"
        hint={t(m.programs_trusted_hint)}
        checked={fields.trustedAttribution !== undefined}
      />
      <Select
        {...control('selfReferrals')}
        hint={t(m.programs_own_purchases_hint)}
        options={OWN_PURCHASES}
        value={fields.selfReferrals ?? PROGRAM_DEFAULTS.selfReferrals}
      />
      <Select
        {...control('unverifiedAddresses')}
        hint={t(m.programs_unverified_hint)}
        options={BY_ADDRESS}
        value={fields.unverifiedAddresses ?? PROGRAM_DEFAULTS.unverifiedAddresses}
      />
      <Field
        {...control('minimumPayoutCents')}
        hint={t(m.programs_minimum_payout_hint, {
          standard: String(PROGRAM_DEFAULTS.minimumPayoutCents),
        })}
        inputmode="decimal"
        autocomplete="off"
      />
      <Field
        {...control('manualEarningsNoticeCents')}
        hint={t(m.programs_manual_earnings_hint, {
          standard: exactMoney(PROGRAM_DEFAULTS.manualEarningsNoticeCents, MINIMUM_CURRENCY),
        })}
        inputmode="decimal"
        autocomplete="off"
      />
      <ScheduleInputs fields={fields} errors={errors} />
    </>
  )
}

/** The sales that a program rewards, such as "Each sale for 12 months". */
export const describeInterval = ({
  rewardInterval,
  rewardDurationMonths: months,
  oneTimeMinimumCents: minimum,
  oneTimePer,
}: Pick<
  ProgramTerms,
  'rewardInterval' | 'rewardDurationMonths' | 'oneTimeMinimumCents' | 'oneTimePer'
>): string => {
  if (rewardInterval === 'one-time') {
    const first = t(oneTimePer === 'product' ? m.programs_first_of_product : m.programs_first_sale)
    return minimum
      ? t(m.programs_first_sale_of, { first, minimum: exactMoney(minimum, MINIMUM_CURRENCY) })
      : first
  }
  return months === null ? t(m.programs_each_sale) : t(m.programs_each_sale_months, { months })
}
