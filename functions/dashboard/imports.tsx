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
import type { MailStatus } from '../../lib/mail/mails.ts'
import { Empty, readFilters } from '../../lib/pages/filters.tsx'
import { figure, money } from '../../lib/pages/money.tsx'
import { NextPage, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { counted } from '../../lib/plural.ts'
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

const STATUSES: Record<ImportCount['kind'], Record<string, string>> = {
  partners: {
    created: 'created',
    completed: 'existed, and got their opening balance',
    skipped_existing: 'existed, and were skipped',
    error: 'refused',
  },
  customers: {
    created: 'created',
    updated: 'updated',
    moved: 'moved from another partner',
    unchanged: 'unchanged',
    partner_not_found: 'refused, because their partner was not found',
    error: 'refused',
  },
}

const WAITING: readonly MailStatus[] = ['queued', 'retrying']
const UNDELIVERED: readonly MailStatus[] = ['failed', 'bounced', 'suppressed']

const Imports = ({ base, imports }: { base: string; imports: ImportSummary[] }) => (
  <Table
    caption="Imports"
    head={[
      'Date',
      'By',
      { number: 'Partners' },
      { number: 'Customers' },
      { number: 'Refused rows' },
      'Report',
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
          <a href={`${base}/imports/${importId}`}>
            View<span class="hidden"> the report</span>
          </a>
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
      <h2>{kind === 'partners' ? 'Partners' : 'Customers'}</h2>
      <ul>
        {Object.entries(STATUSES[kind]).map(([status, words]) => {
          const rows = of.find((count) => count.status === status)?.rows
          return rows ? (
            <li>
              {figure(rows)} {words}
            </li>
          ) : null
        })}
        {total('renamed') > 0 && <li>{figure(total('renamed'))} with another slug than in the file</li>}
        {total('coupons') > 0 && <li>{figure(total('coupons'))} with a coupon</li>}
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
      <h2>Emails</h2>
      <label>
        {figure(total - waiting - held - undelivered)} of {figure(total)} “We’ve moved” emails are sent.{' '}
        <progress max={total} value={total - waiting - held} />
      </label>
      {waiting > 0 && <p>{figure(waiting)} wait to be sent.</p>}
      {held > 0 && <p>{figure(held)} are held, because this workspace is new.</p>}
      {undelivered > 0 && (
        <p>
          {figure(undelivered)} failed or did not arrive. <a href={`${base}/mails`}>View emails</a>
        </p>
      )}
    </div>
  )
}

const Rows = ({ rows }: { rows: ImportedRow[] }) => (
  <Table caption="Rows that differ" head={['Row', 'Result', 'Slug', 'Reason']}>
    {rows.map(({ kind, customer, partner, status, formerPartner, slug, requestedSlug, code, message }) => (
      <tr>
        <td>{customer ? `${customer} of ${partner}` : partner}</td>
        <td class="words">
          {STATUSES[kind][status] ?? status}
          {formerPartner && `: ${formerPartner}`}
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
          {requestedSlug && !message && 'Another partner had this slug.'}
        </td>
      </tr>
    ))}
  </Table>
)

const Report = ({ base, importId, report }: { base: string; importId: string; report: ImportReport }) => {
  const { calls, counts, rows, mails } = report
  const programs = [...new Set(calls.flatMap(({ programName }) => programName ?? []))]
  const actors = [...new Set(calls.map(({ actor }) => actor))]
  return (
    <>
      <p>
        <a href={`${base}/imports`}>All imports</a>
      </p>
      <h1>Import</h1>
      {calls[0] && (
        <p>
          <Time at={calls[0].at} />, by {actors.join(', ')}
          {programs.length > 0 && `, into ${programs.join(', ')}`}.
        </p>
      )}
      {calls[0]?.undoneAt ? (
        <>
          <h2>Undone</h2>
          <p>
            <Time at={calls[0].undoneAt} />
            {calls[0].undoneBy && `, by ${calls[0].undoneBy}`}.{' '}
            <a href={`${base}/imports/${importId}/undo`}>View what stays</a>
          </p>
          <UndoneList undone={addUndone(calls.map(({ undone }) => undone))} none="Nothing was taken back." />
        </>
      ) : (
        <p>
          <a href={`${base}/imports/${importId}/undo`}>Undo this import</a>
        </p>
      )}
      <Counts kind="partners" counts={counts} />
      <Counts kind="customers" counts={counts} />
      {owedBy(calls).map(([currency, { cents, partners }]) => (
        <p>
          Opening balances: {money(cents, currency)} of {counted(partners, 'partner')}.
        </p>
      ))}
      <MailProgress path={`${base}/imports/${importId}`} base={base} mails={mails} />
      <h2>Rows that differ from the file</h2>
      {rows.length > 0 ? (
        <Rows rows={rows.slice(0, ROWS_SHOWN)} />
      ) : (
        <p>Every row was imported as it was in the file.</p>
      )}
      {rows.length > ROWS_SHOWN && <p>There are more of them in the file.</p>}
      <p class="hint">
        Rows that the import page itself refused, such as an amount it could not read, are not here.
      </p>
      <p>
        <a download href={`${base}/imports/${importId}/rows.csv`}>
          Download all rows as CSV
        </a>
      </p>
    </>
  )
}

/** /app/:workspace/imports, /imports/:id and /imports/:id/rows.csv. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/imports', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { data, errors } = readFilters(c, Page)
    const rows = data ? await listImports(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
    const { data: imports, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>Imports</h1>
        <p>
          What each import of partners and customers did, newest first.{' '}
          <a href={`${base}/import`}>Import a file</a>
        </p>
        {imports.length > 0 ? (
          <Imports base={base} imports={imports} />
        ) : (
          <Empty what="imports" isFiltered={false}>
            Nothing has been imported yet.
          </Empty>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderPage(c, { title: 'Imports', section: '/import', children }, errors ? 400 : 200)
  })
  .get('/app/:workspace/imports/:id', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const importId = c.req.param('id')
    const report = await found('import', importId, (id) => readImport(db, workspace.id, id, ROWS_SHOWN + 1))
    const children = <Report base={`/app/${workspace.slug}`} importId={importId} report={report} />
    return renderPage(c, { title: 'Import', section: '/import', children })
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
