/** What each import did: a list of them, a page of each, and its rows as a file. */
import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import {
  type ImportCallEntry,
  type ImportCount,
  type ImportedRow,
  type ImportMails,
  type ImportReport,
  type ImportSummary,
  importExists,
  listImportedRows,
  listImports,
  readImport,
} from '../../lib/imports/reports.queries.ts'
import { addUndone } from '../../lib/imports/undo.ts'
import type { Message } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import type { MailStatus } from '../../lib/mail/mails.ts'
import { Empty, readFilters } from '../../lib/pages/filters.tsx'
import { figure, money } from '../../lib/pages/money.tsx'
import { NextPage, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { hidden, linkTo } from '../../lib/pages/tags.tsx'
import { type Shown, shown, t, textsOf } from '../../lib/pages/text.ts'
import { sendList } from '../../lib/workspace/send-list.service.ts'
import { UndoneList } from './import-undo.tsx'

/** Rows that are shown. The file has all of them. */
const ROWS_SHOWN = 100

const COLUMNS: readonly (keyof ImportedRow)[] = [
  'kind',
  'customer',
  'partner',
  'status',
  'formerPartner',
  'slug',
  'requestedSlug',
  'couponMapped',
  'code',
  'message',
]

const STATUSES: Record<ImportCount['kind'], Record<string, Message>> = {
  partners: {
    created: m.imports_created,
    completed: m.imports_completed,
    skipped_existing: m.imports_skipped,
    error: m.imports_refused,
  },
  customers: {
    created: m.imports_created,
    updated: m.imports_updated,
    moved: m.imports_moved,
    unchanged: m.imports_unchanged,
    partner_not_found: m.imports_partner_not_found,
    error: m.imports_refused,
  },
}

const WAITING: readonly MailStatus[] = ['queued', 'retrying']
const UNDELIVERED: readonly MailStatus[] = ['failed', 'bounced', 'suppressed']

const Imports = ({ base, imports }: { base: string; imports: ImportSummary[] }) => (
  <Table
    caption={t(m.imports_heading)}
    head={[
      t(m.date_column),
      t(m.imports_by),
      { number: t(m.layout_partners) },
      { number: t(m.layout_customers) },
      { number: t(m.imports_refused_rows) },
      t(m.imports_report),
    ]}
  >
    {imports.map(({ importId, actor, at, partners, customers, errors }) => (
      <tr>
        <td>
          <Time at={at} />
        </td>
        <td>{actor}</td>
        <td class="number">{figure(partners)}</td>
        <td class="number">{figure(customers)}</td>
        <td class="number">{figure(errors)}</td>
        <td>
          <a href={`${base}/imports/${importId}`}>{t(m.imports_view_report, { hidden })}</a>
        </td>
      </tr>
    ))}
  </Table>
)

/** What became of the rows of a kind, a line each. */
const Counts = ({ kind, counts }: { kind: ImportCount['kind']; counts: ImportCount[] }) => {
  const of = counts.filter((count) => count.kind === kind)
  if (of.length === 0) return null
  const total = (key: 'renamed' | 'coupons') => of.reduce((sum, count) => sum + count[key], 0)
  return (
    <>
      <h2>{kind === 'partners' ? t(m.layout_partners) : t(m.layout_customers)}</h2>
      <ul>
        {Object.entries(STATUSES[kind]).map(([status, words]) => {
          const rows = of.find((count) => count.status === status)?.rows
          return rows ? (
            <li>{t(m.imports_rows_of_status, { rows: figure(rows), status: t(words) })}</li>
          ) : null
        })}
        {total('renamed') > 0 && <li>{t(m.imports_renamed, { rows: figure(total('renamed')) })}</li>}
        {total('coupons') > 0 && <li>{t(m.imports_with_coupons, { rows: figure(total('coupons')) })}</li>}
      </ul>
    </>
  )
}

/** The opening balances of all calls, by currency. */
const owedBy = (calls: ImportCallEntry[]) => {
  const sums = new Map<string, { cents: number; partners: number }>()
  for (const { owed } of calls)
    for (const { currency, amountCents } of owed?.sums ?? []) {
      const { cents, partners } = sums.get(currency) ?? { cents: 0, partners: 0 }
      sums.set(currency, { cents: cents + amountCents, partners: partners + (owed?.count ?? 0) })
    }
  return [...sums]
}

/** How far the mails of an import are. islands/app/waiting.ts keeps it up to date while some of them wait. */
const MailProgress = ({ path, base, mails }: { path: string; base: string; mails: ImportMails[] }) => {
  const sum = (is: (status: MailStatus) => boolean) =>
    mails.filter(({ status }) => is(status)).reduce((all, one) => all + one.mails, 0)
  const total = sum(() => true)
  if (total === 0) return null
  const waiting = sum((status) => WAITING.includes(status))
  const held = sum((status) => status === 'held')
  const undelivered = sum((status) => UNDELIVERED.includes(status))
  return (
    <div id="mail-progress" role="status" data-follow={waiting > 0 ? path : undefined}>
      <h2>{t(m.layout_mails)}</h2>
      <label>
        {t(m.imports_mails_sent, {
          sent: figure(total - waiting - held - undelivered),
          total: figure(total),
        })}{' '}
        <progress max={total} value={total - waiting - held} />
      </label>
      {waiting > 0 && <p>{t(m.imports_mails_waiting, { waiting: figure(waiting) })}</p>}
      {held > 0 && <p>{t(m.imports_mails_held, { held: figure(held) })}</p>}
      {undelivered > 0 && (
        <p>
          {t(m.imports_mails_undelivered, {
            undelivered: figure(undelivered),
            link: linkTo(`${base}/mails`),
          })}
        </p>
      )}
    </div>
  )
}

/** What became of a row, and the partner whose customer it was. */
const RowStatus = ({ words, formerPartner }: { words: Shown; formerPartner: string | null }) => (
  <>
    {formerPartner
      ? t(m.imports_status_of_former, { status: shown(words), partner: formerPartner })
      : shown(words)}
  </>
)

/** When something was done, and who did it. */
const At = ({ at, by }: { at: Date; by: string | null }) => (
  <>
    {by
      ? t(m.imports_at_by, { time: () => <Time at={at} />, by })
      : t(m.imports_at, { time: () => <Time at={at} /> })}
  </>
)

const Rows = ({ rows }: { rows: ImportedRow[] }) => (
  <Table
    caption={t(m.imports_rows_differ)}
    head={[t(m.imports_row), t(m.result_column), t(m.slug), t(m.layout_reason)]}
  >
    {rows.map(({ kind, customer, partner, status, formerPartner, slug, requestedSlug, code, message }) => (
      <tr>
        <td>{customer ? t(m.imports_customer_of_partner, { customer, partner }) : partner}</td>
        <td class="words">
          <RowStatus words={STATUSES[kind][status] ?? status} formerPartner={formerPartner} />
        </td>
        <td>
          {requestedSlug ? (
            <>
              <s>{requestedSlug}</s> → {slug}
            </>
          ) : (
            slug
          )}
        </td>
        <td class="words">
          {message ?? code}
          {requestedSlug && !message && t(m.imports_slug_taken)}
        </td>
      </tr>
    ))}
  </Table>
)

/** When an import was made, who made it, and which programs it is of. */
const ImportedAt = ({ at, by, into }: { at: Date; by: string; into: string }) =>
  into ? t(m.imports_at_by_into, { time: () => <Time at={at} />, by, into }) : <At at={at} by={by} />

const Report = ({ base, importId, report }: { base: string; importId: string; report: ImportReport }) => {
  const { calls, counts, rows, mails } = report
  const programs = [...new Set(calls.flatMap(({ programName }) => programName ?? []))]
  const actors = [...new Set(calls.map(({ actor }) => actor))]
  return (
    <>
      <p>
        <a href={`${base}/imports`}>{t(m.imports_all)}</a>
      </p>
      <h1>{t(m.layout_import)}</h1>
      {calls[0] && (
        <p>
          <ImportedAt at={calls[0].at} by={actors.join(', ')} into={programs.join(', ')} />
        </p>
      )}
      {calls[0]?.undoneAt ? (
        <>
          <h2>{t(m.imports_undone)}</h2>
          <p>
            <At at={calls[0].undoneAt} by={calls[0].undoneBy} />{' '}
            <a href={`${base}/imports/${importId}/undo`}>{t(m.imports_view_kept)}</a>
          </p>
          <UndoneList
            undone={addUndone(calls.map(({ undone }) => undone))}
            none={t(m.imports_nothing_undone)}
          />
        </>
      ) : (
        <p>
          <a href={`${base}/imports/${importId}/undo`}>{t(m.imports_undo_this)}</a>
        </p>
      )}
      <Counts kind="partners" counts={counts} />
      <Counts kind="customers" counts={counts} />
      {owedBy(calls).map(([currency, { cents, partners }]) => (
        <p>{t(m.imports_owed, { amount: money(cents, currency), count: partners })}</p>
      ))}
      <MailProgress path={`${base}/imports/${importId}`} base={base} mails={mails} />
      <h2>{t(m.imports_rows_differ_heading)}</h2>
      {rows.length > 0 ? <Rows rows={rows.slice(0, ROWS_SHOWN)} /> : <p>{t(m.imports_no_rows_differ)}</p>}
      {rows.length > ROWS_SHOWN && <p>{t(m.imports_more_rows)}</p>}
      <p class="hint">{t(m.imports_rows_hint)}</p>
      <p>
        <a download href={`${base}/imports/${importId}/rows.csv`}>
          {t(m.imports_download_rows)}
        </a>
      </p>
    </>
  )
}

/** /app/:workspace/imports, /imports/:id and /imports/:id/rows.csv. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/imports', managersOnly(), async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { data, errors } = readFilters(c, Page)
    const rows = data ? await listImports(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
    const { data: imports, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>{t(m.imports_heading)}</h1>
        <p>{t(m.imports_intro, { link: linkTo(`${base}/import`) })}</p>
        {imports.length > 0 ? (
          <Imports base={base} imports={imports} />
        ) : (
          <Empty what={m.layout_items_imports} isFiltered={false}>
            {t(m.imports_none_yet)}
          </Empty>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderPage(c, { title: m.imports_heading, section: '/import', children }, errors ? 400 : 200)
  })
  .get('/app/:workspace/imports/:id', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const importId = c.req.param('id')
    const report = await found('import', importId, (id) => readImport(db, workspace.id, id, ROWS_SHOWN + 1))
    const children = <Report base={`/app/${workspace.slug}`} importId={importId} report={report} />
    return renderPage(c, { title: m.layout_import, section: '/import', children })
  })
  .get('/app/:workspace/imports/:id/rows.csv', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const importId = c.req.param('id')
    await found('import', importId, (id) => importExists(db, workspace.id, id))
    return sendList(
      c,
      'import',
      COLUMNS,
      { importId, cursor: undefined, limit: 0 },
      (own, next): Promise<ImportedRow[]> => listImportedRows(own, workspace.id, importId, next),
    )
  })
