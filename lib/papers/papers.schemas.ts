/** Requests about papers, for the API and the pages. */
import * as z from 'zod'
import { line, NOT_BLANK } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { isSepaName } from '../payouts/files/latin.ts'

/** The filters of GET /api/workspaces/:workspace/invoices. */
export const InvoiceQuery = z.object({ partnerId: z.uuid().optional(), ...Page.shape })

const LATIN = 'Write it in Latin letters.'
const text = (maxLength: number) => line(maxLength).min(1, NOT_BLANK).refine(isSepaName, LATIN)

const format = z
  .enum(['json', 'csv'], 'Must be json or csv.')
  .default('json')
  .meta({ description: '`csv` lists every entry.' })

/** The query of GET /api/workspaces/:workspace/partners/:id/statement, and of the pages. */
export const StatementQuery = z.object({
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'Must be a month, such as 2026-10.')
    .optional()
    .meta({ description: 'In UTC: `2026-10`. This month by default.' }),
  format,
})

/** The query of GET /api/workspaces/:workspace/payout-years/:year. */
export const YearQuery = z.object({ format, ...Page.shape })

/** The portal's form of a person's details for invoices. */
export const PayeeChange = z.object({
  name: text(70),
  street: text(70),
  postalCode: line(16).default(''),
  city: text(35),
  country: z
    .string('Must be a country code of two letters, such as DE.')
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, 'Must be a country code of two letters, such as DE.'),
  vatId: line(20).default(''),
  isAgreed: z.boolean(),
})
