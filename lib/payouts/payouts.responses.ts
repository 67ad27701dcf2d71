import * as z from 'zod'
import { ErrorResponse, timestamp } from '../http/common.responses.ts'
import { BANK_STATUSES } from './details/banks.ts'
import { PAYOUT_METHODS, PAYOUT_STATUSES, RUN_STATUSES, SKIP_CODES } from './payouts.ts'
import { RUN_WAITS } from './runs/limits.ts'

export const PayoutResponse = z
  .strictObject({
    id: z.uuid(),
    reference: z.string().meta({
      description:
        'What bank files and the partner’s portal name it by, unique in the workspace: `PO-000042`.',
    }),
    runId: z.uuid(),
    partnerId: z.uuid(),
    programId: z.uuid(),
    currency: z.string(),
    amountCents: z.int(),
    status: z.enum(PAYOUT_STATUSES).meta({
      description:
        'The commissions of a `failed`, `canceled` or `returned` payout are payable again, and those of a `reversed` ' +
        'one once they are released.',
    }),
    method: z.enum(PAYOUT_METHODS),
    createdAt: timestamp,
    paidAt: timestamp.nullable(),
    failedAt: timestamp.nullable(),
    cancelRequestedAt: timestamp
      .nullable()
      .meta({ description: 'Since when nothing is sent for it.' }),
    lookedUpUntil: timestamp.nullable().meta({
      description:
        'While it is `canceling`: until when Stripe is asked whether an earlier request made the transfer. Then it is ' +
        '`canceled`; if there is one, `paid`. null if nothing can be on its way.',
    }),
    canceledAt: timestamp.nullable(),
    lastError: z.string().nullable().meta({ description: 'Why it failed or is being retried.' }),
    transferId: z
      .string()
      .nullable()
      .meta({ description: 'The id of the Stripe transfer: `tr_...`' }),
    bankStatus: z
      .enum(BANK_STATUSES)
      .nullable()
      .meta({
        description:
          'Where the money of a Stripe transfer is: `on_its_way` to the partner’s bank, `paid` out to it, or `refused` by it. ' +
          'It follows from the account’s payouts since the transfer, which Stripe bundles. null if nothing is known.',
      }),
    reversedCents: z
      .int()
      .meta({ description: 'What was reversed of the transfer at Stripe, in minor units.' }),
    reversedAt: timestamp
      .nullable()
      .meta({ description: 'When the latest reversal was received.' }),
    releasedAt: timestamp.nullable().meta({
      description: 'When a manager released the commissions of a `reversed` payout.',
    }),
    unreachableSince: timestamp.nullable().meta({
      description:
        'Since when Stripe could not be asked for the transfer, after `lookedUpUntil`. A manager may then resolve it.',
    }),
    resolvedAt: timestamp.nullable().meta({
      description: 'When a manager decided whether it was sent, because Stripe could not be asked.',
    }),
    resolutionReason: z.string().nullable(),
    foundTransferId: z.string().nullable().meta({
      description:
        'A Stripe transfer that should not exist: of a payout that was canceled, failed or marked as not sent, or a second one.',
    }),
    returnedAt: timestamp.nullable().meta({
      description: 'When a manager reported that the bank returned it.',
    }),
    returnReason: z.string().nullable().meta({ description: 'Why the bank returned it.' }),
  })
  .meta({ id: 'Payout' })
export type PayoutResponse = z.infer<typeof PayoutResponse>

/** POST /api/workspaces/:workspace/payout-runs/:id/resolve. */
export const RunResolutionResponse = z
  .strictObject({ data: z.array(PayoutResponse) })
  .meta({ id: 'PayoutRunResolutionResult' })

const runStatus = z.enum([...RUN_WAITS, ...RUN_STATUSES])

/** What a run pays in one currency. */
const total = z.strictObject({ currency: z.string(), amountCents: z.int(), count: z.int() })

