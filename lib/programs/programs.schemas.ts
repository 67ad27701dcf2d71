/** Requests about programs, for the API and the pages' forms. */
import * as z from 'zod'
import { integer, name, optional } from '../http/fields.ts'
import { currency } from '../http/report-fields.ts'
import { UNVERIFIED_ADDRESSES } from '../rules/attribution/address-claims.ts'
import { SELF_REFERRALS } from '../rules/attribution/self-referrals.ts'
import { bonuses } from '../rules/bonuses/bonuses.schemas.ts'
import { PROGRAM_MODES } from '../rules/programs/mode.ts'
import {
  DEFAULT_DAYS,
  daysRefusalOf,
  LAST_DAY,
  PAYOUT_SCHEDULES,
  type PayoutSchedule,
} from '../rules/programs/schedules.ts'
import { reward } from '../rules/rewards/rewards.schemas.ts'
import { ONE_TIME_PER } from '../rules/steps/intervals.ts'
import { tiers } from '../rules/tiers/tiers.schemas.ts'
import { MAX_AMOUNT_CENTS } from '../values/money.ts'
import { PROGRAM_DEFAULTS } from './programs.ts'

/** Longer than the URL of any front page, and short enough for a mail. */
const MAX_URL_LENGTH = 2_048

/** Whether a browser can open a URL. Credentials are refused: every partner would see them. */
const isSite = (text: string): boolean => {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  )
}

const siteUrl = z
  .string('Must be a string.')
  .trim()
  .max(MAX_URL_LENGTH, `Must have at most ${MAX_URL_LENGTH} characters.`)
  .refine(isSite, 'Must be an http or https URL without a password, such as https://shop.example.')
  .meta({ description: 'The page that partners’ links point to.' })

const mode = z.enum(PROGRAM_MODES, 'Must be live or shadow.').meta({
  description:
    '`shadow` while another platform pays the program’s partners: events are recorded and decided, and nothing is payable. ' +
    'The cut-over makes it `live`.',
})

const programFields = {
  name: name('The program’s name. Partners see it.'),
  siteUrl,
  reward: reward.meta({ description: 'The reward for a sale. A group can override it.' }),
  rewardInterval: z
    .enum(['one-time', 'recurring'], 'Must be one-time or recurring.')
    .meta({ description: 'Whether only a customer’s first sale is rewarded, or every sale.' }),
  rewardDurationMonths: integer(
    1,
    1_200,
    'Months for which a recurring reward is paid; null for no limit.',
  ).nullable(),
  oneTimeMinimumCents: integer(
    0,
    MAX_AMOUNT_CENTS,
    'The smallest sale that earns a one-time reward, in minor units of its currency. Smaller sales, such as paid ' +
      'trials, earn nothing, and a later sale can still earn the reward.',
  ),
  oneTimePer: z.enum(ONE_TIME_PER, 'Must be customer or product.').meta({
    description:
      'Whether a one-time reward is earned once per customer, or once per customer and product.',
  }),
  tiers: tiers.nullable().meta({
    description: 'What partners reach by their sales. Conditions of rewards ask for it.',
  }),
  bonuses: bonuses.meta({
    description: 'What each partner earns once for a milestone. Replaces the whole list.',
  }),
  monthlyBudget: z
    .strictObject({
      amountCents: integer(1, MAX_AMOUNT_CENTS, 'Minor units.'),
      currency,
    })
    .nullable()
    .meta({
      description:
        'What the program’s commissions of a calendar month (UTC) may come to. What is above it is held for a manager. ' +
        'Commissions in other currencies have no budget.',
    }),
  rewardShipping: z.boolean('Must be true or false.').meta({
    description:
      'Whether rewards are calculated with the shipping costs of sales that Stripe reports.',
  }),
  creditOutOfBand: z.boolean('Must be true or false.').meta({
    description:
      'Whether invoices that Stripe reports as paid without a payment earn commissions: marked as paid, or paid from ' +
      'the customer’s credit balance.',
  }),
  holdingDays: integer(0, 3_650, 'Days before a commission becomes payable.'),
  netDays: integer(
    1,
    365,
    'Net terms, such as 30: a commission is payable that many days after the last day of its sale’s month (UTC), and ' +
      'not before its holding days are over. null for holding days alone.',
  ).nullable(),
  attributionDays: integer(1, 3_650, 'Days before a click expires.'),
  attribution: z.enum(['last', 'first'], 'Must be last or first.').meta({
    description:
      'Whether the partner of a customer’s last attributed event is credited, or of the first.',
  }),
  attributeKnownCustomers: z.boolean('Must be true or false.').meta({
    description:
      'Credits a known customer’s sales without a click, such as renewals. Applies to sales from now on.',
  }),
  lateLeadDays: integer(
    0,
    90,
    'Days in which a later lead or sale with an earlier click credits a payment that credited nobody. The commission is ' +
      'held for a manager. 0 turns it off. Applies to sales from now on.',
  ),
  trustedAttribution: z.boolean('Must be true or false.').meta({
    description:
      'Credits sales and leads that your backend reports without a click to the partner whom it names by `partnerSlug` or `couponCode`.',
  }),
  selfReferrals: z.enum(SELF_REFERRALS, 'Must be hold, allow or refuse.').meta({
    description:
      'Whether a commission whose customer has the partner’s own email address is held for a manager, paid like ' +
      'any other, or not created.',
  }),
  unverifiedAddresses: z.enum(UNVERIFIED_ADDRESSES, 'Must be allow or hold.').meta({
    description:
      'What happens to a commission that is credited only by an address that no lead has reported as verified ' +
      '(`emailVerified`): paid like any other, or held for a manager.',
  }),
  minimumPayoutCents: integer(
    0,
    MAX_AMOUNT_CENTS,
    'The smallest balance that is paid out, in minor units.',
  ),
  manualEarningsNoticeCents: integer(
    0,
    MAX_AMOUNT_CENTS,
    'When more than this is made payable by hand in a day, all managers are mailed. In minor units of any currency.',
  ),
  payoutSchedule: z
    .enum(PAYOUT_SCHEDULES, 'Must be manual, weekly, twice_monthly or monthly.')
    .meta({
      description:
        'How often partners are paid automatically by Stripe, from midnight UTC; never if `manual`. `payoutDays` has the ' +
        'days. A schedule starts three days after it is set.',
    }),
  payoutDays: z
    .array(integer(1, LAST_DAY, 'A day.'), 'Must be an array of days.')
    .max(2, 'Must have at most two days.')
    .nullable()
    .meta({
      description:
        'The days of the schedule, sent with `payoutSchedule`: a weekday from 1, Monday, or days of the month to 28, or 31 ' +
        'for the last. null for Monday, the 1st, or the 1st and 15th.',
    }),
  reviewDays: integer(
    0,
    14,
    'Days between a scheduled run and its sending. Its payouts are fixed and mailed to managers, who can stop it before.',
  ),
}

