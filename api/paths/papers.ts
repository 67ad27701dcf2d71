import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { InvoiceResponse } from '../../lib/papers/invoices.responses.ts'
import { InvoiceQuery, StatementQuery, YearQuery } from '../../lib/papers/papers.schemas.ts'
import { PayoutYearResponse, StatementResponse } from '../../lib/papers/statements.responses.ts'
import { PayerResponse } from '../../lib/payouts/details/payers.responses.ts'
import { PayerChange } from '../../lib/payouts/details/payers.schemas.ts'
import {
  byManager,
  bySession,
  errors,
  get,
  id,
  list,
  membersOnly,
  path,
  put,
  WORKSPACE,
} from '../operations.ts'

const pdf = (summary: string): ZodOpenApiOperationObject => ({
  summary,
  security: bySession,
  requestParams: path(id),
  responses: {
    200: { description: 'A PDF file.', content: { 'application/pdf': { schema: z.string() } } },
    ...errors('not_signed_in', 'not_found'),
  },
})

/** A response as JSON, or as a CSV file. */
const orCsv = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema }, 'text/csv': { schema: z.string() } },
})

export const papers: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/partners/{id}/statement`]: {
    get: {
      ...get('Get the statement of a partner for a month', StatementResponse),
      requestParams: { ...path(id), query: StatementQuery },
      responses: {
        200: orCsv('Its balances, or a CSV file of its entries.', StatementResponse),
        ...errors(
          'invalid_query',
          'invalid_api_key',
          'insufficient_scope',
          'not_signed_in',
          'not_found',
        ),
      },
    },
  },
  [`${WORKSPACE}/payout-years/{year}`]: {
    get: {
      summary: 'List what each person was paid in a year',
      description:
        'One row per address and currency, sorted by address: partners with the same address are one person. ' +
        '`limit` counts people, so a page has all currencies of a person. Years are in UTC.',
      security: bySession,
      requestParams: { ...path({ year: z.string().meta({ example: '2026' }) }), query: YearQuery },
      responses: {
        200: orCsv('A page, or a CSV file of all rows.', PayoutYearResponse),
        ...errors('invalid_query', 'not_signed_in', 'not_found'),
      },
    },
  },
  [`${WORKSPACE}/invoices`]: {
    get: membersOnly(list('List self-billed invoices', InvoiceResponse, InvoiceQuery)),
  },
  [`${WORKSPACE}/invoices/{id}`]: {
    get: membersOnly(get('Get a self-billed invoice', InvoiceResponse)),
  },
  [`${WORKSPACE}/invoices/{id}/pdf`]: {
    get: pdf('Download a self-billed invoice'),
  },
  [`${WORKSPACE}/credit-notes/{id}/pdf`]: {
    get: {
      ...pdf('Download a credit note for a self-billed invoice'),
      description: 'Credit notes are listed with the invoices that they correct.',
    },
  },
  [`${WORKSPACE}/payer`]: {
    get: byManager(get('Get the business details', PayerResponse, {})),
    put: put('Change the business details', PayerChange, PayerResponse, {
      description: 'Removes omitted fields, except the IBAN.',
    }),
  },
}
