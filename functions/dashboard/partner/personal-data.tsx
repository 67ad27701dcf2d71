import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { findCustomer } from '../../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import { eraseCustomer } from '../../../lib/people/erase-customer.queries.ts'
import { erasePartner, STILL_DUE } from '../../../lib/people/erase-partner.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

/** What erasing does, by kind of person. */
const EFFECT = {
  customers: m.partners_removes_email_addresses,
  partners: m.partners_removes_email_address,
}

type Kind = keyof typeof EFFECT

const findPerson = (
  c: Context<WorkspaceEnv>,
  kind: Kind,
): Promise<{ id: string; email: string | null }> => {
  const { db, workspace } = c.var
  const id = c.req.param('id') ?? ''
  return kind === 'customers'
    ? found('customer', id, (known) => findCustomer(db, workspace.id, known))
    : found('partner', id, (known) => findPartner(db, workspace.id, known))
}

const show = async (c: Context<WorkspaceEnv>, kind: Kind, refusal?: string) => {
  const { workspace } = c.var
  const t = textsOf(c)
  const { id } = await findPerson(c, kind)
  const noun = kind === 'customers' ? 'customer' : 'partner'
  const back = `/app/${workspace.slug}/${kind}/${id}`
  const children = (
    <>
      <LinkLine href={back}>{t(m.partners_back_to_the, { noun })}</LinkLine>
      <h1>{t(m.layout_personal_data)}</h1>
      <Problem message={refusal} />
      <Done
        message={
          c.req.query('done') === 'erased' ? t(m.partners_the_was_erased, { noun }) : undefined
        }
      />
      <h2>{t(m.partners_export)}</h2>
      <p>{t(m.partners_everything_stored_about, { noun })}</p>
      <p>
        <a
          href={`/api/workspaces/${workspace.slug}/${kind}/${id}/personal-data`}
          download={`${noun}-${id}.json`}
        >
          {t(m.partners_download_personal_data)}
        </a>
      </p>
      <h2>{t(m.partners_erasure)}</h2>
      <p>{t(EFFECT[kind])}</p>
      <form method="post" action={`${back}/personal-data`}>
        <DangerButton>{t(m.partners_erase, { noun })}</DangerButton>
      </form>
    </>
  )
  return renderSection(c, `/${kind}`, m.layout_personal_data, children, refusal ? 409 : 200)
}

const erase = async (c: Context<WorkspaceEnv>, kind: Kind) => {
  const { db, workspace } = c.var
  const { id, email } = await findPerson(c, kind)
  if (kind === 'customers') await eraseCustomer(db, actOf(c), id)
  else if (!(await erasePartner(db, actOf(c), id, email ?? ''))) return show(c, kind, STILL_DUE)
  return c.redirect(`/app/${workspace.slug}/${kind}/${id}/personal-data?done=erased`, 303)
}

/**
 * /app/:workspace/customers/:id/personal-data and /partners/:id/personal-data: shows and erases a
 * person's data.
 */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/customers/:id/personal-data', (c) => show(c, 'customers'))
  .post('/app/:workspace/customers/:id/personal-data', freshMembersOnly(), expensive(), (c) =>
    erase(c, 'customers'),
  )
  .get('/app/:workspace/partners/:id/personal-data', (c) => show(c, 'partners'))
  .post('/app/:workspace/partners/:id/personal-data', freshMembersOnly(), expensive(), (c) =>
    erase(c, 'partners'),
  )
