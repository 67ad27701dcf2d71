import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { ErrorCode } from '../../lib/http/errors.ts'
import { MAX_CUSTOMER_ROWS } from '../../lib/imports/customers/customer-import.ts'
import {
  CustomerImportResponse,
  ImportInUseResponse,
  ImportUndoResponse,
  PartnerImportResponse,
} from '../../lib/imports/imports.responses.ts'
import {
  CustomerImport,
  CustomerImportRow,
  ImportUndoRequest,
  PartnerImport,
  PartnerImportRow,
} from '../../lib/imports/imports.schemas.ts'
import { MAX_PARTNER_ROWS } from '../../lib/imports/partners/partner-import.ts'
import {
  ImportSourceListResponse,
  ImportSourceResponse,
  SourceRowsResponse,
} from '../../lib/imports/sources/sources.responses.ts'
import { NewImportSource, SourceRowsQuery } from '../../lib/imports/sources/sources.schemas.ts'
import {
  BODY_ERRORS,
  byManager,
  bySession,
  errors,
  get,
  id,
  json,
  MANAGER_ERRORS,
  path,
  post,
  remove,
  WORKSPACE,
} from '../operations.ts'

const importOf = (summary: string, body: z.ZodType, response: z.ZodType, ...more: ErrorCode[]) => ({
  post: {
    summary,
    description: 'Each row succeeds or fails on its own. Safe to repeat.',
    security: bySession,
    requestParams: path(),
    requestBody: { required: true, ...json(body) },
    responses: {
      200: { description: 'One result per row, in order.', ...json(response) },
      ...errors(...BODY_ERRORS, 'too_many_rows', 'conflict', ...MANAGER_ERRORS, ...more),
    },
  },
})

/** The endpoints accept rows of any shape and validate each, so this adds the rows' schemas. */
const partners = PartnerImport.extend({ rows: z.array(PartnerImportRow).max(MAX_PARTNER_ROWS) })
const customers = CustomerImport.extend({ rows: z.array(CustomerImportRow).max(MAX_CUSTOMER_ROWS) })

export const imports: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/partners/import`]: importOf(
    'Import partners and keep their slugs',
    partners.meta({ id: 'PartnerImport' }),
    PartnerImportResponse,
    'links_unconfirmed',
  ),
  [`${WORKSPACE}/customers/import`]: importOf(
    'Import the assignment of customers to partners',
    customers.meta({ id: 'CustomerImport' }),
    CustomerImportResponse,
  ),
  [`${WORKSPACE}/import-sources`]: {
    get: byManager(get('List the platforms that are read', ImportSourceListResponse, {})),
    post: {
      ...post(
        'Start to read another platform by its API',
        NewImportSource,
        ImportSourceResponse,
        {},
        'conflict',
      ),
      description:
        'The platform must accept the token. A program is read from one platform at a time: delete the former ' +
        'source first. A failed reading continues where it stopped, if you send a token of the same account ' +
        'again.',
    },
  },
  [`${WORKSPACE}/import-sources/{id}`]: {
    get: byManager(get('Get the progress of reading a platform', ImportSourceResponse)),
    delete: remove('Stop reading a platform, and delete what was read'),
  },
  [`${WORKSPACE}/import-sources/{id}/rows`]: {
    get: {
      summary: 'List the rows of a source',
      description: 'In no particular order. `conflict` until the status of the source is `ready`.',
      security: bySession,
      requestParams: { ...path(id), query: SourceRowsQuery },
      responses: {
        200: { description: 'A page.', ...json(SourceRowsResponse) },
        ...errors('invalid_query', ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/imports/{id}/undo`]: {
    post: {
      summary: 'Undo an import completely, or not at all',
      description:
        'Undoes all that the import has made, or nothing if any of it has been used or changed since: the 409 ' +
        'names it. Safe to repeat.',
      security: bySession,
      requestParams: path(id),
      requestBody: { required: true, ...json(ImportUndoRequest) },
      responses: {
        200: { description: 'What was undone.', ...json(ImportUndoResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS),
        409: { ...errors('conflict')['409'], ...json(ImportInUseResponse) },
      },
    },
  },
}
