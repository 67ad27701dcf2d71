/** Undoes an import: what would be taken back, what stays and why, and the button. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { form } from '../../lib/http/validate.ts'
import { ImportUndoRequest } from '../../lib/imports/imports.schemas.ts'
import { type UndoStep, undoImport } from '../../lib/imports/undo.service.ts'
import { KEPT_SHOWN, type Kept, type KeptCount, UNDO_REASONS, type Undone } from '../../lib/imports/undo.ts'
import { figure, money } from '../../lib/pages/money.tsx'
import { ConfirmForm, Done, Table } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'

/** What is, or would be, taken back, a line each. */
export const UndoneList = ({ undone, none }: { undone: Undone; none: string }) => {
  const { partners, customers, balances, amountCents, mails } = undone
  if (partners + customers + balances + mails === 0) return <p>{none}</p>
  return (
    <ul>
      {partners > 0 && <li>Partners, with their links and coupons: {figure(partners)}</li>}
      {customers > 0 && <li>Customers, who return to what they were: {figure(customers)}</li>}
      {balances > 0 && (
        <li>
          Opening balances: {figure(balances)}, of {money(amountCents, 'USD')}
        </li>
      )}
      {mails > 0 && <li>Emails that were not sent yet: {figure(mails)}</li>}
    </ul>
  )
}

const KINDS: Record<KeptCount['kind'], string> = {
  partners: 'Partners',
  customers: 'Customers',
  balances: 'Opening balances',
}

const KeptTables = ({ kept, rows }: { kept: KeptCount[]; rows: Kept[] }) => (
  <>
    <Table caption="Reasons" head={['What stays', { number: 'Number' }, 'Reason']}>
      {kept.map(({ kind, reason, count }) => (
        <tr>
          <td>{KINDS[kind]}</td>
          <td class="number">{figure(count)}</td>
          <td class="words">{UNDO_REASONS[reason]}.</td>
        </tr>
      ))}
    </Table>
    <Table caption="Rows that stay" head={['Row', 'Reason']}>
      {rows.map(({ customer, partner, reason }) => (
        <tr>
          <td>{customer ? (partner ? `${customer} of ${partner}` : customer) : partner}</td>
          <td class="words">{UNDO_REASONS[reason]}.</td>
        </tr>
      ))}
    </Table>
    {rows.length === KEPT_SHOWN && <p>These are the first {figure(KEPT_SHOWN)}.</p>}
  </>
)

/** The fields that the next request of the page carries on. */
const CarriedOn = ({ withChanged, cursor }: { withChanged: boolean; cursor?: string | null }) => (
  <>
    {withChanged && <input type="hidden" name="includeChanged" value="on" />}
    {cursor && <input type="hidden" name="cursor" value={cursor} />}
  </>
)

type Props = { base: string; importId: string; step: UndoStep; withChanged: boolean }

const Frame = ({ base, importId, children }: Pick<Props, 'base' | 'importId'> & { children: Child }) => (
  <>
    <p>
      <a href={`${base}/imports/${importId}`}>Back to the report</a>
    </p>
    <h1>Undo import</h1>
    {children}
  </>
)

const Preview = ({ base, importId, step, withChanged, wasCut }: Props & { wasCut: boolean }) => (
  <Frame base={base} importId={importId}>
    <p>
      Takes back what this import has made, where nothing relies on it yet. Opening balances are reversed,
      slugs and coupons are free again, and customers return to the partner and details that they had before.
      Emails that were sent stay sent. The same file can be imported again afterwards, but clicks of visitors
      until now will not be credited.
    </p>
    <h2>Will be taken back</h2>
    <UndoneList undone={step.undone} none="Nothing." />
    <h2>Will stay</h2>
    {step.kept.length > 0 ? <KeptTables kept={step.kept} rows={step.rows} /> : <p>Nothing.</p>}
    {(step.nextCursor || wasCut) && <p>This is a part of the import: it is large.</p>}
    {step.nextCursor && (
      <form method="get">
        <CarriedOn withChanged={withChanged} cursor={step.nextCursor} />
        <button type="submit">Preview the next part</button>
      </form>
    )}
    {(withChanged ||
      step.kept.some(({ kind, reason }) => kind === 'partners' && reason === 'changed_since')) && (
      <form method="get">
        <label class="check">
          <input type="checkbox" name="includeChanged" checked={withChanged} /> Take back partners whom
          somebody has changed since, too
        </label>
        <p class="actions">
          <button type="submit" class="quiet">
            Preview again
          </button>
        </p>
      </form>
    )}
    <ConfirmForm button="Undo import" cancel={`${base}/imports/${importId}`}>
      <CarriedOn withChanged={withChanged} />
    </ConfirmForm>
  </Frame>
)

/** What one step has done. The next one is a click away; what is done is done. */
const Result = ({ base, importId, step, withChanged }: Props) => (
  <Frame base={base} importId={importId}>
    <Done message={step.nextCursor ? 'A part of the import is undone.' : 'The import is undone.'} />
    <h2>Taken back</h2>
    <UndoneList undone={step.undone} none="Nothing." />
    {step.kept.length > 0 && (
      <>
        <h2>Stays</h2>
        <KeptTables kept={step.kept} rows={step.rows} />
      </>
    )}
    {step.nextCursor && (
      <form method="post">
        <CarriedOn withChanged={withChanged} cursor={step.nextCursor} />
        <button type="submit">Undo the rest</button>
      </form>
    )}
  </Frame>
)

const PATH = '/app/:workspace/imports/:id/undo'

/** The step that a request asks for. A cursor that is none is as if there were none. */
const stepOf = async (
  c: Context<WorkspaceEnv>,
  dryRun: boolean,
  fields: Record<string, string | undefined>,
) => {
  const importId = (c.req.param('id') ?? '').toLowerCase()
  const withChanged = fields.includeChanged === 'on'
  const { data } = ImportUndoRequest.safeParse({ cursor: fields.cursor })
  const cursor = data?.cursor ?? undefined
  const step = await found('import', importId, (id) =>
    undoImport(c.var.db, actOf(c), { importId: id, cursor, dryRun, withChanged }),
  )
  return { base: `/app/${c.var.workspace.slug}`, importId, step, withChanged, wasCut: cursor !== undefined }
}

/** /app/:workspace/imports/:id/undo. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const props = await stepOf(c, true, c.req.query())
    return renderPage(c, { title: 'Undo import', section: '/import', children: <Preview {...props} /> })
  })
  .post(PATH, managersOnly(), form(), async (c) => {
    const props = await stepOf(c, false, c.req.valid('form'))
    return renderPage(c, { title: 'Undo import', section: '/import', children: <Result {...props} /> })
  })
