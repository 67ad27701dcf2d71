import { member, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readPage } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { query } from '../../../lib/http/validate.ts'
import {
  type InvoicesEnv,
  sendCreditNote,
  sendInvoice,
} from '../../../lib/papers/invoice.service.ts'
import { findCreditNote, findInvoice, listInvoices } from '../../../lib/papers/invoices.queries.ts'
import type { InvoiceResponse } from '../../../lib/papers/invoices.responses.ts'
import { InvoiceQuery } from '../../../lib/papers/papers.schemas.ts'
import {
  creditNoteNumber,
  type Invoice,
  invoiceNumber,
} from '../../../lib/payouts/invoices/invoices.ts'

const invoiceResponse = (invoice: Invoice): InvoiceResponse => ({
  id: invoice.id,
  number: invoiceNumber(invoice.number),
  payoutId: invoice.payoutId,
  partnerId: invoice.partnerId,
  currency: invoice.currency,
  amountCents: Number(invoice.amountCents),
  supplier: invoice.supplier,
  customer: invoice.customer,
  issuedAt: invoice.issuedAt,
  creditNotes: invoice.creditNotes.map(({ number, amountCents, ...note }) => ({
    ...note,
    number: creditNoteNumber(number),
    amountCents: Number(amountCents),
  })),
})

/** /invoices and /credit-notes: the papers that the workspace issued in the name of partners. */
export default createRoutes<WorkspaceEnv & InvoicesEnv>()
  .get('/api/workspaces/:workspace/invoices', member(), query(InvoiceQuery), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listInvoices, invoiceResponse)),
  )
  .get('/api/workspaces/:workspace/invoices/:id', member(), async (c) => {
    const { db, workspace } = c.var
    return c.json(
      invoiceResponse(
        await found('invoice', c.req.param('id'), (id) =>
          findInvoice(db, { workspaceId: workspace.id }, id),
        ),
      ),
    )
  })
  .get('/api/workspaces/:workspace/invoices/:id/pdf', member(), async (c) => {
    const { db, workspace } = c.var
    return sendInvoice(
      c,
      await found('invoice', c.req.param('id'), (id) =>
        findInvoice(db, { workspaceId: workspace.id }, id),
      ),
    )
  })
  .get('/api/workspaces/:workspace/credit-notes/:id/pdf', member(), async (c) => {
    const { db, workspace } = c.var
    const owner = { workspaceId: workspace.id }
    return sendCreditNote(
      c,
      await found('credit note', c.req.param('id'), (id) => findCreditNote(db, owner, id)),
    )
  })
