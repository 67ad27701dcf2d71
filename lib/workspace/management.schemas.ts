/** What the endpoints that set a workspace up take: design, section 12. The pages' forms go through them too. */
import * as z from 'zod'
import { currency, email, line, MAX_ID_LENGTH, NOT_BLANK, optional } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import { PAYOUT_SCHEDULES } from '../payouts/payouts.ts'
import { isWorkspaceSlug, toAscii } from '../slugs.ts'
import type { RewardTerms } from '../tracking/rewards.ts'
import type { ProgramTerms } from './programs.ts'

/** Longer than the address of any shop's front page, and short enough to stand in a mail. */
const MAX_URL_LENGTH = 2_048

const name = (description: string) => line(MAX_ID_LENGTH).min(1, NOT_BLANK).meta({ description })

const whole = (from: number, to: number, description: string) => {
  const message = `Must be a whole number from ${from} to ${to}.`
  return z.int(message).min(from, message).max(to, message).meta({ description })
}

/** The address of a page that a browser can open. Credentials in it would be shown to every partner. */
const isSite = (text: string): boolean => {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Two decimals at most: a basis point is the finest share there is. */
const hasTwoDecimals = (percent: number): boolean => Math.round(percent * 100) / 100 === percent

const PERCENT = 'Must be a number from 0 to 100.'
const AMOUNT = `Must be a whole number of minor units, from 1 to ${MAX_AMOUNT_CENTS}.`

const anyReward = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('percent'),
      percent: z
        .number(PERCENT)
        .min(0, PERCENT)
        .max(100, PERCENT)
        .refine(hasTwoDecimals, 'Must have at most two decimals.')
        .meta({ description: 'Share of the sale, with at most two decimals.' }),
    }),
    z.strictObject({
      kind: z.literal('flat'),
      amountCents: z
        .int(AMOUNT)
        .min(1, AMOUNT)
        .max(MAX_AMOUNT_CENTS, AMOUNT)
        .meta({ description: 'Minor units: 500 is 5.00 USD.' }),
      currency,
    }),
  ],
  'Must be a reward: {"kind": "percent", "percent": 20}, or {"kind": "flat", "amountCents": 500, "currency": "USD"}.',
)

const toTerms = (reward: z.output<typeof anyReward>): RewardTerms =>
  reward.kind === 'percent'
    ? { kind: 'percent', basisPoints: Math.round(reward.percent * 100) }
    : { kind: 'flat', amountCents: reward.amountCents, currency: reward.currency }

const reward = anyReward.transform(toTerms)

const leadReward = anyReward
  .refine(({ kind }) => kind === 'flat', {
    message: 'A lead has no amount, so a share of it is nothing: give a flat reward.',
  })
  .transform(toTerms)

/** POST /api/workspaces. */
export const NewWorkspace = z
  .strictObject({
    name: name('The merchant’s name, which partners see.'),
    slug: optional(
      z
        .string('Must be a text.')
        .trim()
        .toLowerCase()
        .meta({ description: 'The workspace in addresses. Without it, one is made from the name.' }),
    ),
  })
  .transform(({ name, slug }, context) => {
    const chosen = slug ?? toAscii(name)
    if (isWorkspaceSlug(chosen)) return { name, slug: chosen }
    const message = slug
      ? 'Must have 2 to 63 letters from a to z, digits and single dashes between them, such as my-shop.'
      : 'Choose one: the name has too few letters from a to z to make it of.'
    context.issues.push({ code: 'custom', path: ['slug'], input: slug, message })
    return z.NEVER
  })
  .meta({ id: 'NewWorkspace' })

const role = z
  .enum(['manager', 'member'], 'Must be manager or member.')
  .meta({ description: 'A manager changes everything; a member looks.' })

/** POST /api/workspaces/:workspace/members. */
export const NewMember = z
  .strictObject({ email: email('Who is invited, by mail.'), role })
  .meta({ id: 'NewMember' })

