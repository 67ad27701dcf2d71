import type * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { CustomerResponse } from '../../lib/customers/customers.responses.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { PossibleMergeResponse } from '../../lib/customers/possible-merges.responses.ts'
import { PossibleMergeQuery } from '../../lib/customers/possible-merges.schemas.ts'
import { ErasureResponse, PersonalDataResponse } from '../../lib/people/people.responses.ts'
import { EventResponse, MismatchResponse } from '../../lib/tracking/events/events.responses.ts'
import { EventQuery, MismatchQuery, NewCredit } from '../../lib/tracking/events/events.schemas.ts'
import {
  BulkAdjustmentResponse,
  CommissionResponse,
} from '../../lib/tracking/ledger/commissions.responses.ts'
import {
  CommissionQuery,
  NewAdjustment,
  NewBulkAdjustment,
  NewHold,
  NewReversal,
} from '../../lib/tracking/ledger/commissions.schemas.ts'
import {
  act,
  actWith,
  byManager,
  byWriter,
  get,
  id,
  json,
  list,
  post,
  WORKSPACE,
} from '../operations.ts'

/** A creation that may be repeated with the same `externalId`. */
const repeatable = (
  operation: ZodOpenApiOperationObject,
  saved: z.ZodType = CommissionResponse,
): ZodOpenApiOperationObject => ({
  ...operation,
  responses: {
    200: {
      description:
        'Saved by an earlier request with the same `externalId`. The header `Idempotency-Mismatch: true` means that ' +
        'the earlier request had a different body.',
      ...json(saved),
    },
    ...operation.responses,
  },
})

export const ledger: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/events`]: { get: list('List events, newest first', EventResponse, EventQuery) },
  [`${WORKSPACE}/mismatches`]: {
    get: list(
      'List reports that differ from the event with their ID, newest first',
      MismatchResponse,
      MismatchQuery,
    ),
  },
  [`${WORKSPACE}/events/{id}`]: {
    get: get('Get an event and the steps of its decision', EventResponse),
  },
  [`${WORKSPACE}/events/{id}/credit`]: {
    post: byWriter(actWith('Credit an event to a partner by hand', NewCredit, EventResponse)),
  },
  [`${WORKSPACE}/commissions`]: {
    get: list('List commissions', CommissionResponse, CommissionQuery),
    post: byWriter(
      repeatable(
        post('Adjust what a partner has earned', NewAdjustment, CommissionResponse, {}, 'conflict'),
      ),
    ),
  },
  [`${WORKSPACE}/commissions/bulk`]: {
    post: byWriter(
      repeatable(
        post(
          'Give a bonus to many partners',
          NewBulkAdjustment,
          BulkAdjustmentResponse,
          {},
          'conflict',
        ),
        BulkAdjustmentResponse,
      ),
    ),
  },
  [`${WORKSPACE}/commissions/{id}`]: { get: get('Get a commission', CommissionResponse) },
  [`${WORKSPACE}/commissions/{id}/reverse`]: {
    post: byWriter(
      repeatable(
        post(
          'Reverse a commission in whole or in part',
          NewReversal,
          CommissionResponse,
          id,
          'conflict',
        ),
      ),
    ),
  },
  [`${WORKSPACE}/commissions/{id}/hold`]: {
    post: actWith('Hold a commission for review', NewHold, CommissionResponse),
  },
  [`${WORKSPACE}/commissions/{id}/release`]: {
    post: act('Release a held commission', CommissionResponse),
  },
  [`${WORKSPACE}/commissions/{id}/reject`]: {
    post: act('Reject a held commission and reverse it', CommissionResponse),
  },
  [`${WORKSPACE}/customers`]: { get: list('List customers', CustomerResponse, CustomerQuery) },
  [`${WORKSPACE}/customers/{id}`]: {
    get: get('Get a customer; the id of a merged one finds the remaining one', CustomerResponse),
  },
  [`${WORKSPACE}/possible-merges`]: {
    get: list(
      'List possible merges of customers, newest first',
      PossibleMergeResponse,
      PossibleMergeQuery,
    ),
  },
  [`${WORKSPACE}/possible-merges/{id}/merge`]: {
    post: act('Merge two customers permanently', PossibleMergeResponse),
  },
  [`${WORKSPACE}/possible-merges/{id}/dismiss`]: {
    post: act('Dismiss a possible merge', PossibleMergeResponse),
  },
  [`${WORKSPACE}/customers/{id}/personal-data`]: {
    get: byManager(get('Export a customer’s personal data', PersonalDataResponse)),
  },
  [`${WORKSPACE}/customers/{id}/erase`]: {
    post: act('Erase a customer’s personal data; the ledger keeps its amounts', ErasureResponse),
  },
  [`${WORKSPACE}/partners/{id}/personal-data`]: {
    get: byManager(get('Export a partner’s personal data', PersonalDataResponse)),
  },
  [`${WORKSPACE}/partners/{id}/erase`]: {
    post: act('Erase a partner’s personal data, if it has no balance', ErasureResponse),
  },
}
