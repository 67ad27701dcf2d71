import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { changeById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { type MailRow, mailsQuery, retryMail } from '../../../lib/mail/mails.queries.ts'
import { MailQuery } from '../../../lib/mail/mails.schemas.ts'
import { LinkButton } from '../../../lib/pages/forms/buttons.tsx'
import { Done, LinkLine, noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { MAIL_LABELS, mailStatusLabel } from '../../../lib/pages/parts/mail-labels.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { FilteredRows } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, areFilters, readFilters } from '../../../lib/pages/tables/filters.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { Table, TimeCell } from '../../../lib/pages/tables/table.tsx'

const DONE = {
  queued: m.mails_email_queued_sent,
  sent: m.mails_email_already_sent,
  mailed: m.mails_emails_queued_sent,
}

const STATUSES = [
  ANY,
  { value: 'queued', label: m.mails_queued },
  { value: 'held', label: m.mails_held },
  { value: 'retrying', label: m.mails_retrying },
  { value: 'sent', label: m.mails_sent },
  { value: 'delivered', label: m.mails_delivered },
  { value: 'bounced', label: m.mails_bounced },
  { value: 'suppressed', label: m.mails_suppressed },
  { value: 'complained', label: m.mails_reported_as_spam },
  { value: 'failed', label: m.mails_failed },
]

/** Failed emails above the list. More would push the list out of view. */
const FAILED_ON_TOP = 50

const Retry = ({ base, mail }: { base: string; mail: MailRow }) => (
  <form method="post" action={`${base}/mails/${mail.id}/retry`}>
    <LinkButton>{t(m.mails_resend_to, { recipient: mail.recipient, hidden })}</LinkButton>
  </form>
)

type MailTableProps = { base: string; caption: string; mails: MailRow[] }

const MailTable = ({ base, caption, mails }: MailTableProps) => (
  <Table
    caption={caption}
    head={[
      t(m.created_column),
      t(m.type_column),
      t(m.mails_recipient),
      t(m.status),
      { number: t(m.mails_attempts) },
      t(m.layout_reason),
      t(m.action_column),
    ]}
  >
    {mails.map((mail) => (
      <tr>
        <TimeCell at={mail.createdAt} />
        <td>{t(MAIL_LABELS[mail.kind])}</td>
        <td>
          {mail.partnerId ? (
            <a href={`${base}/partners/${mail.partnerId}`}>{mail.recipient}</a>
          ) : (
            mail.recipient
          )}
        </td>
        <td>
          <Status status={mail.status} label={mailStatusLabel(mail.status)} />
        </td>
        <td class="number">{mail.attempts}</td>
        <td class="words">{mail.lastError ?? mail.deliveryReason}</td>
        <td>{mail.status === 'failed' && <Retry base={base} mail={mail} />}</td>
      </tr>
    ))}
  </Table>
)

/** /app/:workspace/mails: emails and their delivery. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/mails', async (c) => {
    const { db, workspace } = c.var
    const t = textsOf(c)
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, MailQuery)
    const { limit = 0, ...filter } = data ?? {}
    const isFirst = data && !data.cursor && !areFilters(fields)
    const [failed, rows, held] = await db.batch([
      mailsQuery(db, workspace.id, {
        status: 'failed',
        limit: isFirst ? FAILED_ON_TOP : 0,
      }).compile(),
      mailsQuery(db, workspace.id, { ...filter, limit: data ? limit + 1 : 0 }).compile(),
      mailsQuery(db, workspace.id, { status: 'held', limit: 1 }).compile(),
    ])
    const list = { ...page(rows, limit), fields, errors }
    const [first] = list.data
    const isHolding = held.length > 0
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <>
        <h1>{t(m.layout_mails)}</h1>
        <Done message={done} />
        <LinkLine href={`${base}/mails/preview`}>{t(m.mails_preview_emails_partners)}</LinkLine>
        {isHolding && <p>{t(m.mails_held_at_first)}</p>}
        {failed.length > 0 && (
          <>
            <h2>{t(m.mails_undelivered_emails)}</h2>
            <p>{t(m.mails_fix_reason_resend)}</p>
            <MailTable base={base} caption={t(m.mails_undelivered_emails)} mails={failed} />
            <h2>{t(m.mails_all_emails)}</h2>
          </>
        )}
        <FilteredRows
          {...{ workspace, list }}
          name="mails"
          what={m.layout_items_emails}
          url={c.req.url}
          filters={[{ name: 'status', label: m.status, options: STATUSES }]}
          linked={{
            partnerId: first
              ? t(m.mails_of_partner, { recipient: first.recipient })
              : t(m.layout_one_partner_chip),
          }}
          none={t(m.mails_no_emails_yet)}
        >
          <MailTable base={base} caption={t(m.layout_mails)} mails={list.data} />
        </FilteredRows>
      </>
    )
    return renderSection(c, '/mails', m.layout_mails, children, errors ? 400 : 200)
  })
  .post('/app/:workspace/mails/:id/retry', async (c) => {
    const mail = await changeById(c, 'mail', retryMail)
    const done: keyof typeof DONE = mail.sentAt ? 'sent' : 'queued'
    return c.redirect(`/app/${c.var.workspace.slug}/mails?done=${done}`, 303)
  })
