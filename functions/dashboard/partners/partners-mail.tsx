/** /app/:workspace/partners/mail: an email to the partners that a manager selected in the list. */

import type { Context } from 'hono'
import * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { newId } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  type Candidate,
  MAX_MAILINGS,
  planMailing,
  SKIP_REASONS,
} from '../../../lib/mail/mailings/mailing.ts'
import { listCandidates, queueMailing } from '../../../lib/mail/mailings/mailings.queries.ts'
import { holdsNewMails } from '../../../lib/mail/outbox/held-mails.queries.ts'
import { MAX_SUBJECT_LENGTH } from '../../../lib/mail/texts/rendered-mail.ts'
import { outboxContent } from '../../../lib/mail/texts/templates.tsx'
import {
  defaultText,
  MAX_INTRO_LENGTH,
  type MailText,
  placeholdersOf,
  textProblems,
} from '../../../lib/mail/texts/texts.ts'
import { MailingForm } from '../../../lib/mail/texts.schemas.ts'
import { Chosen } from '../../../lib/pages/forms/choice.tsx'
import { controls, Field, type FormState, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { Skipped } from '../payouts/skipped-partners.tsx'
import { MAIL_CHOSEN, readChosen } from './chosen-partners.ts'

const LABELS = { subject: m.layout_subject, intro: m.layout_text }

/** The details that all mails of a mailing share. */
const sharedDetails = (c: Context<WorkspaceEnv>) => ({
  workspaceName: c.var.workspace.name,
  sentBy: c.var.user.email,
  portalUrl: new URL('/portal', c.req.url).href,
})

type ComposeProps = FormState & { base: string; ids: string[] }

const ComposePage = ({ base, ids, fields, errors }: ComposeProps) => {
  const control = controls(LABELS, { fields, errors })
  const names = placeholdersOf('message').map((name) => `{${name}}`)
  return (
    <>
      <h1>{t(m.partners_email_to, { count: ids.length })}</h1>
      <Problem errors={errors} labels={LABELS} />
      <p>{t(m.partners_placeholders, { names: names.join(' '), code })}</p>
      <form method="post" action={`${base}${MAIL_CHOSEN}/preview`}>
        <Chosen ids={ids} />
        <Field {...control('subject')} required maxlength={MAX_SUBJECT_LENGTH} autocomplete="off" />
        <TextArea
          {...control('intro')}
          hint={t(m.layout_blank_line_starts_paragraph)}
          required
          maxlength={MAX_INTRO_LENGTH}
          rows={12}
        />
        <p class="actions">
          <button type="submit">{t(m.partners_preview_email)}</button>{' '}
          <a href={`${base}/partners`}>{t(m.cancel)}</a>
        </p>
      </form>
    </>
  )
}

/** The form, or a rejected one. */
const compose = (c: Context<WorkspaceEnv>, ids: string[], state: FormState) => {
  const title = textsOf(c)(m.partners_email_to, { count: ids.length })
  const children = <ComposePage base={`/app/${c.var.workspace.slug}`} ids={ids} {...state} />
  return renderSection(c, '/partners', title, children, state.errors ? 400 : 200)
}

const readText = (fields: Fields) => {
  const { subject = '', intro = '' } = fields
  const { data, errors } = checked(MailingForm, { subject, intro })
  if (errors) return { errors }
  const problems = textProblems('message', data)
  return problems.length > 0 ? { errors: problems } : { data }
}

const WHY = {
  banned: m.partners_why_banned,
  unsubscribed: m.partners_unsubscribed_messages,
  no_address: m.partners_no_valid_email,
  same_address: m.partners_another_chosen_partner,
}

type SampleProps = { c: Context<WorkspaceEnv>; text: MailText; partner: Candidate }

/** The mail to one partner in plain text. Its unsubscribe link is signed when the mail is sent. */
const Sample = ({ c, text, partner }: SampleProps) => {
  const { name: partnerName, programName } = partner
  const details = { ...sharedDetails(c), partnerName, programName }
  const unsubscribeUrl = new URL('/unsubscribe/...', c.req.url).href
  const mail = outboxContent({ kind: 'message', details, edited: text, unsubscribeUrl })
  return (
    <>
      <h2>{t(m.partners_sample, { name: partnerName ?? partner.slug })}</h2>
      <dl>
        <dt>{t(m.layout_subject)}</dt>
        <dd>{mail.subject}</dd>
      </dl>
      <pre class="mail" tabindex={0}>
        {mail.text}
      </pre>
    </>
  )
}

/** Lists who gets the mail, and who does not. */
const preview = async (
  c: Context<WorkspaceEnv>,
  {
    ids,
    text,
    formId,
    refusal,
  }: { ids: string[]; text: MailText; formId: string; refusal?: string },
) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const [candidates, isHolding] = await Promise.all([
    listCandidates(db, workspace.id, ids),
    holdsNewMails(db, workspace.id),
  ])
  const { recipients, skipped } = planMailing(candidates)
  const [first] = recipients
  const count = recipients.length
  const title = first ? t(m.partners_send_email, { count }) : t(m.partners_nobody_gets_email)
  const children = (
    <>
      <h1>{title}</h1>
      <Problem message={refusal} />
      {first && isHolding && <p>{t(m.mails_held_at_first)}</p>}
      {skipped.length > 0 && (
        <Skipped base={base} skipped={skipped} reasons={SKIP_REASONS} why={WHY} />
      )}
      {first && <Sample c={c} text={text} partner={first} />}
      <form method="post" action={`${base}${MAIL_CHOSEN}/send`}>
        <Chosen ids={candidates.map(({ id }) => id)} />
        <input type="hidden" name="formId" value={formId} />
        <input type="hidden" name="subject" value={text.subject} />
        <input type="hidden" name="intro" value={text.intro} />
        <p class="actions">
          {first && <button type="submit">{t(m.partners_send_to, { count })}</button>}{' '}
          <button type="submit" class="quiet" formaction={`${base}${MAIL_CHOSEN}`}>
            {t(m.partners_change_text)}
          </button>{' '}
          <a href={`${base}/partners`}>{t(m.cancel)}</a>
        </p>
      </form>
    </>
  )
  return renderSection(c, '/partners', title, children, refusal ? 429 : 200)
}

