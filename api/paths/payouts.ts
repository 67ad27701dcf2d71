import * as z from 'zod'
import { PayoutQuery, PayoutRun, RunChange } from '../../lib/payouts/payouts.schemas.ts'
import { listOf, PayoutResponse, PayoutRunResponse, RunResultResponse } from '../management-responses.ts'
import { AT, get, id, list, membersOnly, patch, path } from '../operations.ts'
import { BODY_ERRORS, bySession, errors, json, MANAGER_ERRORS } from '../shared.ts'

/** Paying partners. Design, section 12. */
export const payouts = {
  [`${AT}/payouts`]: { get: membersOnly(list('List payouts', listOf(PayoutResponse), PayoutQuery)) },
  [`${AT}/payouts/run`]: {
    post: {
      summary: 'Pay what is payable',
      description:
        'Of what a partner has earned in a currency, whatever was taken back is deducted. A repeat finds nothing ' +
        'that an earlier call has taken, and goes on with what that has left unsent. See docs/payouts.md.',
      security: bySession,
      requestParams: path(),
      requestBody: { required: true, ...json(PayoutRun) },
      responses: {
        200: { description: 'What is paid to whom, and who is left out.', ...json(RunResultResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${AT}/payouts/{id}`]: { get: membersOnly(get('Get a payout', PayoutResponse)) },
  [`${AT}/payout-runs`]: {
    get: membersOnly(list('List payout runs', listOf(PayoutRunResponse))),
  },
  [`${AT}/payout-runs/{id}`]: {
    get: membersOnly(get('Get a payout run', PayoutRunResponse)),
    patch: {
      ...patch(
        'Mark a run paid by bank, take that back, confirm it, or cancel it',
        RunChange,
        PayoutRunResponse,
        'conflict',
      ),
      description: 'Asking for the status that it has already changes nothing.',
    },
  },
  [`${AT}/payout-runs/{id}/export`]: {
    get: {
      summary: 'Download what a run by bank is to pay, as CSV',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'A line for each payout.', content: { 'text/csv': { schema: z.string() } } },
        ...errors('not_signed_in', 'not_found', 'conflict'),
      },
    },
  },
}
