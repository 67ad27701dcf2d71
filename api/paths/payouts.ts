import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { InvoiceResponse } from '../../lib/papers/invoices.responses.ts'
import { InvoiceQuery, StatementQuery, YearQuery } from '../../lib/papers/papers.schemas.ts'
import { PayoutYearResponse, StatementResponse } from '../../lib/papers/statements.responses.ts'
import { PartnerBalanceResponse } from '../../lib/payouts/balances.responses.ts'
import { RunFilesResponse, TemplateFileResponse } from '../../lib/payouts/files/files.responses.ts'
import { ExportQuery, TemplateFile } from '../../lib/payouts/files/files.schemas.ts'
import { PayerResponse } from '../../lib/payouts/payers.responses.ts'
import { PayerChange } from '../../lib/payouts/payers.schemas.ts'
import {
  PayoutResponse,
  PayoutRunResponse,
  PreviewChangedResponse,
  RunResultResponse,
} from '../../lib/payouts/payouts.responses.ts'
import {
  BalanceQuery,
  PayoutQuery,
  PayoutResolution,
  PayoutReturn,
  PayoutRun,
  RunChange,
} from '../../lib/payouts/payouts.schemas.ts'
import {
  act,
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
    get: list('List what is payable to partners, or owed by them', PartnerBalanceResponse, BalanceQuery),
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
  [`${WORKSPACE}/payouts/{id}/cancel`]: {
    post: {
      summary: 'Cancel a payout that was not sent',
      description:
        'Nothing is sent from then on. It is `canceled` at once if no request to Stripe can be on its way, and its ' +
        'commissions are payable again. Otherwise it is `canceling` until that is certain, and `paid` if it turns out ' +
        'that it was sent. Safe to repeat.',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'The payout.', ...json(PayoutResponse) },
        ...errors(...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/payouts/{id}/resolve`]: {
    post: {
      summary: 'Decide whether a payout was sent, when Stripe cannot be asked',
      description:
        'For a payout that is `canceling`, once Stripe could not be asked for its transfer five times over 24 hours after ' +
        '`lookedUpUntil`. If you mark one as not sent that was, its partner is paid twice. Safe to repeat.',
      security: bySession,
      requestParams: path(id),
      requestBody: { required: true, ...json(PayoutResolution) },
      responses: {
        200: { description: 'The payout.', ...json(PayoutResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/payouts/{id}/return`]: {
    post: {
      summary: 'Mark a payout by bank as returned',
      description:
        'For a payout of a confirmed run that the bank or service sent back. Its commissions are payable again, and the ' +
        'partner gets a mail with the reason. Safe to repeat with the same reason.',
      security: bySession,
      requestParams: path(id),
      requestBody: { required: true, ...json(PayoutReturn) },
      responses: {
        200: { description: 'The payout.', ...json(PayoutResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
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
  [`${WORKSPACE}/payout-runs/{id}/files`]: {
    get: {
      ...membersOnly(get('List the files of a manual payout run', RunFilesResponse)),
      description:
        'Which files a bank or a service takes, and the payouts that are in none. See docs/bank-files.md.',
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
        'Formats other than `csv` contain the partners’ payment details, and need the role manager.',
      security: bySession,
      requestParams: { ...path(id), query: ExportQuery },
      responses: {
        200: {
          description: 'One line per payout, or a message of SEPA.',
          content: { 'text/csv': { schema: z.string() }, 'application/xml': { schema: z.string() } },
        },
        ...errors('invalid_query', 'not_signed_in', 'manager_required', 'not_found', 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/payout-runs/{id}/wise-template`]: {
    post: {
      summary: 'Fill in a template of Wise with the payouts of a manual run',
      security: bySession,
      requestParams: path(id),
      requestBody: { required: true, ...json(TemplateFile) },
      responses: {
        200: { description: 'The file, and the payouts without a row in it.', ...json(TemplateFileResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/partners/{id}/statement`]: {
    get: {
      ...get('Get the statement of a partner for a month', StatementResponse),
      requestParams: { ...path(id), query: StatementQuery },
      responses: {
        200: {
          description: 'Its balances, or a CSV file of its entries.',
          content: { 'application/json': { schema: StatementResponse }, 'text/csv': { schema: z.string() } },
        },
        ...errors('invalid_query', 'invalid_api_key', 'not_signed_in', 'not_found'),
      },
    },
  },
  [`${WORKSPACE}/payout-years/{year}`]: {
    get: {
      summary: 'List what was paid to whom in a year',
      description:
        'One row per address and currency: partners of one address are one person. Years are in UTC.',
      security: bySession,
      requestParams: { ...path({ year: z.string().meta({ example: '2026' }) }), query: YearQuery },
      responses: {
        200: {
          description: 'All of them, or a CSV file.',
          content: { 'application/json': { schema: PayoutYearResponse }, 'text/csv': { schema: z.string() } },
        },
        ...errors('invalid_query', 'not_signed_in', 'not_found'),
      },
    },
  },
  [`${WORKSPACE}/invoices`]: {
    get: membersOnly(list('List self-billed invoices', InvoiceResponse, InvoiceQuery)),
  },
  [`${WORKSPACE}/invoices/{id}`]: { get: membersOnly(get('Get a self-billed invoice', InvoiceResponse)) },
  [`${WORKSPACE}/invoices/{id}/pdf`]: {
    get: {
      summary: 'Download a self-billed invoice',
      security: bySession,
      requestParams: path(id),
      responses: {
        200: { description: 'The invoice as PDF.', content: { 'application/pdf': { schema: z.string() } } },
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