export const PayoutRunResponse = z
  .strictObject({
    id: z.uuid(),
    method: z.enum(PAYOUT_METHODS),
    programId: z.uuid().nullable().meta({ description: 'null for all programs.' }),
    status: runStatus.meta({
      description:
        'A Stripe run is `completed` once none of its payouts is processing, whatever became of them: see `counts`. In ' +
        '`review`, it is sent at `sendsAt` unless it is canceled.',
    }),
    createdBy: z
      .string()
      .nullable()
      .meta({ description: 'An email address; null for scheduled runs.' }),
    scheduledFor: timestamp.nullable(),
    sendsAt: timestamp.nullable().meta({
      description: 'The end of its review, counted from when it was prepared; null without one.',
    }),
    createdAt: timestamp,
    previewedAt: timestamp.nullable().meta({
      description:
        'What was recorded later can only reduce the payouts. null if nothing was previewed.',
    }),
    expected: z.array(total).nullable().meta({
      description: 'The most that the run pays, by currency; null if that is not limited.',
    }),
    excludePartnerIds: z.array(z.uuid()),
    excludeCommissionIds: z.array(z.uuid()),
    maxAmountCents: z.record(z.string(), z.int()),
    needsApproval: z.boolean().nullable().meta({ description: 'null until it is decided.' }),
    firstApprovedAt: timestamp.nullable().meta({
      description: 'Of a scheduled run, which two people approve: the first approval.',
    }),
    firstApprovedBy: z.string().nullable(),
    approvedAt: timestamp.nullable(),
    approvedBy: z.string().nullable(),
    declinedAt: timestamp.nullable(),
    declinedBy: z.string().nullable(),
    claimedAt: timestamp
      .nullable()
      .meta({ description: 'When the run had claimed all of its commissions.' }),
    markedPaidAt: timestamp.nullable(),
    confirmedAt: timestamp.nullable(),
    canceledAt: timestamp.nullable(),
    counts: z
      .strictObject({ sent: z.int(), failed: z.int(), canceled: z.int(), waiting: z.int() })
      .meta({
        description: 'How many payouts were sent, failed, were canceled, and wait to be sent.',
      }),
    totals: z.array(
      z.strictObject({
        currency: z.string(),
        status: z.enum(PAYOUT_STATUSES),
        payouts: z.int(),
        amountCents: z.int(),
      }),
    ),
  })
  .meta({ id: 'PayoutRun' })
export type PayoutRunResponse = z.infer<typeof PayoutRunResponse>

const owed = { partnerId: z.uuid(), currency: z.string(), amountCents: z.int() }

/** POST /api/workspaces/:workspace/payouts/run. */
export const RunResultResponse = z
  .strictObject({
    runId: z.uuid().nullable().meta({ description: 'null for a dry run.' }),
    status: runStatus.nullable().meta({
      description:
        'The run’s status; null for a dry run. `awaiting_approval`: nothing is paid yet.',
    }),
    previewedAt: timestamp.nullable().meta({
      description:
        'The time of a dry run, to send with the run; else that of the preview, if there was one.',
    }),
    totals: z
      .array(total)
      .meta({ description: 'The payouts by currency. Send those of a dry run as `expected`.' }),
    available: z
      .array(z.strictObject({ currency: z.string(), amountCents: z.int() }))
      .nullable()
      .meta({
        description:
          'Your available balance at Stripe before the run. null for a run by bank, if nothing is payable, or if it could not be read.',
      }),
    unread: z.array(z.enum(['accounts', 'balance'])).meta({
      description:
        'What could not be read from Stripe. `accounts`: those that could not be paid are as they were read before, so ' +
        'partners who are skipped for theirs may be ready. `balance`: it is not known what it covers, so nothing is ' +
        'skipped as `insufficient_funds`, and what it does not cover waits.',
    }),
    payouts: z.array(
      z.strictObject({
        id: z.uuid().nullable().meta({ description: 'null for a dry run.' }),
        ...owed,
        status: z
          .enum(['payable', ...PAYOUT_STATUSES])
          .meta({ description: '`payable` in a dry run.' }),
      }),
    ),
    skipped: z.array(z.strictObject({ ...owed, code: z.enum(SKIP_CODES) })),
  })
  .meta({ id: 'PayoutRunResult' })
export type RunResultResponse = z.infer<typeof RunResultResponse>

/** 409 `preview_changed`: what the run would pay now. */
export const PreviewChangedResponse = z
  .strictObject({ ...ErrorResponse.shape, preview: RunResultResponse.optional() })
  .meta({ id: 'PreviewChanged' })
