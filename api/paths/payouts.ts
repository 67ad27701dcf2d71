import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { PartnerBalanceResponse } from '../../lib/payouts/balances/balances.responses.ts'
import { RunFilesResponse, TemplateFileResponse } from '../../lib/payouts/files/files.responses.ts'
import { ExportQuery, TemplateFile } from '../../lib/payouts/files/files.schemas.ts'
import {
  PayoutResponse,
  PayoutRunResponse,
  PreviewChangedResponse,
  RunResolutionResponse,
  RunResultResponse,
} from '../../lib/payouts/payouts.responses.ts'
import {
  BalanceQuery,
  PayoutQuery,
  PayoutResolution,
  PayoutReturn,
  PayoutRun,
  RunChange,
  RunResolution,
} from '../../lib/payouts/payouts.schemas.ts'
import {
  act,
  actWith,
  BODY_ERRORS,
  bySession,
  errors,
  get,
  id,
  json,
  list,
  MANAGER_ERRORS,
  membersOnly,
  patch,
  path,
  WORKSPACE,
} from '../operations.ts'

export const payouts: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/balances`]: {
    get: list(
      'List what is payable to partners, or owed by them',
      PartnerBalanceResponse,
      BalanceQuery,
    ),
  },
  [`${WORKSPACE}/payouts`]: { get: membersOnly(list('List payouts', PayoutResponse, PayoutQuery)) },
  [`${WORKSPACE}/payouts/run`]: {
    post: {
      summary: 'Pay all payable commissions',
      description:
        'Reversals are deducted from what a partner has earned in the same currency. Safe to repeat: a second ' +
        'request never pays a commission twice, and continues sending what the first left unsent. See ' +
        'docs/payouts.md.',
      security: bySession,
      requestParams: path(),
      requestBody: { required: true, ...json(PayoutRun) },
      responses: {
        200: { description: 'The payouts, and the partners skipped.', ...json(RunResultResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS),
        409: { ...errors('conflict', 'preview_changed')['409'], ...json(PreviewChangedResponse) },
      },
    },
  },
  [`${WORKSPACE}/payouts/{id}`]: { get: membersOnly(get('Get a payout', PayoutResponse)) },
  [`${WORKSPACE}/payouts/{id}/release`]: {
    post: {
      ...act('Release the commissions of a reversed payout', PayoutResponse),
      description:
        'The commissions become payable again. Requires that the transfer was reversed in full at Stripe. Safe to repeat.',
    },
  },
  [`${WORKSPACE}/payouts/{id}/cancel`]: {
    post: {
      ...act('Cancel a payout that was not sent', PayoutResponse),
      description:
        'No transfer is requested any more. The payout is `canceled` immediately if no request to Stripe can have ' +
        'succeeded, and its commissions are payable again. Otherwise it is `canceling` until that is certain, and ' +
        '`paid` if it was sent. Safe to repeat.',
    },
  },
  [`${WORKSPACE}/payouts/{id}/resolve`]: {
    post: {
      ...actWith(
        'Decide whether a payout was sent, when Stripe cannot be asked',
        PayoutResolution,
        PayoutResponse,
      ),
      description:
        'For a payout that is `canceling`, once five look-ups at Stripe have failed over 24 hours after ' +
        '`lookedUpUntil`. If you mark a payout that was sent as not sent, its partner is paid twice. Safe to ' +
        'repeat.',
    },
  },
  [`${WORKSPACE}/payouts/{id}/return`]: {
    post: {
      ...actWith('Mark a payout by bank as returned', PayoutReturn, PayoutResponse),
      description:
        'For a payout of a confirmed run that the bank or service returned. Its commissions become payable again, and the ' +
        'partner gets a mail with the reason. Safe to repeat with the same reason.',
    },
  },
  [`${WORKSPACE}/payout-runs`]: { get: membersOnly(list('List payout runs', PayoutRunResponse)) },
  [`${WORKSPACE}/payout-runs/{id}`]: {
    get: membersOnly(get('Get a payout run', PayoutRunResponse)),
    patch: {
      ...patch(
        'Cancel a payout run, or change the status of a manual one',
        RunChange,
        PayoutRunResponse,
        'conflict',
      ),
      description: 'Setting the current status changes nothing.',
    },
  },
  [`${WORKSPACE}/payout-runs/{id}/approve`]: {
    post: act('Approve a payout run that another manager or a schedule started', PayoutRunResponse),
  },
  [`${WORKSPACE}/payout-runs/{id}/decline`]: {
    post: act('Decline a payout run that waits for approval', PayoutRunResponse),
  },
  [`${WORKSPACE}/payout-runs/{id}/send`]: {
    post: act('End the review of a scheduled payout run, and send it', PayoutRunResponse),
  },
  [`${WORKSPACE}/payout-runs/{id}/resolve`]: {
    post: {
      ...actWith(
        'Decide whether payouts of a run were sent, when Stripe cannot be asked',
        RunResolution,
        RunResolutionResponse,
      ),
      description:
        'As for one payout. Payouts that cannot be decided do not change: compare their `status`. 409 if none can ' +
        'be. Other ids are ignored. Safe to repeat.',
    },
  },
  [`${WORKSPACE}/payout-runs/{id}/files`]: {
    get: {
      ...membersOnly(get('List the files of a manual payout run', RunFilesResponse)),
      description:
        'The files for banks and services, and the payouts that are in none. See docs/bank-files.md.',
      responses: {
        200: { description: 'The files.', ...json(RunFilesResponse) },
        ...errors('not_signed_in', 'not_found', 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/payout-runs/{id}/export`]: {
    get: {
      summary: 'Download the payouts of a manual run as a file',
      description:
        'Formats other than `csv` contain the partners’ payment details, and need the role manager or finance and ' +
        'a recent sign-in.',
      security: bySession,
      requestParams: { ...path(id), query: ExportQuery },
      responses: {
        200: {
          description: 'One line per payout, or a SEPA message.',
          content: {
            'text/csv': { schema: z.string() },
            'application/xml': { schema: z.string() },
          },
        },
        ...errors(
          'invalid_query',
          'not_signed_in',
          'manager_required',
          'fresh_sign_in_required',
          'not_found',
          'conflict',
        ),
      },
    },
  },
  [`${WORKSPACE}/payout-runs/{id}/wise-template`]: {
    post: {
      summary: 'Fill in a Wise template with the payouts of a manual run',
      security: bySession,
      requestParams: path(id),
      requestBody: { required: true, ...json(TemplateFile) },
      responses: {
        200: {
          description: 'The file, and the payouts without a row in it.',
          ...json(TemplateFileResponse),
        },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
}