/** Refuses days that do not fit the schedule. */
const checkDays = (context: {
  value: { payoutSchedule?: PayoutSchedule | undefined; payoutDays?: number[] | null | undefined }
  issues: z.core.$ZodRawIssue[]
}): void => {
  const { payoutSchedule, payoutDays } = context.value
  if (!payoutDays) return
  const message = payoutSchedule
    ? daysRefusalOf({ payoutSchedule, payoutDays })
    : 'Must be sent with payoutSchedule.'
  if (message)
    context.issues.push({ code: 'custom', message, path: ['payoutDays'], input: payoutDays })
}

/** A field that takes its default when it is absent or null. */
const withDefault = <S extends z.ZodType>(schema: S, fallback: z.output<S>) =>
  optional(schema)
    .meta({ default: fallback })
    .transform((value) => value ?? fallback)

type Defaulted = {
  [Field in keyof typeof PROGRAM_DEFAULTS]: z.ZodType<z.output<(typeof programFields)[Field]>>
}

const defaulted = Object.fromEntries(
  Object.entries(PROGRAM_DEFAULTS).map(([field, fallback]) => [
    field,
    withDefault<z.ZodType>(programFields[field as keyof Defaulted], fallback),
  ]),
) as object as Defaulted

/** POST /api/workspaces/:workspace/programs. */
export const NewProgram = z
  .strictObject({
    ...programFields,
    ...defaulted,
    payoutDays: optional(programFields.payoutDays),
    mode: optional(mode),
  })
  .check(checkDays)
  .transform((program) => ({
    ...program,
    payoutDays:
      program.payoutDays?.toSorted((a, b) => a - b) ?? DEFAULT_DAYS[program.payoutSchedule],
  }))
  .meta({ id: 'NewProgram' })

/** PATCH /api/workspaces/:workspace/programs/:id. Omitted fields keep their values. */
export const ProgramChange = z
  .strictObject({ ...programFields, mode })
  .partial()
  .check(checkDays)
  .meta({ id: 'ProgramChange' })
