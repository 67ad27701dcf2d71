import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { type MailRow, mailsQuery, retryMail } from '../../lib/mail/mails.queries.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { WHY_HELD } from '../../lib/mail/new-workspace-mails.ts'
import { areFilters, Empty, Filters, ListEnd, readFilters } from '../../lib/pages/filters.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { MAIL_LABELS, mailStatusLabel } from '../../lib/pages/mail-labels.ts'
import { Done, noticeFor, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { t } from '../../lib/pages/text.ts'

const DONE = {
  queued: 'Email queued. It will be sent within two minutes.',
  sent: 'This email was already sent.',
  mailed: 'Emails queued. They are sent within minutes.',
}

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'queued', label: 'Queued' },
  { value: 'held', label: 'Held' },
  { value: 'retrying', label: 'Retrying' },
  { value: 'sent', label: 'Sent' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'bounced', label: 'Bounced' },
  { value: 'suppressed', label: 'Suppressed' },
  { value: 'complained', label: 'Reported as spam' },
  { value: 'failed', label: 'Failed' },
]

/** Failed emails shown above the list. More would hide it. */
const FAILED_ON_TOP = 50

const Retry = ({ base, mail }: { base: string; mail: MailRow }) => (
  <form method="post" action={`${base}/mails/${mail.id}/retry`}>
    <button type="submit" class="link">
      Resend<span class="hidden"> to {mail.recipient}</span>
    </button>
  </form>
)

const MailTable = ({ base, caption, mails }: { base: string; caption: string; mails: MailRow[] }) => (
  <Table
    caption={caption}
    head={['Created', 'Type', 'Recipient', 'Status', { number: 'Attempts' }, 'Reason', 'Action']}
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
  .get('/app/:workspace/mails', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, MailQuery)
    const { limit = 0, ...filter } = data ?? {}
    const isFirst = data && !data.cursor && !areFilters(fields)
    const [failed, rows, held] = await db.batch([
      mailsQuery(db, workspace.id, { status: 'failed', limit: isFirst ? FAILED_ON_TOP : 0 }).compile(),
      mailsQuery(db, workspace.id, { ...filter, limit: data ? limit + 1 : 0 }).compile(),
      mailsQuery(db, workspace.id, { status: 'held', limit: 1 }).compile(),
    ])
    const { data: mails, nextCursor } = page(rows, limit)
    const isHolding = held.length > 0
    const children = (
      <>
        <h1>Emails</h1>
        <Done message={noticeFor(DONE, c.req.query('done'))} />
        <p>
          <a href={`${base}/mails/preview`}>Preview the emails that partners receive</a>
        </p>
        {isHolding && <p>{WHY_HELD}</p>}
        {failed.length > 0 && (
          <>
            <h2>Undelivered emails</h2>
            <p>Fix the reason, then resend.</p>
            <MailTable base={base} caption="Undelivered emails" mails={failed} />
            <h2>All emails</h2>
          </>
        )}
        <Filters
          what="emails"
          path={`${base}/mails`}
          fields={fields}
          errors={errors}
          filters={[{ name: 'status', label: 'Status', options: STATUSES }]}
          linked={{ partnerId: `Partner: ${mails[0]?.recipient ?? 'one'}` }}
        />
        {mails.length > 0 ? (
          <MailTable base={base} caption="Emails" mails={mails} />
        ) : (
          <Empty what="emails" isFiltered={areFilters(fields)}>
            No emails yet. Invitations and partner emails appear here.
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
    return renderPage(c, { title: 'Emails', section: '/mails', children }, errors ? 400 : 200)
  })
  .post('/app/:workspace/mails/:id/retry', managersOnly(), async (c) => {
    const mail = await found('mail', c.req.param('id'), (id) => retryMail(c.var.db, actOf(c), id))
    const done: keyof typeof DONE = mail.sentAt ? 'sent' : 'queued'
    return c.redirect(`/app/${c.var.workspace.slug}/mails?done=${done}`, 303)
  })
