/** Sends invoices and credit notes as files. */
import type { Context } from 'hono'
import { rpc } from '../http/rpc/rpc.ts'
import {
  type CreditNote,
  creditNoteNumber,
  type Invoice,
  invoiceNumber,
} from '../payouts/invoices/invoices.ts'
import type { PayoutsService } from '../payouts/payouts.rpc.ts'

export type InvoicesEnv = { Bindings: { PAYOUTS: Pick<PayoutsService, 'invoicePdf'> } }

const sendPdf = async (
  c: Context,
  name: string,
  invoice: Invoice,
  note?: CreditNote,
): Promise<Response> => {
  const { PAYOUTS } = c.env as InvoicesEnv['Bindings']
  const file = await rpc('payouts', PAYOUTS.invoicePdf(invoice, note))
  return c.body(new Uint8Array(file), 200, {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="${name}.pdf"`,
    'Cache-Control': 'private, no-store',
  })
}

export const sendInvoice = (c: Context, invoice: Invoice): Promise<Response> =>
  sendPdf(c, invoiceNumber(invoice.number), invoice)

export const sendCreditNote = (
  c: Context,
  { invoice, note }: { invoice: Invoice; note: CreditNote },
): Promise<Response> => sendPdf(c, creditNoteNumber(note.number), invoice, note)
