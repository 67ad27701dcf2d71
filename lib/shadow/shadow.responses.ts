import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { OUTCOMES, REASONS, type Reason } from './comparison/compare.ts'

/** POST /programs/:id/shadow/commissions. */
export const CommissionUploadResponse = z
  .strictObject({
    summary: z.strictObject({
      created: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      errors: z.int(),
    }),
    results: z.array(
      z.strictObject({
        id: z.string().nullable(),
        status: z.enum(['created', 'updated', 'unchanged', 'error']),
        message: z.string().optional().meta({ description: 'What to correct.' }),
      }),
    ),
  })
  .meta({ id: 'ShadowCommissionUploadResult' })
export type CommissionUploadResponse = z.infer<typeof CommissionUploadResponse>

/** POST /programs/:id/shadow/compare. */
export const CompareResponse = z
  .strictObject({ isMore: z.boolean().meta({ description: 'Whether to call it again.' }) })
  .meta({ id: 'ShadowCompareResult' })
export type CompareResponse = z.infer<typeof CompareResponse>

const outcome = z.enum(OUTCOMES)
const cents = z.int()

/** GET /programs/:id/shadow. */
export const ShadowRunResponse = z
  .strictObject({
    startedAt: timestamp,
    endedAt: timestamp.nullable(),
    uploaded: z.int().meta({ description: 'Commissions of the other platform.' }),
    waiting: z.int().meta({ description: 'Of these, those that are to be compared yet.' }),
    newestSoldAt: timestamp.nullable(),
    sums: z.array(
      z.strictObject({
        outcome,
        currency: z.string(),
        sales: z.int(),
        hereCents: cents,
        thereCents: cents,
      }),
    ),
  })
  .meta({ id: 'ShadowRun' })
export type ShadowRunResponse = z.infer<typeof ShadowRunResponse>

/** A row of GET /programs/:id/shadow/comparisons. */
export const ComparisonResponse = z
  .strictObject({
    id: z.uuid(),
    day: z.iso.date(),
    outcome,
    reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).nullable(),
    text: z.string().nullable().meta({ description: 'The reason in words.' }),
    here: z
      .strictObject({
        eventId: z.uuid(),
        saleExternalId: z.string().nullable(),
        partnerEmail: z.string().nullable(),
        amountCents: cents.nullable().meta({ description: 'null if it earns nothing.' }),
        currency: z.string().nullable(),
      })
      .nullable(),
    there: z
      .strictObject({
        id: z.string(),
        saleIds: z.array(z.string()),
        partnerEmail: z.string().nullable(),
        soldAt: timestamp,
        amountCents: cents.nullable().meta({ description: 'null if it is voided.' }),
        currency: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'ShadowComparison' })
export type ComparisonResponse = z.infer<typeof ComparisonResponse>

const balance = {
  email: z.string().nullable().meta({ description: 'null of commissions that name no partner.' }),
  partnerId: z.uuid().nullable(),
  currency: z.string(),
  amountCents: cents.meta({ description: 'Negative if the partner owes it.' }),
}

/** POST /programs/:id/cut-over. */
export const CutOverResponse = z
  .strictObject({
    cutOverAt: timestamp.nullable().meta({ description: 'null if nothing has happened.' }),
    sums: z.array(z.strictObject({ currency: z.string(), partners: z.int(), amountCents: cents })),
    balances: z
      .array(z.strictObject(balance))
      .meta({ description: 'The largest 1,000 of what is taken over. Empty for a repeat.' }),
    refused: z
      .array(z.strictObject({ ...balance, code: z.string(), message: z.string() }))
      .meta({ description: 'The first 1,000 of what keeps the program from it.' }),
  })
  .meta({ id: 'CutOverResult' })
export type CutOverResponse = z.infer<typeof CutOverResponse>
