import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { findCustomer } from '../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Done, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { eraseCustomer } from '../../lib/people/erase-customer.queries.ts'
import { erasePartner } from '../../lib/people/erase-partner.queries.ts'
import { STILL_DUE } from '../../lib/people/erasures.ts'
import { findPartner } from '../../lib/workspace/partners.queries.ts'

/** What erasing does, by whom it erases. */
const EFFECT = {
  customers:
    'Removes the email addresses, the name, metadata and landing pages, and what Stripe’s events say of the buyer. Sales, commissions and your own IDs stay, so later sales are still credited. This cannot be undone.',
  partners:
    'Removes the email address, the name, payment and invoice details, emails, and notes, in all programs of this workspace, and bans the partner. Commissions, payouts and issued invoices stay, because you must keep them. This cannot be undone.',
}

type Kind = keyof typeof EFFECT

const findPerson = (c: Context<WorkspaceEnv>, kind: Kind): Promise<{ id: string; email: string | null }> => {
  const { db, workspace } = c.var
  const id = c.req.param('id') ?? ''
  return kind === 'customers'
    ? found('customer', id, (known) => findCustomer(db, workspace.id, known))
    : found('partner', id, (known) => findPartner(db, workspace.id, known))
}

const show = async (c: Context<WorkspaceEnv>, kind: Kind, refusal?: string) => {
  const { workspace } = c.var
  const { id } = await findPerson(c, kind)
  const noun = kind === 'customers' ? 'customer' : 'partner'
  const back = `/app/${workspace.slug}/${kind}/${id}`
  const children = (
    <>
      <p>
        <a href={back}>Back to the {noun}</a>
      </p>
      <h1>Personal data</h1>
      <Problem message={refusal} />
      <Done message={c.req.query('done') === 'erased' ? `The ${noun} was erased.` : undefined} />
      <h2>Export</h2>
      <p>Everything that is stored about this {noun}, as JSON.</p>
      <p>
        <a
          href={`/api/workspaces/${workspace.slug}/${kind}/${id}/personal-data`}
          download={`${noun}-${id}.json`}
        >
          Download personal data
        </a>
      </p>
      <h2>Erasure</h2>
      <p>{EFFECT[kind]}</p>
      <form method="post" action={`${back}/personal-data`}>
        <button type="submit" class="danger">
          Erase {noun}
        </button>
      </form>
    </>
  )
  return renderPage(c, { title: 'Personal data', section: `/${kind}`, children }, refusal ? 409 : 200)
}

const erase = async (c: Context<WorkspaceEnv>, kind: Kind) => {
  const { db, workspace } = c.var
  const { id, email } = await findPerson(c, kind)
  if (kind === 'customers') await eraseCustomer(db, actOf(c), id)
  else if (!(await erasePartner(db, actOf(c), id, email ?? ''))) return show(c, kind, STILL_DUE)
  return c.redirect(`/app/${workspace.slug}/${kind}/${id}/personal-data?done=erased`, 303)
}

/** /app/:workspace/customers/:id/personal-data and /partners/:id/personal-data: what is known of a person, and its erasure. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/customers/:id/personal-data', managersOnly(), (c) => show(c, 'customers'))
  .post('/app/:workspace/customers/:id/personal-data', managersOnly(), (c) => erase(c, 'customers'))
  .get('/app/:workspace/partners/:id/personal-data', managersOnly(), (c) => show(c, 'partners'))
  .post('/app/:workspace/partners/:id/personal-data', managersOnly(), (c) => erase(c, 'partners'))
