/** Undoes an import: what would be taken back, what stays and why, and the button. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { connect } from '../../../lib/db/connection.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found.ts'
import { form } from '../../../lib/http/validate.ts'
import { ImportUndoRequest } from '../../../lib/imports/imports.schemas.ts'
import { importExists } from '../../../lib/imports/reports.queries.ts'
import {
  type KeptRow,
  listKept,
  type UndoStep,
  undoImport,
} from '../../../lib/imports/undo.service.ts'
import {
  KEPT_SHOWN,
  type Kept,
  type KeptCount,
  UNDO_REASONS,
  type Undone,
} from '../../../lib/imports/undo.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm, Done, Table } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { sendList } from '../../../lib/partners/changes/send-list.service.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

/** What is, or would be, taken back, a line each. */
export const UndoneList = ({ undone, none }: { undone: Undone; none: string }) => {
  const { partners, customers, balances, amountCents, mails } = undone
  if (partners + customers + balances + mails === 0) return <p>{none}</p>
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

const KINDS: Record<KeptCount['kind'], Message> = {
  partners: m.layout_partners,
  customers: m.layout_customers,
  balances: m.sum_opening_balance,
}

/** @param file of all rows: those here are the first ones of a part of the import */
const KeptTables = ({ kept, rows, file }: { kept: KeptCount[]; rows: Kept[]; file: string }) => (
  <>
    <Table
      caption={t(m.imports_reasons)}
      head={[t(m.imports_kept_column), { number: t(m.number_column) }, t(m.layout_reason)]}
      isStacked
    >
      {kept.map(({ kind, reason, count }) => (
        <tr>
          <td>{t(KINDS[kind])}</td>
          <td class="number">{figure(count)}</td>
          <td class="words">{UNDO_REASONS[reason]}.</td>
        </tr>
      ))}
    </Table>
    <Table caption={t(m.imports_kept_rows)} head={[t(m.imports_row), t(m.layout_reason)]} isStacked>
      {rows.map(({ customer, partner, reason }) => (
        <tr>
          <td>
            {customer
              ? partner
                ? t(m.imports_customer_of_partner, { customer, partner })
                : customer
              : partner}
          </td>
          <td class="words">{UNDO_REASONS[reason]}.</td>
        </tr>
      ))}
    </Table>
    {rows.length === KEPT_SHOWN && <p>{t(m.imports_first_rows, { number: figure(KEPT_SHOWN) })}</p>}
    <p>
      <a download href={file}>
        {t(m.imports_download_kept)}
      </a>
    </p>
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

const keptFile = ({ base, importId, withChanged }: Omit<Props, 'step'>) =>
  `${base}/imports/${importId}/kept.csv${withChanged ? '?includeChanged=on' : ''}`

const Frame = ({
  base,
  importId,
  children,
}: Pick<Props, 'base' | 'importId'> & { children: Child }) => (
  <>
    <p>
      <a href={`${base}/imports/${importId}`}>{t(m.imports_back)}</a>
    </p>
    <h1>{t(m.imports_undo)}</h1>
    {children}
  </>
)

const Preview = ({ base, importId, step, withChanged, wasCut }: Props & { wasCut: boolean }) => (
  <Frame base={base} importId={importId}>
    <p>{t(m.imports_undo_effect)}</p>
    <h2>{t(m.imports_to_undo)}</h2>
    <UndoneList undone={step.undone} none={t(m.imports_nothing)} />
    <h2>{t(m.imports_to_keep)}</h2>
    {step.kept.length > 0 ? (
      <KeptTables {...step} file={keptFile({ base, importId, withChanged })} />
    ) : (
      <p>{t(m.imports_nothing)}</p>
    )}
    {(step.nextCursor || wasCut) && <p>{t(m.imports_is_part)}</p>}
    {step.nextCursor && (
      <form method="get">
        <CarriedOn withChanged={withChanged} cursor={step.nextCursor} />
        <button type="submit">{t(m.imports_preview_next)}</button>
      </form>
    )}
    {(withChanged ||
      step.kept.some(({ kind, reason }) => kind === 'partners' && reason === 'changed_since')) && (
      <form method="get">
        <label class="check">
          <input type="checkbox" name="includeChanged" checked={withChanged} />{' '}
          {t(m.imports_include_changed)}
        </label>
        <p class="actions">
          <button type="submit" class="quiet">
            {t(m.imports_preview_again)}
          </button>
        </p>
      </form>
    )}
    <ConfirmForm button={t(m.imports_undo)} cancel={`${base}/imports/${importId}`}>
      <CarriedOn withChanged={withChanged} />
    </ConfirmForm>
  </Frame>
)

/** What one step has done. The next one is a click away; what is done is done. */
const Result = ({ base, importId, step, withChanged }: Props) => (
  <Frame base={base} importId={importId}>
    <Done
      message={step.nextCursor ? t(m.imports_part_undone_notice) : t(m.imports_undone_notice)}
    />
    <h2>{t(m.imports_taken_back)}</h2>
    <UndoneList undone={step.undone} none={t(m.imports_nothing)} />
    {step.kept.length > 0 && (
      <>
        <h2>{t(m.imports_kept_heading)}</h2>
        <KeptTables {...step} file={keptFile({ base, importId, withChanged })} />
      </>
    )}
    {step.nextCursor && (
      <form method="post">
        <CarriedOn withChanged={withChanged} cursor={step.nextCursor} />
        <button type="submit">{t(m.imports_undo_rest)}</button>
      </form>
    )}
  </Frame>
)

const PATH = '/app/:workspace/imports/:id/undo'

const COLUMNS: readonly (keyof KeptRow)[] = ['kind', 'customer', 'partner', 'code', 'message']

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
  return {
    base: `/app/${c.var.workspace.slug}`,
    importId,
    step,
    withChanged,
    wasCut: cursor !== undefined,
  }
}

/**
 * /app/:workspace/imports/:id/undo, and what stays as a file, /imports/:id/kept.csv. Managers only.
 */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, expensive(), async (c) => {
    const props = await stepOf(c, true, c.req.query())
    return renderPage(c, {
      title: m.imports_undo,
      section: '/import',
      children: <Preview {...props} />,
    })
  })
  .post(PATH, freshMembersOnly(), expensive(), form(), async (c) => {
    const props = await stepOf(c, false, c.req.valid('form'))
    return renderPage(c, {
      title: m.imports_undo,
      section: '/import',
      children: <Result {...props} />,
    })
  })
  .get('/app/:workspace/imports/:id/kept.csv', expensive(), async (c) => {
    const { db, workspace } = c.var
    const importId = c.req.param('id').toLowerCase()
    await found('import', importId, (id) => importExists(db, workspace.id, id))
    const filter = {
      importId,
      withChanged: c.req.query('includeChanged') === 'on',
      cursor: undefined,
      limit: 0,
    }
    return sendList(c, 'import-kept', COLUMNS, filter, (_, next) =>
      listKept(() => connect(c.env), workspace.id, importId, next),
    )
  })
