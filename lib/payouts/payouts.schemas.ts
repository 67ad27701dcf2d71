/** Requests about payouts, for the API and the pages' forms. */
import * as z from 'zod'
import { integer, line, NOT_BLANK } from '../http/fields.ts'
import { OrderedPage, Page } from '../http/lists.ts'
import { currency, id } from '../http/report-fields.ts'
import { MAX_AMOUNT_CENTS } from '../values/money.ts'
import { RESOLUTIONS } from './corrections/resolution.ts'
import { PAYOUT_METHODS, PAYOUT_STATUSES, SKIP_CODES } from './payouts.ts'
import type { RunLimits } from './runs/limits.ts'
import { RUN_STEPS } from './runs/runs.ts'

const MAX_REASON_LENGTH = 500

/** Partners or commissions that one request leaves out. */
const MAX_EXCLUDED = 500

const excluded = (what: string) =>
  z
    .array(z.uuid())
    .max(MAX_EXCLUDED, `Must have at most ${MAX_EXCLUDED} ids.`)
    .nullish()
    .meta({ description: what })

/** A larger sum than any that a run pays still fits into a number. */
const sum = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

/** POST /api/workspaces/:workspace/payouts/run. */
export const PayoutRun = z
  .strictObject({
    dryRun: z.boolean().nullish().meta({ description: 'Returns the payouts without making them.' }),
    programId: z.nullish(id('Limits the run to one program. All programs by default.')),
    method: z.enum(PAYOUT_METHODS).nullish().meta({
      description:
        '`stripe`, or `manual` for bank transfers from a CSV file, if the workspace allows them. `stripe` by default.',
    }),
    previewedAt: z.iso
      .datetime({ offset: true })
      .nullish()
      .meta({
        description:
          'The `previewedAt` of a dry run. What was recorded or became payable later is left to the next run, unless it ' +
          'reduces a payout.',
      }),
    expected: z
      .array(z.strictObject({ currency, amountCents: sum, count: sum }))
      .nullish()
      .meta({
        description:
          'The `totals` of a dry run. If the run would pay more, or more partners, in any currency, nothing is paid: ' +
          '409 `preview_changed`.',
      }),
    excludePartnerIds: excluded('Partners whom the run leaves out.'),
    excludeCommissionIds: excluded('Commissions that the run leaves out, with their reversals.'),
    maxAmountCents: z
      .record(currency, integer(0, Number.MAX_SAFE_INTEGER, 'The most to pay in the currency.'))
      .nullish()
      .meta({
        description: 'The most that the run pays, by currency, in minor units: `{"USD": 1000000}`.',
      }),
  })
  .meta({ id: 'PayoutRunRequest' })

/** The filters of GET /api/workspaces/:workspace/payouts. */
export const PayoutQuery = z.object({
  runId: z.uuid().optional(),
  partnerId: z.uuid().optional(),
  status: z.enum(PAYOUT_STATUSES).optional(),
  ...OrderedPage.shape,
})

/** POST /api/workspaces/:workspace/payouts/:id/return. */
export const PayoutReturn = z
  .strictObject({
    reason: line(MAX_REASON_LENGTH)
      .min(1, NOT_BLANK)
      .meta({ description: 'Why the bank returned it, in a sentence. The partner reads it.' }),
  })
  .meta({ id: 'PayoutReturn' })

/** POST /api/workspaces/:workspace/payouts/:id/resolve. */
export const PayoutResolution = z
  .strictObject({
    outcome: z.enum(RESOLUTIONS, 'Must be sent or not_sent.').meta({
      description:
        '`sent`: the payout is `paid`. `not_sent`: it is `canceled`, and its commissions are payable again.',
    }),
    reason: line(MAX_REASON_LENGTH)
      .min(1, NOT_BLANK)
      .meta({ description: 'How you know, in a sentence. It is in the audit log.' }),
  })
  .meta({ id: 'PayoutResolution' })

/** Payouts that one request decides about. */
export const MAX_RESOLVED = 200

/** POST /api/workspaces/:workspace/payout-runs/:id/resolve. */
export const RunResolution = z
  .strictObject({
    ...PayoutResolution.shape,
    payoutIds: z
      .array(z.uuid())
      .min(1, 'Select at least one.')
      .max(MAX_RESOLVED, `Must have at most ${MAX_RESOLVED} ids.`)
      .meta({ description: 'Payouts of the run.' }),
  })
  .meta({ id: 'PayoutRunResolution' })

/** The filters of GET /api/workspaces/:workspace/balances. */
export const BalanceQuery = z.object({
  owed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: '`true` for the balances that partners owe.' }),
  code: z.enum(SKIP_CODES).optional().meta({ description: 'Why a run would skip the balance.' }),
  partnerId: z.uuid().optional(),
  ...Page.shape,
})

/** What a manager writes off, as the page's form. */
export const WriteOff = z.strictObject({
  partnerId: z.uuid(),
  currency,
  amountCents: z.coerce.number().pipe(integer(1, MAX_AMOUNT_CENTS, 'What the partner owes.')),
})

/** PATCH /api/workspaces/:workspace/payout-runs/:id. */
export const RunChange = z
  .strictObject({
    status: z.enum(RUN_STEPS, 'Must be paid, processing, confirmed or canceled.').meta({
      description:
        '`canceled` cancels what was not sent of a Stripe run, and a manual run that is not marked as paid. Manual ' +
        'runs only: `paid` marks all payouts of the run as paid, `processing` undoes that, `confirmed` makes it final ' +
        'and notifies the partners.',
    }),
  })
  .meta({ id: 'PayoutRunChange' })

/** The limits of a requested run. @param now a preview cannot be later */
export const limitsIn = (
  run: Pick<
    z.output<typeof PayoutRun>,
    'previewedAt' | 'excludePartnerIds' | 'excludeCommissionIds' | 'maxAmountCents'
  >,
  now: Date,
): RunLimits => {
  const previewedAt = run.previewedAt ? new Date(run.previewedAt) : null
  return {
    previewedAt: previewedAt && previewedAt > now ? now : previewedAt,
    excludePartnerIds: run.excludePartnerIds ?? [],
    excludeCommissionIds: run.excludeCommissionIds ?? [],
    maxAmountCents: run.maxAmountCents ?? {},
  }
}
