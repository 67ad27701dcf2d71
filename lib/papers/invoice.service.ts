/** Sends an invoice as a file. */
import type { Context } from 'hono'
import { rpc } from '../http/rpc.ts'
import type { PayoutsService } from '../payouts/payouts.rpc.ts'
import { type Invoice, invoiceNumber } from './invoices.ts'

export type InvoicesEnv = { Bindings: { PAYOUTS: Pick<PayoutsService, 'invoicePdf'> } }

/** Responds with the invoice as PDF. */
export const sendInvoice = async (c: Context, invoice: Invoice): Promise<Response> => {
  const { PAYOUTS } = c.env as InvoicesEnv['Bindings']
  const file = await rpc('payouts', PAYOUTS.invoicePdf(invoice))
  return c.body(new Uint8Array(file), 200, {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="${invoiceNumber(invoice.number)}.pdf"`,
    'Cache-Control': 'private, no-store',
  })
}
