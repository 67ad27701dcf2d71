/** /app/:workspace/partners/moved: the “We’ve moved” mail to the partners that a manager chose in the list. */
import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { form } from '../../lib/http/validate.ts'
import { welcomeDetails } from '../../lib/imports/partner-import.ts'
import { holdsNewMails } from '../../lib/mail/held.queries.ts'
import { listMovedCandidates, queueMovedMails } from '../../lib/mail/moved-mails.queries.ts'
import {
  MOVED_SKIP_REASONS,
  type MovedCandidate,
  type MovedSkipReason,
  planMovedMails,
} from '../../lib/mail/moved-mails.ts'
import { WHY_HELD } from '../../lib/mail/new-workspace-mails.ts'
import { Chosen } from '../../lib/pages/choice.tsx'
import { ConfirmForm } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { counted } from '../../lib/plural.ts'
import { MOVED_CHOSEN, readChosen } from './chosen-partners.ts'
import { Skipped } from './skipped-partners.tsx'

const WHY: Record<MovedSkipReason, string> = {
  banned: 'banned',
  welcomed: 'got it, or a welcome email, before',
  unsubscribed: 'unsubscribed from your messages',
  no_address: 'no valid email address',
}

const detailsOf = (c: Context<WorkspaceEnv>, { name, slug, programName, siteUrl }: MovedCandidate) =>
  welcomeDetails(
    { name, slug },
    { name: programName, siteUrl },
    {
      workspaceName: c.var.workspace.name,
      sentBy: c.var.user.email,
      portalUrl: new URL('/portal', c.req.url).href,
    },
  )

const PATH = `/app/:workspace${MOVED_CHOSEN}` as const

export default createRoutes<WorkspaceEnv>()
  .post(PATH, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const [candidates, isHolding] = await Promise.all([
      listMovedCandidates(db, workspace.id, readChosen(c.req.valid('form'))),
      holdsNewMails(db, workspace.id),
    ])
    const { recipients, skipped } = planMovedMails(candidates)
    const count = counted(recipients.length, 'partner')
    const title = recipients.length > 0 ? `Send ${count} the “We’ve moved” email?` : 'Nobody gets this email'
    const children = (
      <>
        <h1>{title}</h1>
        {recipients.length > 0 && isHolding && <p>{WHY_HELD}</p>}
        <p>
          It contains their link and the portal’s URL.{' '}
          <a href={`${base}/mails/preview/moved`}>See the email</a>
        </p>
        {skipped.length > 0 && (
          <Skipped base={base} skipped={skipped} reasons={MOVED_SKIP_REASONS} why={WHY} />
        )}
        {recipients.length > 0 ? (
          <ConfirmForm
            action={`${base}${MOVED_CHOSEN}/send`}
            button={`Send to ${count}`}
            cancel={`${base}/partners`}
          >
            <Chosen ids={recipients.map(({ id }) => id)} />
          </ConfirmForm>
        ) : (
          <p>
            <a href={`${base}/partners`}>Back to the partners</a>
          </p>
        )}
      </>
    )
    return renderPage(c, { title, section: '/partners', children })
  })
  .post(`${PATH}/send`, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const candidates = await listMovedCandidates(db, workspace.id, readChosen(c.req.valid('form')))
    const { recipients } = planMovedMails(candidates)
    if (recipients.length > 0) {
      await queueMovedMails(
        db,
        actOf(c),
        recipients.map((partner) => ({
          partnerId: partner.id,
          email: partner.email,
          details: detailsOf(c, partner),
        })),
      )
    }
    return c.redirect(`/app/${workspace.slug}/mails?done=mailed`, 303)
  })
