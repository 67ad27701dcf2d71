import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import { query } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { InvoiceTable } from '../../../lib/pages/tables/invoices.tsx'
import { NextPage } from '../../../lib/pages/tables/table.tsx'
import { listInvoices } from '../../../lib/papers/invoices.queries.ts'
import { InvoiceQuery } from '../../../lib/papers/papers.schemas.ts'

/** /app/:workspace/payouts/invoices: self-billed invoices. */
export default createRoutes<WorkspaceEnv>().get(
  '/app/:workspace/payouts/invoices',
  query(InvoiceQuery),
  async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const rows = await listInvoices(db, workspace.id, { ...filter, limit: limit + 1 })
    const { data, nextCursor } = page(rows, limit)
    const mayChange = mayOpen(workspace, 'GET /settings/business')
    const business = mayChange ? `/app/${workspace.slug}/settings/business` : null
    const children = (
      <>
        <h1>{t(m.invoices)}</h1>
        <p>{t(m.payouts_invoices_intro, { link: linkTo(business) })}</p>
        {data.length > 0 ? (
          <InvoiceTable
            invoices={data}
            base={`/api/workspaces/${workspace.slug}`}
            extension="/pdf"
          />
        ) : (
          <p class="empty">{t(m.payouts_no_invoices_yet)}</p>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderSection(c, '/payouts', m.invoices, children)
  },
)
