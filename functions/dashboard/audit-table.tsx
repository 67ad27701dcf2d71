/** The table of audit entries. */
import { describeAction } from '../../lib/pages/audit-words.ts'
import { money } from '../../lib/pages/money.tsx'
import { Table, Time } from '../../lib/pages/parts.tsx'
import type { AuditRow } from '../../lib/workspace/audit.queries.ts'

/** The page of an action's subject, by the first part of the action's name. */
const PAGES: Record<string, { path: string; label: string }> = {
  partner: { path: 'partners', label: 'Partner' },
  coupon: { path: 'partners', label: 'Partner' },
  statement: { path: 'partners', label: 'Partner' },
  customer: { path: 'customers', label: 'Customer' },
  program: { path: 'programs', label: 'Program' },
  partners: { path: 'programs', label: 'Program' },
  group: { path: 'groups', label: 'Group' },
  join_page: { path: 'programs', label: 'Program' },
  application: { path: 'applications', label: 'Application' },
  payout_run: { path: 'payouts/runs', label: 'Payout run' },
}

/** Whether an import created opening balances, which the entry's own page lists. */
const hasBalances = ({ details }: AuditRow): boolean => 'openingBalances' in details

/** A link to the subject of an entry. */
const SubjectLink = ({ base, entry }: { base: string; entry: AuditRow }) => {
  if (hasBalances(entry)) return <a href={`${base}/audit/${entry.id}`}>Opening balances</a>
  const [kind = ''] = entry.action.split('.')
  const page = PAGES[kind === 'personal_data' ? String(entry.details.person) : kind]
  return page && entry.subjectId && !entry.action.endsWith('.deleted') ? (
    <a href={`${base}/${page.path}/${entry.subjectId}`}>{page.label}</a>
  ) : null
}

/** @param ofOne whether all entries are about one subject, which its own page shows */
export const EntryTable = ({
  base,
  entries,
  ofOne = false,
}: {
  base: string
  entries: AuditRow[]
  ofOne?: boolean
}) => (
  <Table caption="Audit log" head={['Date', 'Actor', 'Action', ...(ofOne ? [] : ['Details'])]}>
    {entries.map((entry) => (
      <tr>
        <td>
          <Time at={entry.createdAt} />
        </td>
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
