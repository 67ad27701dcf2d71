/** Requests about programs, for the API and the pages' forms. */
import * as z from 'zod'
import { integer, name, optional } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import { PAYOUT_SCHEDULES } from '../payouts/payouts.ts'
import { reward } from '../tracking/rewards.schemas.ts'
import { PROGRAM_DEFAULTS } from './programs.ts'

/** Longer than the address of any shop's front page, and short enough to stand in a mail. */
const MAX_URL_LENGTH = 2_048

/** The address of a page that a browser can open. Credentials in it would be shown to every partner. */
const isSite = (text: string): boolean => {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

const siteUrl = z
  .string('Must be a text.')
  .trim()
  .max(MAX_URL_LENGTH, `Must have at most ${MAX_URL_LENGTH} characters.`)
  .refine(
    isSite,
    'Must be the http or https address of a page, such as https://shop.example, without a password.',
  )
  .meta({ description: 'The page to which partners’ links lead.' })

const programFields = {
  name: name('The program’s name, which partners see.'),
  siteUrl,
  reward: reward.meta({ description: 'What a sale earns, unless the partner’s group says otherwise.' }),
  rewardInterval: z
    .enum(['one-time', 'recurring'], 'Must be one-time or recurring.')
    .meta({ description: 'Whether a customer’s first sale alone is rewarded, or each one.' }),
  rewardDurationMonths: integer(
    1,
    1_200,
    'Months for which a recurring reward is paid; null is for ever.',
  ).nullable(),
  holdingDays: integer(0, 3_650, 'Days until a commission becomes payable.'),
  attributionDays: integer(1, 3_650, 'Days for which a click counts.'),
  attribution: z
    .enum(['last', 'first'], 'Must be last or first.')
    .meta({ description: 'Whose a customer is: the partner’s of the last credited event, or of the first.' }),
  attributeKnownCustomers: z
    .boolean('Must be true or false.')
    .meta({ description: 'Credits a known customer’s sale without a click, for reports of renewals.' }),
  minimumPayoutCents: integer(
    0,
    MAX_AMOUNT_CENTS,
    'What has to be payable before it is paid out, in minor units.',
  ),
  payoutSchedule: z.enum(PAYOUT_SCHEDULES, 'Must be manual, weekly, twice_monthly or monthly.').meta({
    description:
      'When partners are paid by themselves, by Stripe, from midnight UTC: on Mondays, on the 1st and the 15th, ' +
      'on the 1st, or never.',
  }),
}

/** A field that takes its default when it is absent or null. */
const withDefault = <S extends z.ZodType>(schema: S, fallback: z.output<S>) =>
  optional(schema).transform((value) => value ?? fallback)

/** POST /api/workspaces/:workspace/programs. */
export const NewProgram = z
  .strictObject({
    ...programFields,
    rewardDurationMonths: withDefault(
      programFields.rewardDurationMonths,
      PROGRAM_DEFAULTS.rewardDurationMonths,
    ),
    holdingDays: withDefault(programFields.holdingDays, PROGRAM_DEFAULTS.holdingDays),
    attributionDays: withDefault(programFields.attributionDays, PROGRAM_DEFAULTS.attributionDays),
    attribution: withDefault(programFields.attribution, PROGRAM_DEFAULTS.attribution),
    attributeKnownCustomers: withDefault(
      programFields.attributeKnownCustomers,
      PROGRAM_DEFAULTS.attributeKnownCustomers,
    ),
    minimumPayoutCents: withDefault(programFields.minimumPayoutCents, PROGRAM_DEFAULTS.minimumPayoutCents),
    payoutSchedule: withDefault(programFields.payoutSchedule, PROGRAM_DEFAULTS.payoutSchedule),
  })
  .meta({ id: 'NewProgram' })

/** PATCH /api/workspaces/:workspace/programs/:id. Absent fields are left unchanged. */
export const ProgramChange = z.strictObject(programFields).partial().meta({ id: 'ProgramChange' })
