import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { type MailRow, mailsQuery, retryMail } from '../../../lib/mail/mails.queries.ts'
import { MailQuery } from '../../../lib/mail/mails.schemas.ts'
import { Done, noticeFor, Table, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { MAIL_LABELS, mailStatusLabel } from '../../../lib/pages/parts/mail-labels.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import {
  ANY,
  areFilters,
  Empty,
  Filters,
  ListEnd,
  readFilters,
} from '../../../lib/pages/tables/filters.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'

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

/** Failed emails shown above the list. More would hide it. */
const FAILED_ON_TOP = 50

const Retry = ({ base, mail }: { base: string; mail: MailRow }) => (
  <form method="post" action={`${base}/mails/${mail.id}/retry`}>
    <button type="submit" class="link">
      {t(m.mails_resend_to, { recipient: mail.recipient, hidden })}
    </button>
  </form>
)

const MailTable = ({
  base,
  caption,
  mails,
}: {
  base: string
  caption: string
  mails: MailRow[]
}) => (
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
        <td>
          <Time at={mail.createdAt} />
        </td>
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
    const { data: mails, nextCursor } = page(rows, limit)
    const isHolding = held.length > 0
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <>
        <h1>{t(m.layout_mails)}</h1>
        <Done message={done} />
        <p>
          <a href={`${base}/mails/preview`}>{t(m.mails_preview_emails_partners)}</a>
        </p>
        {isHolding && <p>{t(m.mails_held_at_first)}</p>}
        {failed.length > 0 && (
          <>
            <h2>{t(m.mails_undelivered_emails)}</h2>
            <p>{t(m.mails_fix_reason_resend)}</p>
            <MailTable base={base} caption={t(m.mails_undelivered_emails)} mails={failed} />
            <h2>{t(m.mails_all_emails)}</h2>
          </>
        )}
        <Filters
          what={m.layout_items_emails}
          path={`${base}/mails`}
          fields={fields}
          errors={errors}
          filters={[
            {
              name: 'status',
              label: t(m.status),
              options: STATUSES,
            },
          ]}
          linked={{
            partnerId: mails[0]
              ? t(m.mails_of_partner, { recipient: mails[0].recipient })
              : t(m.layout_one_partner_chip),
          }}
        />
        {mails.length > 0 ? (
          <MailTable base={base} caption={t(m.layout_mails)} mails={mails} />
        ) : (
          <Empty what={m.layout_items_emails} isFiltered={areFilters(fields)}>
            {t(m.mails_no_emails_yet)}
          </Empty>
        )}
        <ListEnd
          url={c.req.url}
          cursor={nextCursor}
          slug={workspace.slug}
          list="mails"
          fields={fields}
          isEmpty={mails.length === 0}
        />
      </>
    )
    return renderPage(c, { title: m.layout_mails, section: '/mails', children }, errors ? 400 : 200)
  })
  .post('/app/:workspace/mails/:id/retry', async (c) => {
    const mail = await found('mail', c.req.param('id'), (id) => retryMail(c.var.db, actOf(c), id))
    const done: keyof typeof DONE = mail.sentAt ? 'sent' : 'queued'
    return c.redirect(`/app/${c.var.workspace.slug}/mails?done=${done}`, 303)
  })
