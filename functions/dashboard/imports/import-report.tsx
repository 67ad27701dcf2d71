import type {
  ImportCallEntry,
  ImportCount,
  ImportedRow,
  ImportMails,
  ImportReport,
} from '../../../lib/imports/reports.queries.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { MailStatus } from '../../../lib/mail/mails.ts'
import { LinkLine, Time } from '../../../lib/pages/layout/parts.tsx'
import { type Shown, shown, t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import { UndoneList } from './import-undo.tsx'

/** The file has all rows. */
export const ROWS_SHOWN = 100

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
    unchanged: m.imports_unchanged,
    partner_not_found: m.imports_partner_not_found,
    error: m.imports_refused,
  },
}

const WAITING: readonly MailStatus[] = ['queued', 'retrying']
const UNDELIVERED: readonly MailStatus[] = ['failed', 'bounced', 'suppressed']

/** The results of the rows of a kind, a line each. */
const Counts = ({ kind, counts }: { kind: ImportCount['kind']; counts: ImportCount[] }) => {
  const of = counts.filter((count) => count.kind === kind)
  if (of.length === 0) return null
  const total = (key: 'renamed' | 'coupons' | 'moved') =>
    of.reduce((sum, count) => sum + count[key], 0)
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
        {total('moved') > 0 && <li>{t(m.imports_moved, { rows: figure(total('moved')) })}</li>}
        {total('renamed') > 0 && (
          <li>{t(m.imports_renamed, { rows: figure(total('renamed')) })}</li>
        )}
        {total('coupons') > 0 && (
          <li>{t(m.imports_with_coupons, { rows: figure(total('coupons')) })}</li>
        )}
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

type MailProgressProps = { path: string; base: string; mails: ImportMails[] }

/** The progress of an import's mails, which islands/app/waiting.ts updates. */
const MailProgress = ({ path, base, mails }: MailProgressProps) => {
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

/** The result of a row, and the former partner of its customer. */
const RowStatus = ({ words, formerPartner }: { words: Shown; formerPartner: string | null }) => (
  <>
    {formerPartner
      ? t(m.imports_status_of_former, { status: shown(words), partner: formerPartner })
      : shown(words)}
  </>
)

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
    {rows.map(
      ({ kind, customer, partner, status, formerPartner, slug, requestedSlug, code, message }) => (
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
      ),
    )}
  </Table>
)

/** When the import was made, by whom, and for which programs. */
const ImportedAt = ({ at, by, into }: { at: Date; by: string; into: string }) =>
  into ? (
    t(m.imports_at_by_into, { time: () => <Time at={at} />, by, into })
  ) : (
    <At at={at} by={by} />
  )

type ReportProps = { base: string; importId: string; report: ImportReport }

/** @param report has one row more than the page shows, if there are more */
export const Report = ({ base, importId, report }: ReportProps) => {
  const { calls, counts, rows, mails, undo } = report
  const programs = [...new Set(calls.flatMap(({ programName }) => programName ?? []))]
  const actors = [...new Set(calls.map(({ actor }) => actor))]
  return (
    <>
      <LinkLine href={`${base}/imports`}>{t(m.imports_all)}</LinkLine>
      <h1>{t(m.layout_import)}</h1>
      {calls[0] && (
        <p>
          <ImportedAt at={calls[0].at} by={actors.join(', ')} into={programs.join(', ')} />
        </p>
      )}
      {undo ? (
        <>
          <h2>{t(m.imports_undone)}</h2>
          <p>
            <At at={undo.at} by={undo.by} /> {t(m.imports_taken_back)}
          </p>
          <UndoneList undone={undo.undone} />
        </>
      ) : (
        <LinkLine href={`${base}/imports/${importId}/undo`}>{t(m.imports_undo_this)}</LinkLine>
      )}
      <Counts kind="partners" counts={counts} />
      <Counts kind="customers" counts={counts} />
      {owedBy(calls).map(([currency, { cents, partners }]) => (
        <p>{t(m.imports_owed, { amount: money(cents, currency), count: partners })}</p>
      ))}
      <MailProgress path={`${base}/imports/${importId}`} base={base} mails={mails} />
      <h2>{t(m.imports_rows_differ_heading)}</h2>
      {rows.length > 0 ? (
        <Rows rows={rows.slice(0, ROWS_SHOWN)} />
      ) : (
        <p>{t(m.imports_no_rows_differ)}</p>
      )}
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
