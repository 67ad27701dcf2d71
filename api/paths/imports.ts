import * as z from 'zod'
import { MAX_CUSTOMER_ROWS } from '../../lib/imports/customer-import.ts'
import {
  CustomerImport,
  CustomerImportRow,
  PartnerImport,
  PartnerImportRow,
} from '../../lib/imports/imports.schemas.ts'
import { MAX_PARTNER_ROWS } from '../../lib/imports/partner-import.ts'
import { CustomerImportResponse, PartnerImportResponse } from '../responses.ts'
import { BODY_ERRORS, bySession, errors, json, MANAGER_ERRORS, workspace } from '../shared.ts'

const importOf = (summary: string, call: z.ZodType, answer: z.ZodType) => ({
  post: {
    summary,
    description: 'Each row is taken or refused by itself. Calling it again changes nothing more.',
    security: bySession,
    requestParams: { path: z.object(workspace) },
    requestBody: { required: true, ...json(call) },
    responses: {
      200: { description: 'One result per row, in their order.', ...json(answer) },
      ...errors(...BODY_ERRORS, 'too_many_rows', ...MANAGER_ERRORS),
    },
  },
})

/** The calls with the rows that they are described to take; what they take is looked at row by row. */
const partners = PartnerImport.extend({ rows: z.array(PartnerImportRow).max(MAX_PARTNER_ROWS) })
const customers = CustomerImport.extend({ rows: z.array(CustomerImportRow).max(MAX_CUSTOMER_ROWS) })

/** Moving in from another platform. */
export const imports = {
  '/api/workspaces/{workspace}/partners/import': importOf(
    'Import partners with their slugs',
    partners.meta({ id: 'PartnerImport' }),
    PartnerImportResponse,
  ),
  '/api/workspaces/{workspace}/customers/import': importOf(
    'Import which customer belongs to which partner',
    customers.meta({ id: 'CustomerImport' }),
    CustomerImportResponse,
  ),
}
