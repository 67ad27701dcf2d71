import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { ErrorCode } from '../../lib/http/errors.ts'
import { MAX_CUSTOMER_ROWS } from '../../lib/imports/customer-import.ts'
import { CustomerImportResponse, PartnerImportResponse } from '../../lib/imports/imports.responses.ts'
import {
  CustomerImport,
  CustomerImportRow,
  PartnerImport,
  PartnerImportRow,
} from '../../lib/imports/imports.schemas.ts'
import { MAX_PARTNER_ROWS } from '../../lib/imports/partner-import.ts'
import { BODY_ERRORS, bySession, errors, json, MANAGER_ERRORS, path, WORKSPACE } from '../operations.ts'

const importOf = (summary: string, body: z.ZodType, response: z.ZodType, ...more: ErrorCode[]) => ({
  post: {
    summary,
    description: 'Each row succeeds or fails on its own. Safe to repeat.',
    security: bySession,
    requestParams: path(),
    requestBody: { required: true, ...json(body) },
    responses: {
      200: { description: 'One result per row, in order.', ...json(response) },
      ...errors(...BODY_ERRORS, 'too_many_rows', ...MANAGER_ERRORS, ...more),
    },
  },
})

/** The endpoints accept rows of any shape and validate each on its own, so the row schemas are added here. */
const partners = PartnerImport.extend({ rows: z.array(PartnerImportRow).max(MAX_PARTNER_ROWS) })
const customers = CustomerImport.extend({ rows: z.array(CustomerImportRow).max(MAX_CUSTOMER_ROWS) })

export const imports: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/partners/import`]: importOf(
    'Import partners and keep their slugs',
    partners.meta({ id: 'PartnerImport' }),
    PartnerImportResponse,
    'conflict',
    'links_unconfirmed',
  ),
  [`${WORKSPACE}/customers/import`]: importOf(
    'Import the assignment of customers to partners',
    customers.meta({ id: 'CustomerImport' }),
    CustomerImportResponse,
  ),
}