const PATH = `/app/:workspace${MAIL_CHOSEN}` as const

export default createRoutes<WorkspaceEnv>()
  .post(PATH, form(), (c) => {
    const fields = c.req.valid('form')
    return compose(c, readChosen(fields), { fields: { ...defaultText('message'), ...fields } })
  })
  .post(`${PATH}/preview`, form(), (c) => {
    const fields = c.req.valid('form')
    const ids = readChosen(fields)
    const { data: text, errors } = readText(fields)
    return errors ? compose(c, ids, { fields, errors }) : preview(c, { ids, text, formId: newId() })
  })
  .post(`${PATH}/send`, freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const t = textsOf(c)
    const fields = c.req.valid('form')
    const ids = readChosen(fields)
    const { data: text, errors } = readText(fields)
    if (errors) return compose(c, ids, { fields, errors })
    const formId = z.uuid().safeParse(fields.formId).data
    if (!formId) throw new ApiError('invalid_body', t(m.layout_send_form_from_its_page))
    const { recipients } = planMailing(await listCandidates(db, workspace.id, ids))
    if (recipients.length === 0) return preview(c, { ids, text, formId })
    const isQueued = await queueMailing(db, actOf(c), {
      id: formId,
      text,
      recipients,
      details: sharedDetails(c),
    })
    if (!isQueued)
      return preview(c, {
        ids,
        text,
        formId,
        refusal: t(m.partners_too_many_emails, { count: MAX_MAILINGS }),
      })
    return c.redirect(`/app/${workspace.slug}/mails?done=mailed`, 303)
  })
