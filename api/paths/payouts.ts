import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { PayoutResponse, PayoutRunResponse, RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import { PayoutQuery, PayoutRun, RunChange } from '../../lib/payouts/payouts.schemas.ts'
import {
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
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/payouts/{id}`]: { get: membersOnly(get('Get a payout', PayoutResponse)) },
  [`${WORKSPACE}/payouts/{id}/release`]: {
    post: {
      summary: 'Release the commissions of a reversed payout',
      description:
        'They are payable again. Requires that the transfer was reversed in full at Stripe. Safe to repeat.',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'The payout.', ...json(PayoutResponse) },
        ...errors(...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/payout-runs`]: { get: membersOnly(list('List payout runs', PayoutRunResponse)) },
  [`${WORKSPACE}/payout-runs/{id}`]: {
    get: membersOnly(get('Get a payout run', PayoutRunResponse)),
    patch: {
      ...patch('Change the status of a manual payout run', RunChange, PayoutRunResponse, 'conflict'),
      description: 'Setting the current status changes nothing.',
    },
  },
  [`${WORKSPACE}/payout-runs/{id}/export`]: {
    get: {
      summary: 'Download the payouts of a manual run as CSV',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'One line per payout.', content: { 'text/csv': { schema: z.string() } } },
        ...errors('not_signed_in', 'not_found', 'conflict'),
      },
    },
  },
}
