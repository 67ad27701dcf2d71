import type { AuditRow } from '../../../lib/audit/audit.queries.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { describeAction } from '../../../lib/pages/audit/audit-words.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { Table, TimeCell } from '../../../lib/pages/tables/table.tsx'

/** The page of an action's subject, by the first part of the action's name. */
const PAGES: Record<string, { path: string; label: Message }> = {
  partner: { path: 'partners', label: m.partner },
  coupon: { path: 'partners', label: m.partner },
  statement: { path: 'partners', label: m.partner },
  customer: { path: 'customers', label: m.layout_customer },
  program: { path: 'programs', label: m.program },
  partners: { path: 'programs', label: m.program },
  group: { path: 'groups', label: m.layout_group },
  join_page: { path: 'programs', label: m.program },
  application: { path: 'applications', label: m.audit_application },
  payout_run: { path: 'payouts/runs', label: m.layout_payout_run },
}

/** Whether an import created opening balances, which the entry's page lists. */
const hasBalances = ({ details }: AuditRow): boolean => 'openingBalances' in details

const SubjectLink = ({ base, entry }: { base: string; entry: AuditRow }) => {
  if (hasBalances(entry))
    return <a href={`${base}/audit/${entry.id}`}>{t(m.sum_opening_balance)}</a>
  const [kind = ''] = entry.action.split('.')
  const page = PAGES[kind === 'personal_data' ? String(entry.details.person) : kind]
  return page && entry.subjectId && !entry.action.endsWith('.deleted') ? (
    <a href={`${base}/${page.path}/${entry.subjectId}`}>{t(page.label)}</a>
  ) : null
}

type EntryTableProps = { base: string; entries: AuditRow[]; ofOne?: boolean }

/** @param ofOne whether all entries have one subject, whose page shows them */
export const EntryTable = ({ base, entries, ofOne = false }: EntryTableProps) => (
  <Table
    caption={t(m.layout_audit)}
    head={[
      t(m.date_column),
      t(m.audit_actor),
      t(m.action_column),
      ...(ofOne ? [] : [t(m.details_column)]),
    ]}
  >
    {entries.map((entry) => (
      <tr>
        <TimeCell at={entry.createdAt} />
        <td>{entry.actor}</td>
        <td class="words">{describeAction(entry, money)}</td>
        {!ofOne && (
          <td>
            <SubjectLink base={base} entry={entry} />
          </td>
        )}
      </tr>
    ))}
  </Table>
)
