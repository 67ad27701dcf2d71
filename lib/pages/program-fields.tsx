/** A program as fields of a form. */

import type { ErrorDetail } from '../http/errors.ts'
import type { Fields } from '../http/validate.ts'
import { parseMoney, plainMoney } from '../money.ts'
import type { PayoutSchedule } from '../payouts/payouts.ts'
import { nextOccurrence } from '../payouts/runs.ts'
import { counted } from '../plural.ts'
import { PROGRAM_DEFAULTS, type ProgramTerms } from '../workspace/programs.ts'
import { numberIn, type Reading } from './forms.ts'
import { Checkbox, Field, Select } from './parts.tsx'
import { RewardInputs, readReward, rewardFields, rewardLabels } from './reward-fields.tsx'

/** A minimum goes for every currency, in its minor units. It is typed as most currencies are written. */
const MINIMUM_AS = 'USD'

const LABELS = {
  name: 'Name',
  siteUrl: 'Site',
  rewardInterval: 'For which sales',
  rewardDurationMonths: 'For how many months',
  holdingDays: 'Days until a commission becomes payable',
  attributionDays: 'Days for which a click counts',
  attribution: 'Who is credited',
  minimumPayoutCents: 'Minimum payout',
  payoutSchedule: 'Partners are paid',
}

/** What the fields of a program are called. */
export const PROGRAM_LABELS = { ...LABELS, ...rewardLabels('reward') }

const INTERVALS = [
  { value: 'recurring', label: 'Recurring: each sale of a customer' },
  { value: 'one-time', label: 'One-time: a customer’s first sale only' },
] as const

const ATTRIBUTIONS = [
  { value: 'last', label: 'The partner of the last click' },
  { value: 'first', label: 'The partner of the first click' },
] as const

const SCHEDULE_WORDS: Record<PayoutSchedule, string> = {
  manual: 'When a manager asks for it',
  weekly: 'Every Monday',
  twice_monthly: 'On the 1st and the 15th of each month',
  monthly: 'On the 1st of each month',
}

const SCHEDULES = Object.entries(SCHEDULE_WORDS).map(([value, label]) => ({ value, label }))

/** The fields that show a program, named by the paths of the API's errors. */
export const programFields = (program: ProgramTerms): Fields => ({
  name: program.name,
  siteUrl: program.siteUrl,
  ...rewardFields('reward', program.reward),
  rewardInterval: program.rewardInterval,
  ...(program.rewardDurationMonths !== null && {
    rewardDurationMonths: String(program.rewardDurationMonths),
  }),
  holdingDays: String(program.holdingDays),
  attributionDays: String(program.attributionDays),
  attribution: program.attribution,
  ...(program.attributeKnownCustomers && { attributeKnownCustomers: 'on' }),
  minimumPayoutCents: plainMoney(program.minimumPayoutCents, MINIMUM_AS),
  payoutSchedule: program.payoutSchedule,
})

/** The program that a form's fields say, as the API takes a new one: what is blank is as it is for a new program. */
export const readProgram = (fields: Fields): Reading => {
  const { reward, problems } = readReward('reward', fields)
  const minimum = fields.minimumPayoutCents
  const minimumPayoutCents = minimum === undefined ? undefined : parseMoney(minimum, MINIMUM_AS)
  if (minimumPayoutCents === null) {
    problems.push({ path: 'minimumPayoutCents', message: 'Must be an amount such as 50.00.' })
  }
  const input = {
    name: fields.name ?? '',
    siteUrl: fields.siteUrl ?? '',
    reward,
    rewardInterval: fields.rewardInterval,
    rewardDurationMonths: numberIn(fields, 'rewardDurationMonths'),
    holdingDays: numberIn(fields, 'holdingDays'),
    attributionDays: numberIn(fields, 'attributionDays'),
    attribution: fields.attribution,
    attributeKnownCustomers: fields.attributeKnownCustomers !== undefined,
    minimumPayoutCents,
    payoutSchedule: fields.payoutSchedule,
  }
  return { input, problems }
}

