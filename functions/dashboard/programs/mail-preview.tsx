import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { type Brand, logoOrigins, NO_BRAND } from '../../../lib/brand/brand.ts'
import { readBrand } from '../../../lib/brand/brands.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { MAX_TEST_MAILS, queueTestMail } from '../../../lib/mail/mailings/test-mails.queries.ts'
import {
  type EditableKind,
  PARTNER_MAIL_KINDS,
  type PartnerMailKind,
} from '../../../lib/mail/mails.ts'
import { MAX_SUBJECT_LENGTH, type RenderedMail } from '../../../lib/mail/texts/rendered-mail.ts'
import { sampleDetails } from '../../../lib/mail/texts/samples.ts'
import { outboxContent } from '../../../lib/mail/texts/templates.tsx'
import { listMailTexts, saveMailText } from '../../../lib/mail/texts/texts.queries.ts'
import {
  type EditedText,
  isEditable,
  MAX_INTRO_LENGTH,
  placeholdersOf,
  TEXT_CHANGED,
  textInForce,
  textProblems,
} from '../../../lib/mail/texts/texts.ts'
import { MailTextChange } from '../../../lib/mail/texts.schemas.ts'
import { QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { controls, Field, type FormState, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { noSuchPage, renderPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { MAIL_LABELS } from '../../../lib/pages/parts/mail-labels.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import { listPrograms, type Program } from '../../../lib/programs/programs.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'

/** A mail runs no scripts and loads only the logo. Its styles are inline. */
const mailPolicy = (brand: Brand) =>
  [
    "default-src 'none'",
    ...logoOrigins([brand]).map((origin) => `img-src ${origin}`),
    "style-src 'unsafe-inline'",
    "frame-ancestors 'self'",
    'sandbox',
  ].join('; ')

/** The kind in a path. @throws {ApiError} `not_found` */
const readKind = (text: string | undefined): PartnerMailKind => {
  const kind = PARTNER_MAIL_KINDS.find((kind) => kind === text)
  if (!kind) throw noSuchPage()
  return kind
}

/** What partners without a group earn, unless another platform pays. */
const rewardIn = ({ mode, reward, rewardInterval, rewardDurationMonths }: Program) =>
  mode === 'live' ? { reward, rewardInterval, rewardDurationMonths, leadReward: null } : null

/** Renders mails with made-up values, and the texts and brand of the newest program. */
const readSamples = async (c: Context<WorkspaceEnv>) => {
  const { db, workspace, user } = c.var
  const [[program], texts] = await Promise.all([
    listPrograms(db, workspace.id, { limit: 1 }),
    listMailTexts(db, workspace.id),
  ])
  const brand = program ? await readBrand(db, workspace.id, program.id) : NO_BRAND
  const { origin } = new URL(c.req.url)
  const facts = { workspaceName: workspace.name, program, managerEmail: user.email, origin }
  const textOf = (kind: PartnerMailKind) => texts.find((text) => text.kind === kind)
  const sample = (kind: PartnerMailKind): RenderedMail =>
    outboxContent({
      kind,
      details: sampleDetails(kind, facts),
      edited: textOf(kind),
      brand,
      reward: program && rewardIn(program),
    })
  return { facts, sample, textOf, brand }
}

const DONE = {
  saved: m.mails_text_saved,
  test: m.mails_test_email_queued,
}

const LABELS = { subject: m.layout_subject, intro: m.mails_introduction }

const TextForm = ({
  kind,
  version,
  fields,
  errors,
}: FormState & { kind: EditableKind; version: number }) => {
  const control = controls(LABELS, { fields, errors })
  const names = placeholdersOf(kind).map((name) => `{${name}}`)
  return (
    <>
      <h2>{t(m.layout_text)}</h2>
      <p>{t(m.mails_placeholders, { names: names.join(' '), code })}</p>
      <form method="post">
        <input type="hidden" name="version" value={version} />
        <Field {...control('subject')} maxlength={MAX_SUBJECT_LENGTH} autocomplete="off" />
        <TextArea
          {...control('intro')}
          hint={t(m.layout_blank_line_starts_paragraph)}
          maxlength={MAX_INTRO_LENGTH}
          rows={7}
        />
        <p class="actions">
          <button type="submit">{t(m.mails_save_text)}</button>{' '}
          <button type="submit" class="quiet" name="reset" value="on" formnovalidate>
            {t(m.mails_reset_default)}
          </button>
        </p>
      </form>
    </>
  )
}

const hasEdits = (text: EditedText | undefined): boolean => Boolean(text?.subject ?? text?.intro)

/** A form as API input. */
const readForm = ({ version, subject = '', intro = '', reset }: Fields) => ({
  version: Number(version),
  ...(reset ? { subject: null, intro: null } : { subject, intro }),
})

/** The page of a mail, with the form of its text or a rejected form. */
const show = async (
  c: Context<WorkspaceEnv>,
  kind: PartnerMailKind,
  refused?: FormState,
  status: 200 | 400 | 409 = 200,
) => {
  const t = textsOf(c)
  const { sample, textOf } = await readSamples(c)
  const { subject, preview, text } = sample(kind)
  const base = `/app/${c.var.workspace.slug}/mails/preview`
  const label = t(MAIL_LABELS[kind])
  const done = noticeFor(DONE, c.req.query('done'))
  const children = (
    <>
      <LinkLine href={base}>{t(m.mails_emails_to_partners)}</LinkLine>
      <h1>{label}</h1>
      <Done message={done} />
      <Problem errors={refused?.errors} labels={LABELS} />
      <p>{t(m.mails_names_amounts_reasons)}</p>
      <dl>
        <dt>{t(m.layout_subject)}</dt>
        <dd>{subject}</dd>
        <dt>{t(m.mails_preview_text)}</dt>
        <dd>{preview}</dd>
      </dl>
      <h2>{t(m.mails_html)}</h2>
      <iframe
        class="mail"
        title={t(m.mails_as_html, { label })}
        src={`${base}/${kind}/html`}
        sandbox=""
      />
      <h2>{t(m.mails_plain_text)}</h2>
      <pre class="mail" tabindex={0}>
        {text}
      </pre>
      <form method="post" action={`${base}/${kind}/test`}>
        <QuietButton>{t(m.mails_send_test_email, { email: c.var.user.email })}</QuietButton>
      </form>
      {isEditable(kind) ? (
        <TextForm
          kind={kind}
          version={textOf(kind)?.version ?? 0}
          {...(refused ?? { fields: textInForce(kind, textOf(kind)) })}
        />
      ) : (
        <p>{t(m.mails_text_email_cannot)}</p>
      )}
    </>
  )
  return renderPage(c, { title: label, section: '/mails', hasFrames: true, children }, status)
}

const PATH = '/app/:workspace/mails/preview'

/** /app/:workspace/mails/preview: what partners receive, with made-up values. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const t = textsOf(c)
    const { sample, textOf } = await readSamples(c)
    const children = (
      <>
        <LinkLine href={`/app/${c.var.workspace.slug}/mails`}>{t(m.layout_mails)}</LinkLine>
        <h1>{t(m.mails_emails_to_partners)}</h1>
        <p>{t(m.mails_names_amounts_reasons_these)}</p>
        <Table
          caption={t(m.mails_emails_to_partners)}
          head={[t(m.type_column), t(m.layout_subject), t(m.layout_text)]}
        >
          {PARTNER_MAIL_KINDS.map((kind) => (
            <tr>
              <LinkCell href={`/app/${c.var.workspace.slug}/mails/preview/${kind}`}>
                {t(MAIL_LABELS[kind])}
              </LinkCell>
              <td class="words">{sample(kind).subject}</td>
              <td>{hasEdits(textOf(kind)) ? t(m.mails_changed) : t(m.mails_default)}</td>
            </tr>
          ))}
        </Table>
      </>
    )
    return renderSection(c, '/mails', m.mails_emails_to_partners, children)
  })
  .get(`${PATH}/:kind`, (c) => show(c, readKind(c.req.param('kind'))))
  .post(`${PATH}/:kind`, freshMembersOnly(), form(), async (c) => {
    const kind = readKind(c.req.param('kind'))
    if (!isEditable(kind)) throw noSuchPage()
    const fields = c.req.valid('form')
    const { data, errors } = checked(MailTextChange, readForm(fields))
    if (errors) return show(c, kind, { fields, errors }, 400)
    const problems = textProblems(kind, data)
    if (problems.length > 0) return show(c, kind, { fields, errors: problems }, 400)
    const saved = await saveMailText(c.var.db, actOf(c), kind, data)
    if (!saved)
      return show(c, kind, { fields, errors: [{ path: 'intro', message: TEXT_CHANGED }] }, 409)
    return c.redirect(`/app/${c.var.workspace.slug}/mails/preview/${kind}?done=saved`, 303)
  })
  .post(`${PATH}/:kind/test`, async (c) => {
    const { db, now, workspace, user } = c.var
    const kind = readKind(c.req.param('kind'))
    const { facts } = await readSamples(c)
    const details = sampleDetails(kind, facts)
    const mail = {
      workspaceId: workspace.id,
      programId: facts.program?.id ?? null,
      recipient: user.email,
      kind,
      details,
      now,
    }
    if (!(await queueTestMail(db, mail))) {
      const message = textsOf(c)(m.mails_sent_test_emails, { count: MAX_TEST_MAILS })
      throw new ApiError('rate_limited', message, { retryAfter: 3_600 })
    }
    return c.redirect(`/app/${workspace.slug}/mails/preview/${kind}?done=test`, 303)
  })
  .get(`${PATH}/:kind/html`, async (c) => {
    const { sample, brand } = await readSamples(c)
    c.header('Content-Security-Policy', mailPolicy(brand))
    return c.html(sample(readKind(c.req.param('kind'))).html)
  })
