/** The form fields of a program. */

import type { Fields } from '../http/validate.ts'
import { parseMoney, plainMoney } from '../money.ts'
import { counted } from '../plural.ts'
import { PROGRAM_DEFAULTS, type ProgramTerms } from '../workspace/programs.ts'
import { Checkbox, controls, Field, type FormState, Select } from './fields.tsx'
import type { Reading } from './forms.ts'
import { numberIn, readReward } from './read-reward.ts'
import { RewardInputs, rewardFields, rewardLabels } from './reward-fields.tsx'
import { readSchedule, SCHEDULE_LABELS, ScheduleInputs, scheduleFields } from './schedule-fields.tsx'

/** Minimums apply to every currency, in minor units. They are entered with the two decimals that most have. */
export const MINIMUM_CURRENCY = 'USD'

const LABELS = {
  name: 'Name',
  siteUrl: 'Site URL',
  rewardInterval: 'Rewarded sales',
  rewardDurationMonths: 'Reward duration (months)',
  oneTimeMinimumCents: 'Smallest sale for a one-time reward',
  holdingDays: 'Holding period (days)',
  netDays: 'Net terms (days)',
  attributionDays: 'Attribution window (days)',
  attribution: 'Attribution',
  attributeKnownCustomers: 'Who reports renewals?',
  lateLeadDays: 'Time for a late lead (days)',
  selfReferrals: 'Partners’ own purchases',
  minimumPayoutCents: 'Minimum payout',
}

/** The labels of a program's fields. */
export const PROGRAM_LABELS = { ...LABELS, ...rewardLabels('reward'), ...SCHEDULE_LABELS }

const INTERVALS = [
  { value: 'recurring', label: 'Recurring: every sale to a customer' },
  { value: 'one-time', label: 'One-time: a customer’s first sale only' },
] as const

const ATTRIBUTIONS = [
  { value: 'last', label: 'Partner of the last click' },
  { value: 'first', label: 'Partner of the first click' },
] as const

/** Who reports renewals decides whether known customers are credited without a click. */
const RENEWALS = [
  { value: 'processor', label: 'Stripe, or there are none: do not credit known customers' },
  { value: 'backend', label: 'Our backend: credit known customers without a click' },
] as const

const OWN_PURCHASES = [
  { value: 'hold', label: 'Hold the commission for review' },
  { value: 'allow', label: 'Pay the commission' },
  { value: 'refuse', label: 'Create no commission' },
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
  oneTimeMinimumCents: plainMoney(program.oneTimeMinimumCents, MINIMUM_CURRENCY),
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
  minimumPayoutCents: plainMoney(program.minimumPayoutCents, MINIMUM_CURRENCY),
  ...scheduleFields(program),
  reviewDays: String(program.reviewDays),
})

/** A form's fields as API input. Blank fields take the defaults of a new program. */
export const readProgram = (fields: Fields): Reading => {
  const { reward, problems } = readReward('reward', fields)
  const readMinimum = (path: 'oneTimeMinimumCents' | 'minimumPayoutCents') => {
    const entered = fields[path]
    const cents = entered === undefined ? undefined : parseMoney(entered, MINIMUM_CURRENCY)
    if (cents === null) problems.push({ path, message: 'Must be an amount such as 50.00.' })
    return cents
  }
  if (fields.rewardInterval === 'recurring' && fields.attributeKnownCustomers === undefined) {
    problems.push({ path: 'attributeKnownCustomers', message: 'Choose who reports renewals.' })
  }
  const input = {
    name: fields.name ?? '',
    siteUrl: fields.siteUrl ?? '',
    reward,
    rewardInterval: fields.rewardInterval,
    rewardDurationMonths: numberIn(fields, 'rewardDurationMonths'),
    oneTimeMinimumCents: readMinimum('oneTimeMinimumCents'),
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
    minimumPayoutCents: readMinimum('minimumPayoutCents'),
    ...readSchedule(fields),
    reviewDays: numberIn(fields, 'reviewDays'),
  }
  return { input, problems }
}