/** PATCH /api/workspaces/:workspace/members/:id. */
export const MemberChange = z.strictObject({ role }).meta({ id: 'MemberChange' })

/** POST /api/workspaces/:workspace/api-keys. */
export const NewApiKey = z
  .strictObject({ name: name('What the key is for, to tell it from others later.') })
  .meta({ id: 'NewApiKey' })

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
  rewardDurationMonths: whole(
    1,
    1_200,
    'Months for which a recurring reward is paid; null is for ever.',
  ).nullable(),
  holdingDays: whole(0, 3_650, 'Days until a commission becomes payable.'),
  attributionDays: whole(1, 3_650, 'Days for which a click counts.'),
  attribution: z
    .enum(['last', 'first'], 'Must be last or first.')
    .meta({ description: 'Whose a customer is: the partner’s of the last credited event, or of the first.' }),
  attributeKnownCustomers: z
    .boolean('Must be true or false.')
    .meta({ description: 'Credits a known customer’s sale without a click, for reports of renewals.' }),
  minimumPayoutCents: whole(
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

/** What a program is made with where nothing else is said. schema.sql says the same for rows made by hand. */
const PROGRAM_DEFAULTS = {
  rewardDurationMonths: null,
  holdingDays: 30,
  attributionDays: 90,
  attribution: 'last',
  attributeKnownCustomers: false,
  minimumPayoutCents: 0,
  payoutSchedule: 'manual',
} satisfies Partial<ProgramTerms>

/** POST /api/workspaces/:workspace/programs. */
export const NewProgram = z
  .strictObject({
    ...programFields,
    rewardDurationMonths: optional(programFields.rewardDurationMonths),
    holdingDays: optional(programFields.holdingDays),
    attributionDays: optional(programFields.attributionDays),
    attribution: optional(programFields.attribution),
    attributeKnownCustomers: optional(programFields.attributeKnownCustomers),
    minimumPayoutCents: optional(programFields.minimumPayoutCents),
    payoutSchedule: optional(programFields.payoutSchedule),
  })
  .transform(
    (program): ProgramTerms => ({
      ...program,
      rewardDurationMonths: program.rewardDurationMonths ?? PROGRAM_DEFAULTS.rewardDurationMonths,
      holdingDays: program.holdingDays ?? PROGRAM_DEFAULTS.holdingDays,
      attributionDays: program.attributionDays ?? PROGRAM_DEFAULTS.attributionDays,
      attribution: program.attribution ?? PROGRAM_DEFAULTS.attribution,
      attributeKnownCustomers: program.attributeKnownCustomers ?? PROGRAM_DEFAULTS.attributeKnownCustomers,
      minimumPayoutCents: program.minimumPayoutCents ?? PROGRAM_DEFAULTS.minimumPayoutCents,
      payoutSchedule: program.payoutSchedule ?? PROGRAM_DEFAULTS.payoutSchedule,
    }),
  )
  .meta({ id: 'NewProgram' })

/** PATCH /api/workspaces/:workspace/programs/:id. What is not named stays as it is. */
export const ProgramChange = z.strictObject(programFields).partial().meta({ id: 'ProgramChange' })

const groupFields = {
  name: name('The group’s name.'),
  saleReward: reward.nullable().meta({ description: 'Instead of the program’s; null for the program’s.' }),
  leadReward: leadReward.nullable().meta({ description: 'For each lead; null for none.' }),
}

/** POST /api/workspaces/:workspace/programs/:id/groups. */
export const NewGroup = z
  .strictObject({
    ...groupFields,
    saleReward: optional(groupFields.saleReward),
    leadReward: optional(groupFields.leadReward),
  })
  .transform(({ name, saleReward, leadReward }) => ({
    name,
    saleReward: saleReward ?? null,
    leadReward: leadReward ?? null,
  }))
  .meta({ id: 'NewGroup' })

/** PATCH /api/workspaces/:workspace/groups/:id. What is not named stays as it is. */
export const GroupChange = z.strictObject(groupFields).partial().meta({ id: 'GroupChange' })
