/** Undoes an import, or shows what depends on it. */

import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { form } from '../../../lib/http/validate.ts'
import { previewUndo, undoImport } from '../../../lib/imports/undo.queries.ts'
import {
  DEPENDENTS_SHOWN,
  type Dependents,
  type ImportUndo,
  type Undone,
} from '../../../lib/imports/undo.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

/** What the undo deletes, a line each. */
export const UndoneList = ({ undone }: { undone: Undone }) => {
  const { partners, customers, balances, amountCents, mails } = undone
  if (partners + customers + balances + mails === 0) return <p>{t(m.imports_nothing)}</p>
  return (
    <ul>
      {partners > 0 && <li>{t(m.imports_undone_partners, { partners: figure(partners) })}</li>}
      {customers > 0 && <li>{t(m.imports_undone_customers, { customers: figure(customers) })}</li>}
      {balances > 0 && (
        <li>
          {t(m.imports_undone_balances, {
            balances: figure(balances),
            amount: money(amountCents, 'USD'),
          })}
        </li>
      )}
      {mails > 0 && <li>{t(m.imports_undone_mails, { mails: figure(mails) })}</li>}
    </ul>
  )
}

type Named = { href: string; name: string; email: string | null }

/** The first rows that depend on the import, with links to their pages. */
const NamedTable = ({ caption, count, rows }: { caption: string; count: number; rows: Named[] }) =>
  count === 0 ? null : (
    <>
      <h2>
        {caption}: {figure(count)}
      </h2>
      <Table {...{ caption }} head={[caption, t(m.email_address)]} isStacked>
        {rows.map(({ href, name, email }) => (
          <tr>
            <td>
              <a {...{ href }}>{name}</a>
            </td>
            <td>{email}</td>
          </tr>
        ))}
      </Table>
      {count > DEPENDENTS_SHOWN && (
        <p>{t(m.imports_first_rows, { number: figure(DEPENDENTS_SHOWN) })}</p>
      )}
    </>
  )

type InUseProps = { base: string; dependents: Dependents }

const InUse = ({ base, dependents: { partners, customers, earned } }: InUseProps) => (
  <>
    <p>{t(m.imports_in_use)}</p>
    {earned.length > 0 && (
      <p>
        {t(m.imports_earned_since, {
          amounts: earned.map((sum) => money(sum.amountCents, sum.currency)).join(', '),
        })}
      </p>
    )}
    <NamedTable
      caption={t(m.layout_partners)}
      count={partners.count}
      rows={partners.first.map(({ id, email, name }) => ({
        href: `${base}/partners/${id}`,
        name: name ?? email,
        email,
      }))}
    />
    <NamedTable
      caption={t(m.layout_customers)}
      count={customers.count}
      rows={customers.first.map(({ id, externalId, email }) => ({
        href: `${base}/customers/${id}`,
        name: externalId,
        email,
      }))}
    />
  </>
)

const Preview = ({ undone, report }: { undone: Undone; report: string }) => (
  <>
    <p>{t(m.imports_undo_effect)}</p>
    <h2>{t(m.imports_to_undo)}</h2>
    <UndoneList {...{ undone }} />
    <ConfirmForm button={t(m.imports_undo)} cancel={report} />
  </>
)

const UndoPage = ({ base, report, undo }: { base: string; report: string; undo: ImportUndo }) => (
  <>
    <LinkLine href={report}>{t(m.imports_back)}</LinkLine>
    <h1>{t(m.imports_undo)}</h1>
    {'dependents' in undo ? <InUse {...{ base, ...undo }} /> : <Preview {...{ report, ...undo }} />}
  </>
)

/** The effect of an undo; with status 409, why it was refused; the report once it is done. */
const show = async (
  c: Context<WorkspaceEnv>,
  ask: (importId: string) => Promise<ImportUndo | undefined>,
  status: 200 | 409,
) => {
  const importId = (c.req.param('id') ?? '').toLowerCase()
  const undo = await found('import', importId, ask)
  const base = `/app/${c.var.workspace.slug}`
  const report = `${base}/imports/${importId}`
  if ('isDone' in undo && undo.isDone) return c.redirect(report, 303)
  const children = <UndoPage {...{ base, report, undo }} />
  return renderSection(c, '/import', m.imports_undo, children, status)
}

const PATH = '/app/:workspace/imports/:id/undo'

/** /app/:workspace/imports/:id/undo */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, expensive(), (c) =>
    show(c, (id) => previewUndo(c.var.db, c.var.workspace.id, id), 200),
  )
  .post(PATH, freshMembersOnly(), expensive(), form(), (c) =>
    show(c, (id) => undoImport(c.env, actOf(c), id), 409),
  )
