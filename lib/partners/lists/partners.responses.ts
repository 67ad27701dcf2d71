import * as z from 'zod'
import { ErrorResponse, timestamp } from '../../http/common.responses.ts'
import { PAYOUT_ACCOUNT_STATUSES } from '../../payouts/payouts.ts'
import { RewardResponse } from '../../rules/rewards/rewards.responses.ts'
import { CouponResponse } from '../links/coupons.responses.ts'

export const PartnerResponse = z
  .strictObject({
    id: z.uuid(),
    programId: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    slug: z.string(),
    groupId: z.uuid().nullable(),
    reward: RewardResponse.nullable().meta({
      description: 'The partner’s own reward for sales; null for the group’s or the program’s.',
    }),
    status: z.enum(['approved', 'banned']),
    test: z
      .literal(true)
      .optional()
      .meta({ description: 'Present only for the program’s test partner, which is never paid.' }),
    link: z.url(),
    minimumPayoutCents: z.int().nullable().meta({ description: 'null for the program’s.' }),
    documentsReceivedAt: timestamp.nullable(),
    payoutAccount: z
      .strictObject({
        status: z.enum(PAYOUT_ACCOUNT_STATUSES),
        country: z.string().meta({ description: 'ISO 3166-1 alpha-2.' }),
        stripeAccountId: z
          .string()
          .nullable()
          .meta({ description: 'null until Stripe has created it.' }),
        paysBank: z.boolean().nullable().meta({
          description: 'Whether Stripe pays out to the account’s bank; null if unknown.',
        }),
        effectiveAt: timestamp.nullable().meta({
          description:
            'When payouts to an account that replaced another one start; null for a first account.',
        }),
      })
      .nullable()
      .meta({
        description:
          'The connected Stripe account, as last read from Stripe; null if there is none.',
      }),
    coupons: z.array(CouponResponse),
  })
  .meta({ id: 'Partner' })
export type PartnerResponse = z.infer<typeof PartnerResponse>

export const LinkResponse = z
  .strictObject({
    slug: z.string(),
    link: z.url(),
    isMain: z.boolean().meta({ description: 'Whether its slug is the partner’s.' }),
  })
  .meta({ id: 'Link' })
export type LinkResponse = z.infer<typeof LinkResponse>

/** A link in the list of them. */
export const CountedLinkResponse = z
  .strictObject({
    ...LinkResponse.shape,
    clicks: z.int().meta({ description: 'Visits, as in charts.' }),
    sales: z.int().meta({ description: 'Sales that are credited by a click on the link.' }),
  })
  .meta({ id: 'CountedLink' })
export type CountedLinkResponse = z.infer<typeof CountedLinkResponse>

/** 409 `slug_taken`: a slug that was free. */
export const SlugTakenResponse = z
  .strictObject({ ...ErrorResponse.shape, suggestion: z.string().optional() })
  .meta({ id: 'SlugTaken' })
