import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import { InvoiceTable } from '../../lib/pages/invoices.tsx'
import { NextPage } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { listInvoices } from '../../lib/papers/invoices.queries.ts'
import { InvoiceQuery } from '../../lib/papers/papers.schemas.ts'

/** /app/:workspace/payouts/invoices: the invoices that the workspace issued in the name of partners. */
export default createRoutes<WorkspaceEnv>().get(
  '/app/:workspace/payouts/invoices',
  query(InvoiceQuery),
  async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const rows = await listInvoices(db, workspace.id, { ...filter, limit: limit + 1 })
    const { data, nextCursor } = page(rows, limit)
    const children = (
      <>
        <h1>Invoices</h1>
        <p>
          Issued in the name of partners who agreed to self-billing. Enter the{' '}
          <a href={`/app/${workspace.slug}/settings/business`}>business details</a> that they name. A payout
          that was returned or reversed has a credit note, which corrects its invoice.
        </p>
        {data.length > 0 ? (
          <InvoiceTable invoices={data} base={`/api/workspaces/${workspace.slug}`} extension="/pdf" />
        ) : (
          <p class="empty">No invoices yet. Turn on self-billed invoices in the settings.</p>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderPage(c, { title: 'Invoices', section: '/payouts', children })
  },
)
