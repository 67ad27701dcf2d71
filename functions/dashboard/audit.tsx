import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { formatMoney } from '../../lib/money.ts'
import { describeAction } from '../../lib/pages/audit-words.ts'
import { ListEnd, readFilters } from '../../lib/pages/filters.tsx'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import {
  type AuditRow,
  auditEntryQuery,
  type ImportedBalance,
  importedBalancesQuery,
  listAudit,
} from '../../lib/workspace/audit.queries.ts'

/** The page of an action's subject, by the first part of the action's name. */
const PAGES: Record<string, { path: string; label: string }> = {
  partner: { path: 'partners', label: 'Partner' },
  coupon: { path: 'partners', label: 'Partner' },
  statement: { path: 'partners', label: 'Partner' },
  customer: { path: 'customers', label: 'Customer' },
  program: { path: 'programs', label: 'Program' },
  partners: { path: 'programs', label: 'Program' },
  group: { path: 'groups', label: 'Group' },
  payout_run: { path: 'payouts/runs', label: 'Payout run' },
}

/** Whether an import created opening balances, which the entry's own page lists. */
const hasBalances = ({ details }: AuditRow): boolean => 'openingBalances' in details

/** A link to the subject of an entry. */
const SubjectLink = ({ base, entry }: { base: string; entry: AuditRow }) => {
  if (hasBalances(entry)) return <a href={`${base}/audit/${entry.id}`}>Opening balances</a>
  const [kind = ''] = entry.action.split('.')
  const page = PAGES[kind === 'personal_data' ? String(entry.details.person) : kind]
  return page && entry.subjectId ? <a href={`${base}/${page.path}/${entry.subjectId}`}>{page.label}</a> : null
}

const EntryTable = ({ base, entries }: { base: string; entries: AuditRow[] }) => (
  <Table caption="Audit log" head={['Date', 'Actor', 'Action', 'Details']}>
    {entries.map((entry) => (
      <tr>
        <td>
          <Time at={entry.createdAt} />
        </td>
        <td>{entry.actor}</td>
        <td class="words">{describeAction(entry)}</td>
        <td>
          <SubjectLink base={base} entry={entry} />
        </td>
      </tr>
    ))}
  </Table>
)

const BalanceTable = ({ base, balances }: { base: string; balances: ImportedBalance[] }) => (
  <Table caption="Opening balances" head={['Partner', { number: 'Amount' }, 'Commission']}>
    {balances.map(({ commissionId, amountCents, currency, partnerId, partnerName, partnerSlug }) => (
      <tr>
        <td>
          <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
        </td>
        <td class="number">{formatMoney(amountCents, currency)}</td>
        <td>
          <a href={`${base}/commissions/${commissionId}`}>View commission</a>
        </td>
      </tr>
    ))}
  </Table>
)

/** /app/:workspace/audit: the audit log, and an entry with the opening balances that it names. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/audit', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { data, errors } = readFilters(c, Page)
    const rows = data ? await listAudit(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
    const { data: entries, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>Audit log</h1>
        <p>What people did in this workspace, newest first. Entries cannot be changed or deleted.</p>
        <Problem message={errors && 'This page of the log does not exist.'} />
        {entries.length > 0 ? (
          <EntryTable base={base} entries={entries} />
        ) : (
          <p class="empty">No entries yet.</p>
        )}
        <ListEnd
          url={c.req.url}
          cursor={nextCursor}
          slug={workspace.slug}
          list="audit"
          isEmpty={entries.length === 0}
        />
      </>
    )
    return renderPage(c, { title: 'Audit log', section: '/audit', children }, errors ? 400 : 200)
  })
  .get('/app/:workspace/audit/:id', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { entry, balances } = await found('audit entry', c.req.param('id'), async (id) => {
      const [[entry], balances] = await db.batch([
        auditEntryQuery(db, workspace.id, id).compile(),
        importedBalancesQuery(workspace.id, id).compile(db),
      ])
      return entry && { entry, balances }
    })
    const children = (
      <>
        <p>
          <a href={`${base}/audit`}>Back to the audit log</a>
        </p>
        <h1>Audit entry</h1>
        <p>
          <Time at={entry.createdAt} />, {entry.actor}: {describeAction(entry)}.
        </p>
        {balances.length > 0 && <BalanceTable base={base} balances={balances} />}
      </>
    )
    return renderPage(c, { title: 'Audit entry', section: '/audit', children })
  })
