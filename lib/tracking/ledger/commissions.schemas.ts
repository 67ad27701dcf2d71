/** Requests about commissions, for the API and the pages' forms. */
import * as z from 'zod'
import { filter, line, NOT_BLANK, optional } from '../../http/fields.ts'
import { OrderedPage } from '../../http/lists.ts'
import { currency, id } from '../../http/report-fields.ts'
import type { ManualReversal } from '../../rules/refunds/manual-reversals.ts'
import { COMMISSION_KINDS, COMMISSION_STATUSES } from '../../rules/steps/commissions.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { type Adjustment, type BulkAdjustment, MAX_BULK } from './adjustments.ts'

/** The filters of GET /api/workspaces/:workspace/commissions. */
export const CommissionQuery = z.object({
  partnerId: z.uuid().optional(),
  customerExternalId: filter('Your customer id.').optional(),
  eventId: z.uuid().optional(),
  payoutId: z.uuid().optional(),
  status: z.enum(COMMISSION_STATUSES).optional(),
  kind: z.enum(COMMISSION_KINDS).optional(),
  ...OrderedPage.shape,
})

/** Long enough for a sentence or two, which the partner's list shows in full. */
export const MAX_REASON_LENGTH = 500

const reason = (description: string) =>
  line(MAX_REASON_LENGTH)
    .min(1, NOT_BLANK)
    .meta({ description: `${description} The partner sees it.` })

const AMOUNT = `Must be a whole number of minor units, from -${MAX_AMOUNT_CENTS} to ${MAX_AMOUNT_CENTS}, and not 0.`

/** POST /api/workspaces/:workspace/commissions. */
export const NewAdjustment = z
  .strictObject({
    externalId: id('Your id for it. One adjustment per id: a repeat returns the first.'),
    partnerId: z.uuid().meta({ description: 'The partner whose earnings change.' }),
    amountCents: z
      .int(AMOUNT)
      .min(-MAX_AMOUNT_CENTS, AMOUNT)
      .max(MAX_AMOUNT_CENTS, AMOUNT)
      .refine((cents) => cents !== 0, AMOUNT)
      .meta({
        description:
          'Added to what the partner has earned, or deducted if negative, in minor units.',
      }),
    currency,
    reason: reason('Why.'),
    payableAt: optional(z.iso.datetime({ offset: true })).meta({
      description: 'When it becomes payable. At once by default.',
    }),
    eventId: optional(z.uuid()).meta({ description: 'The event that it is about.' }),
    commissionId: optional(z.uuid()).meta({
      description: 'The commission that it is about, of the same partner and currency.',
    }),
  })
  .refine(({ eventId, commissionId }) => !eventId || !commissionId, {
    path: ['eventId'],
    message: 'Send eventId or commissionId, not both.',
  })
  .transform(
    ({ payableAt, eventId, commissionId, ...adjustment }): Adjustment => ({
      ...adjustment,
      payableAt: payableAt ? new Date(payableAt) : null,
      eventId: eventId ?? null,
      commissionId: commissionId ?? null,
    }),
  )
  .meta({ id: 'NewAdjustment' })

const BONUS = `Must be a whole number of minor units, from 1 to ${MAX_AMOUNT_CENTS}.`
const PARTNERS = `Must be a list of 1 to ${MAX_BULK} ids of partners.`

/** POST /api/workspaces/:workspace/commissions/bulk. */
export const NewBulkAdjustment = z
  .strictObject({
    externalId: id('Your id for it. One request per id: a repeat changes nothing.'),
    partnerIds: z
      .array(z.uuid().toLowerCase(), PARTNERS)
      .min(1, PARTNERS)
      .max(MAX_BULK, PARTNERS)
      .meta({
        description: 'The partners, each of whom earns the amount. A repeated id counts once.',
      }),
    amountCents: z.int(BONUS).min(1, BONUS).max(MAX_AMOUNT_CENTS, BONUS).meta({
      description: 'Added to what each partner has earned, in minor units.',
    }),
    currency,
    reason: reason('Why.'),
    payableAt: optional(z.iso.datetime({ offset: true })).meta({
      description: 'When it becomes payable. At once by default.',
    }),
  })
  .transform(
    ({ payableAt, partnerIds, ...adjustment }): BulkAdjustment => ({
      ...adjustment,
      partnerIds: [...new Set(partnerIds)],
      payableAt: payableAt ? new Date(payableAt) : null,
    }),
  )
  .meta({ id: 'NewBulkAdjustment' })

const REVERSED = `Must be a whole number of minor units, from 1 to ${MAX_AMOUNT_CENTS}.`

/** POST /api/workspaces/:workspace/commissions/:id/reverse. */
export const NewReversal = z
  .strictObject({
    amountCents: optional(z.int(REVERSED).min(1, REVERSED).max(MAX_AMOUNT_CENTS, REVERSED)).meta({
      description: 'How much to reverse, in minor units. All that is left by default.',
    }),
    reason: reason('Why.'),
    externalId: optional(
      id(
        'Your id for it. One reversal per id: a repeat returns the first. Required with `amountCents`.',
      ),
    ),
  })
  .refine(({ amountCents, externalId }) => !amountCents || externalId, {
    path: ['externalId'],
    message:
      'Send an externalId with amountCents, so that a repeated request does not reverse the amount twice.',
  })
  .transform(
    ({ amountCents, reason, externalId }): ManualReversal => ({
      amountCents: amountCents ?? null,
      reason,
      externalId: externalId ?? null,
    }),
  )
  .meta({ id: 'NewReversal' })

/** POST /api/workspaces/:workspace/commissions/:id/hold. */
export const NewHold = z
  .strictObject({ note: reason('Why the commission is held.') })
  .meta({ id: 'NewHold' })
