import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { describeAction } from '../../lib/pages/audit-words.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { NextPage, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { type AuditRow, listAudit } from '../../lib/workspace/audit.queries.ts'

/** The page of an action's subject, by the first part of the action's name. */
const PAGES: Record<string, { path: string; label: string }> = {
  partner: { path: 'partners', label: 'Partner' },
  coupon: { path: 'partners', label: 'Partner' },
  program: { path: 'programs', label: 'Program' },
  partners: { path: 'programs', label: 'Program' },
  group: { path: 'groups', label: 'Group' },
  payout_run: { path: 'payouts/runs', label: 'Payout run' },
}

/** A link to the subject of an entry. */
const SubjectLink = ({ base, entry }: { base: string; entry: AuditRow }) => {
  const page = PAGES[entry.action.split('.')[0] ?? '']
  return page && entry.subjectId ? <a href={`${base}/${page.path}/${entry.subjectId}`}>{page.label}</a> : null
}

/** /app/:workspace/audit: the audit log. Managers only. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/audit', managersOnly(), async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { data, errors } = readFilters(c, Page)
  const rows = data ? await listAudit(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
  const { data: entries, nextCursor } = page(rows, data?.limit ?? 0)
  const children = (
    <>
      <h1>Audit log</h1>
      <p>Changes that people made in this workspace, newest first.</p>
      <Problem message={errors && 'This page of the log does not exist.'} />
      {entries.length > 0 ? (
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
      ) : (
        <p class="empty">No changes yet.</p>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Audit log', section: '/audit', children }, errors ? 400 : 200)
})