/** The inputs for all settings of a program. `example` works out the saved reward. */
export const ProgramInputs = ({ example, fields, errors }: FormState & { example?: string | undefined }) => {
  const control = controls(LABELS, { fields, errors })
  const days = { inputmode: 'numeric', autocomplete: 'off' }
  return (
    <>
      <Field {...control('name')} hint="Visible to partners." required maxlength={255} autocomplete="off" />
      <Field
        {...control('siteUrl')}
        hint="Partners’ links lead here. For example https://shop.example."
        required
        inputmode="url"
        autocomplete="url"
      />
      <RewardInputs name="reward" legend="Reward" example={example} fields={fields} errors={errors} />
      <Select
        {...control('rewardInterval')}
        options={INTERVALS}
        value={fields.rewardInterval ?? 'recurring'}
      />
      <Field
        {...control('rewardDurationMonths')}
        hint="For recurring rewards, from the customer’s first rewarded sale. Leave blank for no limit."
        {...days}
      />
      <Field
        {...control('oneTimeMinimumCents')}
        hint={`For example 5.00, so that a paid trial earns nothing and the first full payment is rewarded. Defaults to ${PROGRAM_DEFAULTS.oneTimeMinimumCents}.`}
        inputmode="decimal"
        autocomplete="off"
      />
      <Checkbox
        label="Reward shipping"
        name="rewardShipping"
        hint="Calculates rewards with the shipping costs of sales that Stripe reports."
        checked={fields.rewardShipping !== undefined}
      />
      <Checkbox
        label="Credit invoices paid outside Stripe"
        name="creditOutOfBand"
        hint="Rewards invoices that you marked as paid, or that the customer’s credit balance paid."
        checked={fields.creditOutOfBand !== undefined}
      />
      <Field
        {...control('holdingDays')}
        hint={`Time for refunds before a commission becomes payable. Defaults to ${PROGRAM_DEFAULTS.holdingDays}.`}
        {...days}
      />
      <Field
        {...control('netDays')}
        hint="Also waits until this many days after the end of the sale’s month, such as 15, 30 or 60. Leave blank to wait for the holding period only. Existing commissions do not change."
        {...days}
      />
      <Field
        {...control('attributionDays')}
        hint={`How long a click is credited. Defaults to ${PROGRAM_DEFAULTS.attributionDays}. Existing clicks do not change.`}
        {...days}
      />
      <Select
        {...control('attribution')}
        hint="Applies when a customer clicked the links of several partners."
        options={ATTRIBUTIONS}
        value={fields.attribution ?? PROGRAM_DEFAULTS.attribution}
      />
      <Select
        {...control('attributeKnownCustomers')}
        hint="Clicks expire, so a renewal that your backend reports has none that counts. It can be credited to the customer’s partner instead, like every sale of a known customer without a click."
        options={
          fields.attributeKnownCustomers ? RENEWALS : [{ value: '', label: 'Choose one' }, ...RENEWALS]
        }
        value={fields.attributeKnownCustomers}
        required
      />
      <Field
        {...control('lateLeadDays')}
        hint={`A sale that your backend reports without a click is credited if a lead of its customer follows within this time, with a click from before the sale. Defaults to ${PROGRAM_DEFAULTS.lateLeadDays}.`}
        {...days}
      />
      <Checkbox
        label="Trust partners named in reports"
        name="trustedAttribution"
        hint="For sales without a click, such as by phone. Your backend names the partner by a slug or a coupon, so whoever has its API key can credit any partner of this program."
        checked={fields.trustedAttribution !== undefined}
      />
      <Select
        {...control('selfReferrals')}
        hint="Applies when the customer’s email address leads to the partner’s own mailbox."
        options={OWN_PURCHASES}
        value={fields.selfReferrals ?? PROGRAM_DEFAULTS.selfReferrals}
      />
      <Field
        {...control('minimumPayoutCents')}
        hint={`For example 50.00. Smaller balances are carried forward. Defaults to ${PROGRAM_DEFAULTS.minimumPayoutCents}.`}
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
}: Pick<ProgramTerms, 'rewardInterval' | 'rewardDurationMonths' | 'oneTimeMinimumCents'>): string => {
  if (rewardInterval === 'one-time') {
    return `A customer’s first sale${minimum ? ` of at least ${plainMoney(minimum, MINIMUM_CURRENCY)}` : ''}`
  }
  return months === null ? 'Each sale' : `Each sale for ${counted(months, 'month')}`
}
