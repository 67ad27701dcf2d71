/** /app/:workspace/partners/moved: sends the “We’ve moved” mail to the selected partners. */

import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import type { LinkForms } from '../../../lib/imports/partners/former-links.ts'
import { readLinkForms, saveLinkForms } from '../../../lib/imports/partners/link-forms.queries.ts'
import { movedDetails } from '../../../lib/imports/partners/partner-mails.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  listMovedCandidates,
  queueMovedMails,
} from '../../../lib/mail/mailings/moved-mails.queries.ts'
import {
  MOVED_SKIP_REASONS,
  type MovedCandidate,
  planMovedMails,
} from '../../../lib/mail/mailings/moved-mails.ts'
import { holdsNewMails } from '../../../lib/mail/outbox/held-mails.queries.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import { Chosen } from '../../../lib/pages/forms/choice.tsx'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { askedForms, LinkQuestions, readAnswers } from '../partner/moved-links.tsx'
import { Skipped } from '../payouts/skipped-partners.tsx'
import { MOVED_CHOSEN, readChosen } from './chosen-partners.ts'

const WHY = {
  banned: m.partners_why_banned,
  welcomed: m.partners_got_welcome_email,
  unsubscribed: m.partners_unsubscribed_messages,
  no_address: m.partners_no_valid_email,
}

const detailsOf = (c: Context<WorkspaceEnv>, partner: MovedCandidate, forms: LinkForms) =>
  movedDetails(
    partner,
    { name: partner.programName, siteUrl: partner.siteUrl },
    {
      workspaceName: c.var.workspace.name,
      sentBy: c.var.user.email,
      portalUrl: new URL('/portal', c.req.url).href,
    },
    forms,
  )

const PATH = `/app/:workspace${MOVED_CHOSEN}` as const

/** Which of the selected partners get the mail, and which of their links are known to work. */
const plan = async (c: Context<WorkspaceEnv>, fields: Fields) => {
  const { db, workspace } = c.var
  const { recipients, skipped } = planMovedMails(
    await listMovedCandidates(db, workspace.id, readChosen(fields)),
  )
  const withLinks = recipients.filter(({ formerLink }) => formerLink !== null)
  const forms = await readLinkForms(db, workspace.id, [
    ...new Set(withLinks.map((one) => one.programId)),
  ])
  return { recipients, skipped, forms, asked: askedForms(withLinks, forms) }
}

const ask = async (c: Context<WorkspaceEnv>, fields: Fields, problem?: string) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const [{ recipients, skipped, asked }, isHolding] = await Promise.all([
    plan(c, fields),
    holdsNewMails(db, workspace.id),
  ])
  const count = recipients.length
  const title =
    recipients.length > 0
      ? t(m.partners_send_weve_moved_email, { count })
      : t(m.partners_nobody_gets_email)
  const children = (
    <>
      <h1>{title}</h1>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {recipients.length > 0 && isHolding && <p>{t(m.mails_held_at_first)}</p>}
      <p>{t(m.partners_contains_old_link, { link: linkTo(`${base}/mails/preview/moved`) })}</p>
      {skipped.length > 0 && (
        <Skipped base={base} skipped={skipped} reasons={MOVED_SKIP_REASONS} why={WHY} />
      )}
      {recipients.length > 0 ? (
        <ConfirmForm
          action={`${base}${MOVED_CHOSEN}/send`}
          button={t(m.partners_send_to, { count })}
          cancel={`${base}/partners`}
        >
          {asked.length > 0 && <LinkQuestions asked={asked} />}
          <Chosen ids={recipients.map(({ id }) => id)} />
        </ConfirmForm>
      ) : (
        <LinkLine href={`${base}/partners`}>{t(m.partners_back_partners)}</LinkLine>
      )}
    </>
  )
  return renderSection(c, '/partners', title, children, problem ? 400 : 200)
}

export default createRoutes<WorkspaceEnv>()
  .post(PATH, form(), (c) => ask(c, c.req.valid('form')))
  .post(`${PATH}/send`, freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const fields = c.req.valid('form')
    const { recipients, forms, asked } = await plan(c, fields)
    const { byProgram, isComplete } = readAnswers(asked, fields)
    if (!isComplete) return ask(c, fields, textsOf(c)(m.partners_say_links_whether))
    for (const [programId, said] of byProgram)
      await saveLinkForms(
        db,
        actOf(c),
        programId,
        Object.fromEntries(said.map(({ form, works }) => [form, works])),
      )
    const formsOf = (programId: string): LinkForms =>
      new Map([
        ...(forms.get(programId) ?? []),
        ...(byProgram.get(programId) ?? []).map(({ form, works }) => [form, works] as const),
      ])
    if (recipients.length > 0) {
      await queueMovedMails(
        db,
        actOf(c),
        recipients.map((partner) => ({
          partnerId: partner.id,
          email: partner.email,
          details: detailsOf(c, partner, formsOf(partner.programId)),
        })),
      )
    }
    return c.redirect(`/app/${workspace.slug}/mails?done=mailed`, 303)
  })
