import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { MAX_COMMISSION_ROWS } from '../../lib/imports/commissions/platform-commissions.ts'
import { CutOver } from '../../lib/shadow/cut-over/cut-over.schemas.ts'
import {
  CommissionUploadResponse,
  CompareResponse,
  ComparisonResponse,
  CutOverResponse,
  ShadowRunResponse,
} from '../../lib/shadow/shadow.responses.ts'
import {
  CommissionUpload,
  CommissionUploadRow,
  ComparisonQuery,
  ShadowPeriod,
} from '../../lib/shadow/shadow.schemas.ts'
import {
  actWith,
  byWriter,
  errors,
  get,
  id,
  json,
  list,
  MANAGER_ERRORS,
  path,
  WORKSPACE,
} from '../operations.ts'

const PROGRAM = `${WORKSPACE}/programs/{id}`

/** The endpoint accepts rows of any shape and checks each, so this adds the schema of a row. */
const upload = CommissionUpload.extend({
  rows: z.array(z.lazy(() => CommissionUploadRow)).max(MAX_COMMISSION_ROWS),
}).meta({ id: 'ShadowCommissions' })

const state = get('Get the shadow run of a program', ShadowRunResponse)
const uploads = actWith(
  'Upload commissions of the other platform',
  upload,
  CommissionUploadResponse,
)

const cutOver = actWith('Cut a program over from its shadow run', CutOver, CutOverResponse)

export const shadow: ZodOpenApiPathsObject = {
  [`${PROGRAM}/cut-over`]: {
    post: {
      ...cutOver,
      description:
        'Ends the shadow run, and takes over completely what the uploaded commissions still owe each partner. ' +
        'Does nothing while `refused` has entries. A repeat returns the first result.',
      responses: {
        ...cutOver.responses,
        ...errors('conflict', 'preview_changed'),
      },
    },
  },
  [`${PROGRAM}/shadow`]: {
    get: {
      ...state,
      description:
        'The progress, and the totals of the results by outcome and currency. 409 if the program never ran in ' +
        'shadow mode.',
      requestParams: { ...path(id), query: ShadowPeriod },
      responses: { ...state.responses, ...errors('invalid_query', 'conflict') },
    },
  },
  [`${PROGRAM}/shadow/commissions`]: {
    post: byWriter({
      ...uploads,
      description:
        'Each row succeeds or fails on its own. Safe to repeat: a later row with the same id changes the earlier one.',
      responses: {
        ...uploads.responses,
        ...errors('invalid_body', 'too_many_rows'),
        ...errors('conflict', 'commission_id_required'),
      },
    }),
  },
  [`${PROGRAM}/shadow/compare`]: {
    post: byWriter({
      summary: 'Compare the changes in a shadow run',
      description:
        'Takes some seconds. Repeat it while `isMore` is true; the comparison also continues every few minutes ' +
        'without a request.',
      requestParams: path(id),
      responses: {
        200: { description: 'Done, or more is left.', ...json(CompareResponse) },
        ...errors(...MANAGER_ERRORS, 'conflict'),
      },
    }),
  },
  [`${PROGRAM}/shadow/comparisons`]: {
    get: list(
      'List the sales of a shadow run, with what differs and why',
      ComparisonResponse,
      ComparisonQuery,
      id,
    ),
  },
}
