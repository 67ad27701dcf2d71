import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { InvoiceResponse } from '../../lib/papers/invoices.responses.ts'
import { InvoiceQuery, StatementQuery, YearQuery } from '../../lib/papers/papers.schemas.ts'
import { PayoutYearResponse, StatementResponse } from '../../lib/papers/statements.responses.ts'
import { PayerResponse } from '../../lib/payouts/details/payers.responses.ts'
import { PayerChange } from '../../lib/payouts/details/payers.schemas.ts'
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
  path,
  WORKSPACE,
} from '../operations.ts'

export const papers: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/partners/{id}/statement`]: {
    get: {
      ...get('Get the statement of a partner for a month', StatementResponse),
      requestParams: { ...path(id), query: StatementQuery },
      responses: {
        200: {
          description: 'Its balances, or a CSV file of its entries.',
          content: {
            'application/json': { schema: StatementResponse },
            'text/csv': { schema: z.string() },
          },
        },
        ...errors('invalid_query', 'invalid_api_key', 'not_signed_in', 'not_found'),
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
        200: {
          description: 'A page of them, or a CSV file of all.',
          content: {
            'application/json': { schema: PayoutYearResponse },
            'text/csv': { schema: z.string() },
          },
        },
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
    get: {
      summary: 'Download a self-billed invoice',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: {
          description: 'The invoice as PDF.',
          content: { 'application/pdf': { schema: z.string() } },
        },
        ...errors('not_signed_in', 'not_found'),
      },
    },
  },
  [`${WORKSPACE}/credit-notes/{id}/pdf`]: {
    get: {
      summary: 'Download a credit note for a self-billed invoice',
      description: 'Credit notes are listed with the invoices that they correct.',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: {
          description: 'The credit note as PDF.',
          content: { 'application/pdf': { schema: z.string() } },
        },
        ...errors('not_signed_in', 'not_found'),
      },
    },
  },
  [`${WORKSPACE}/payer`]: {
    get: {
      summary: 'Read the business details',
      security: bySession,
      requestParams: path(),
      responses: {
        200: { description: 'Who pays.', ...json(PayerResponse) },
        ...errors('not_signed_in', 'manager_required', 'not_found'),
      },
    },
    put: {
      summary: 'Change the business details',
      description: 'Omitted fields are removed, but for the IBAN.',
      security: bySession,
      requestParams: path(),
      requestBody: { required: true, ...json(PayerChange) },
      responses: {
        200: { description: 'Who pays.', ...json(PayerResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS),
      },
    },
  },
}