/** Asks for everything that a program has. */
export const ProgramInputs = ({ fields, errors }: { fields: Fields; errors: ErrorDetail[] | undefined }) => {
  const days = { errors, inputmode: 'numeric', autocomplete: 'off' }
  return (
    <>
      <Field
        label={LABELS.name}
        name="name"
        hint="Partners see it."
        required
        maxlength={255}
        autocomplete="off"
        value={fields.name}
        errors={errors}
      />
      <Field
        label={LABELS.siteUrl}
        name="siteUrl"
        hint="The page to which partners’ links lead, such as https://shop.example."
        required
        inputmode="url"
        autocomplete="url"
        value={fields.siteUrl}
        errors={errors}
      />
      <RewardInputs name="reward" legend="What partners earn" fields={fields} errors={errors} />
      <Select
        label={LABELS.rewardInterval}
        name="rewardInterval"
        options={INTERVALS}
        value={fields.rewardInterval ?? 'recurring'}
        errors={errors}
      />
      <Field
        label={LABELS.rewardDurationMonths}
        name="rewardDurationMonths"
        hint="Counted from the customer’s first rewarded sale. Blank is for ever. Matters only to recurring rewards."
        value={fields.rewardDurationMonths}
        {...days}
      />
      <Field
        label={LABELS.holdingDays}
        name="holdingDays"
        hint={`Time for refunds. ${PROGRAM_DEFAULTS.holdingDays} when left blank.`}
        value={fields.holdingDays}
        {...days}
      />
      <Field
        label={LABELS.attributionDays}
        name="attributionDays"
        hint={`${PROGRAM_DEFAULTS.attributionDays} when left blank. Clicks that were made before keep their own.`}
        value={fields.attributionDays}
        {...days}
      />
      <Select
        label={LABELS.attribution}
        name="attribution"
        hint="When a customer came through links of more than one partner."
        options={ATTRIBUTIONS}
        value={fields.attribution ?? PROGRAM_DEFAULTS.attribution}
        errors={errors}
      />
      <Checkbox
        label="Credit sales of known customers without a click"
        name="attributeKnownCustomers"
        hint="For merchants who report renewals themselves: the customer’s partner gets them."
        checked={fields.attributeKnownCustomers !== undefined}
      />
      <Field
        label={LABELS.minimumPayoutCents}
        name="minimumPayoutCents"
        hint={`Such as 50.00. Smaller balances are carried forward. ${PROGRAM_DEFAULTS.minimumPayoutCents} when left blank.`}
        inputmode="decimal"
        autocomplete="off"
        value={fields.minimumPayoutCents}
        errors={errors}
      />
      <Select
        label={LABELS.payoutSchedule}
        name="payoutSchedule"
        hint="By Stripe, from midnight UTC, all that is payable then. A manager can pay at any other time too."
        options={SCHEDULES}
        value={fields.payoutSchedule ?? PROGRAM_DEFAULTS.payoutSchedule}
        errors={errors}
      />
    </>
  )
}

/** For which sales a program pays its rewards, in words. */
export const intervalWords = ({
  rewardInterval,
  rewardDurationMonths: months,
}: Pick<ProgramTerms, 'rewardInterval' | 'rewardDurationMonths'>): string => {
  if (rewardInterval === 'one-time') return 'A customer’s first sale'
  return months === null ? 'Each sale' : `Each sale for ${counted(months, 'month')}`
}

/** When a program pays, in words, such as "Every Monday, next on 2026-11-23". */
export const scheduleWords = (
  { payoutSchedule }: Pick<ProgramTerms, 'payoutSchedule'>,
  now: Date,
): string => {
  const next = nextOccurrence(payoutSchedule, now)
  const words = SCHEDULE_WORDS[payoutSchedule]
  return next ? `${words}, next on ${next.toISOString().slice(0, 10)}` : words
}
