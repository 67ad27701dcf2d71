import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { COMMISSION_KINDS, COMMISSION_STATUSES } from '../../rules/steps/commissions.ts'
import { HOLD_REASONS, HOLD_RESOLUTIONS } from '../../rules/steps/holds.ts'

const HoldResponse = z
  .strictObject({
    reason: z.enum(HOLD_REASONS),
    note: z.string().nullable().meta({
      description:
        'The manager’s reason, which the partner sees; null unless the reason is `manual`.',
    }),
    createdBy: z
      .string()
      .nullable()
      .meta({ description: 'The manager’s email address; null if a rule holds the commission.' }),
    evidenceEventId: z
      .uuid()
      .nullable()
      .meta({ description: 'The other event, which may be the same purchase.' }),
    createdAt: timestamp,
    resolution: z
      .enum(HOLD_RESOLUTIONS)
      .nullable()
      .meta({ description: 'null while the commission is held.' }),
    resolvedAt: timestamp.nullable(),
    resolvedBy: z
      .string()
      .nullable()
      .meta({ description: 'The manager’s email address; null if a later event settled it.' }),
  })
  .meta({ id: 'Hold' })

const AdjustmentResponse = z
  .strictObject({
    externalId: z.string(),
    reason: z.string().meta({ description: 'The partner sees it.' }),
    createdBy: z
      .string()
      .meta({ description: 'The manager’s email address, or the name of the API key.' }),
    eventId: z.uuid().nullable().meta({ description: 'The event that it is about, if any.' }),
    commissionId: z
      .uuid()
      .nullable()
      .meta({ description: 'The commission that it is about, if any.' }),
  })
  .meta({ id: 'Adjustment' })

export const CommissionResponse = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(COMMISSION_KINDS),
    amountCents: z.int().meta({
      description:
        'Minor units. A reversal is negative, and positive if it reinstates an amount; an adjustment is either.',
    }),
    currency: z.string(),
    status: z.enum(COMMISSION_STATUSES),
    payableAt: timestamp
      .nullable()
      .meta({ description: 'null of one that is never payable: of shadow mode.' }),
    createdAt: timestamp,
    partnerId: z.uuid(),
    test: z
      .literal(true)
      .optional()
      .meta({ description: 'Only of the program’s test partner, which is never paid.' }),
    customerExternalId: z.string().nullable(),
    eventId: z.uuid().nullable(),
    reversesId: z
      .uuid()
      .nullable()
      .meta({ description: 'The commission that a reversal reverses.' }),
    payoutId: z.uuid().nullable().meta({ description: 'The payout that includes it, if any.' }),
    hold: HoldResponse.nullable().meta({
      description: 'Why the commission is or was held; null if it never was.',
    }),
    adjustment: AdjustmentResponse.nullable().meta({
      description:
        'Who adjusted the earnings or reversed the commission by hand, and why; null for other commissions.',
    }),
    bonus: z.string().nullable().meta({
      description: 'The name of the bonus, also of what reverses one; null for other commissions.',
    }),
  })
  .meta({ id: 'Commission' })
export type CommissionResponse = z.infer<typeof CommissionResponse>

/** What POST /commissions/bulk has done. */
export const BulkAdjustmentResponse = z
  .strictObject({
    externalId: z.string(),
    partners: z.int().meta({ description: 'How many adjustments the first request made.' }),
  })
  .meta({ id: 'BulkAdjustment' })
export type BulkAdjustmentResponse = z.infer<typeof BulkAdjustmentResponse>

/** What a partner has earned in one currency, net of reversals. */
export const BalanceResponse = z
  .strictObject({
    currency: z.string(),
    heldCents: z.int().meta({ description: 'Held for a manager’s review.' }),
    pendingCents: z.int().meta({ description: 'In the holding period.' }),
    payableCents: z.int().meta({
      description:
        'Included in the next payout run. Negative if commissions were reversed after they were paid.',
    }),
    processingCents: z.int().meta({ description: 'In payouts that are being sent.' }),
    paidCents: z.int(),
  })
  .meta({ id: 'Balance' })
export type BalanceResponse = z.infer<typeof BalanceResponse>
