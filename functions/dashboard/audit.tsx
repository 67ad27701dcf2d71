import { type AuditRow, listAudit } from '../../lib/data/audit.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { auditWords } from '../../lib/pages/audit-words.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { NextPage, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { managersOnly, type PageEnv, renderPage } from '../../lib/pages/render.tsx'

/** What an entry is about, where that has a page. */
const About = ({ base, entry }: { base: string; entry: AuditRow }) => {
  const hasPage = entry.action === 'partner.changed' || entry.action.startsWith('coupon.')
  return hasPage && entry.subject_id ? <a href={`${base}/partners/${entry.subject_id}`}>Partner</a> : null
}

/** /app/:workspace/audit: who changed what, and when. */
export default createRoutes<PageEnv>().get('/app/:workspace/audit', managersOnly(), async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { data, errors } = readFilters(c, Page)
  const rows = data ? await listAudit(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
  const { data: entries, nextCursor } = page(rows, data?.limit ?? 0, (row) => row)
  const children = (
    <>
      <h1>Audit log</h1>
      <p class="hint">Everything that people have changed here, newest first. Entries stay for ever.</p>
      <Problem message={errors && 'There is no such page of the log.'} />
      {entries.length > 0 ? (
        <Table caption="Audit log" head={['When', 'Who', 'What', 'See']}>
          {entries.map((entry) => (
            <tr>
              <td>
                <Time at={entry.created_at} />
              </td>
              <td>{entry.actor}</td>
              <td>{auditWords(entry)}</td>
              <td>
                <About base={base} entry={entry} />
              </td>
            </tr>
          ))}
        </Table>
      ) : (
        <p class="empty">Nothing was changed yet.</p>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Audit log', section: '/audit', children }, errors ? 400 : 200)
})
