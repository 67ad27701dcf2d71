import {
  type AuditRow,
  auditEntryQuery,
  type ImportedBalance,
  importedBalancesQuery,
  listAudit,
} from '../../../lib/audit/audit.queries.ts'
import { AuditQuery } from '../../../lib/audit/audit.schemas.ts'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import * as m from '../../../lib/languages/messages.ts'
import { describeAction } from '../../../lib/pages/audit/audit-words.ts'
import { LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { ListEnd } from '../../../lib/pages/tables/filters.tsx'
import { PartnerName } from '../../../lib/pages/tables/ledger.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import { EntryTable } from './audit-table.tsx'

const BalanceTable = ({ base, balances }: { base: string; balances: ImportedBalance[] }) => (
  <Table
    caption={t(m.sum_opening_balance)}
    head={[t(m.partner), { number: t(m.amount_column) }, t(m.commission)]}
  >
    {balances.map(
      ({ commissionId, amountCents, currency, partnerId, partnerName, partnerSlug }) => (
        <tr>
          <td>
            <PartnerName base={base} id={partnerId} name={partnerName} slug={partnerSlug} />
          </td>
          <td class="number">{money(amountCents, currency)}</td>
          <LinkCell href={`${base}/commissions/${commissionId}`}>
            {t(m.layout_view_commission)}
          </LinkCell>
        </tr>
      ),
    )}
  </Table>
)

/** A component, because amounts are formatted for the reader only while a page is rendered. */
const Action = ({ entry }: { entry: AuditRow }) => <>{describeAction(entry, money)}</>

/** /app/:workspace/audit: the audit log, and an entry with its opening balances. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/audit', async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const list = await readList(c, AuditQuery, (request) => listAudit(db, workspace.id, request))
    const { data: entries, nextCursor, fields, errors } = list
    const children = (
      <>
        <h1>{t(m.layout_audit)}</h1>
        <p>{t(m.audit_intro)}</p>
        <Problem message={errors && t(m.audit_no_such_page)} />
        {fields.subjectId && (
          <p class="hint">{t(m.audit_one_subject, { link: linkTo(`${base}/audit`) })}</p>
        )}
        {entries.length > 0 ? (
          <EntryTable base={base} entries={entries} />
        ) : (
          <p class="empty">{t(m.audit_none_yet)}</p>
        )}
        <ListEnd
          url={c.req.url}
          cursor={nextCursor}
          slug={workspace.slug}
          list="audit"
          fields={fields}
          isEmpty={entries.length === 0}
        />
      </>
    )
    return renderSection(c, '/audit', m.layout_audit, children, errors ? 400 : 200)
  })
  .get('/app/:workspace/audit/:id', async (c) => {
    const t = textsOf(c)
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
        <LinkLine href={`${base}/audit`}>{t(m.audit_back)}</LinkLine>
        <h1>{t(m.audit_entry)}</h1>
        <p>
          <Time at={entry.createdAt} />, {entry.actor}: <Action entry={entry} />.
        </p>
        {balances.length > 0 && <BalanceTable base={base} balances={balances} />}
      </>
    )
    return renderSection(c, '/audit', m.audit_entry, children)
  })
