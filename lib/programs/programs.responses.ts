import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { UNVERIFIED_ADDRESSES } from '../rules/attribution/address-claims.ts'
import { SELF_REFERRALS } from '../rules/attribution/self-referrals.ts'
import { BonusResponse } from '../rules/bonuses/bonuses.responses.ts'
import { PROGRAM_MODES } from '../rules/programs/mode.ts'
import { PAYOUT_SCHEDULES } from '../rules/programs/schedules.ts'
import { RewardResponse } from '../rules/rewards/rewards.responses.ts'
import { ONE_TIME_PER } from '../rules/steps/intervals.ts'
import { TiersResponse } from '../rules/tiers/tiers.responses.ts'

export const ProgramResponse = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    siteUrl: z.url(),
    reward: RewardResponse,
    rewardInterval: z.enum(['one-time', 'recurring']),
    rewardDurationMonths: z.int().nullable(),
    oneTimeMinimumCents: z.int(),
    oneTimePer: z.enum(ONE_TIME_PER),
    tiers: TiersResponse.nullable(),
    bonuses: z.array(BonusResponse),
    monthlyBudget: z.strictObject({ amountCents: z.int(), currency: z.string() }).nullable(),
    rewardShipping: z.boolean(),
    creditOutOfBand: z.boolean(),
    holdingDays: z.int(),
    netDays: z.int().nullable(),
    attributionDays: z.int(),
    attribution: z.enum(['last', 'first']),
    attributeKnownCustomers: z.boolean(),
    lateLeadDays: z.int(),
    trustedAttribution: z.boolean(),
    selfReferrals: z.enum(SELF_REFERRALS),
    unverifiedAddresses: z.enum(UNVERIFIED_ADDRESSES),
    minimumPayoutCents: z.int(),
    manualEarningsNoticeCents: z.int(),
    payoutSchedule: z.enum(PAYOUT_SCHEDULES),
    payoutDays: z.array(z.int()),
    payoutScheduleSince: timestamp.meta({ description: 'When the schedule starts to pay.' }),
    reviewDays: z.int(),
    mode: z.enum(PROGRAM_MODES),
    createdAt: timestamp,
  })
  .meta({ id: 'Program' })
export type ProgramResponse = z.infer<typeof ProgramResponse>
