import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { type Brand, logoOrigins, NO_BRAND } from '../../lib/brand/brand.ts'
import { readBrand } from '../../lib/brand/brands.queries.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { MAX_SUBJECT_LENGTH, type RenderedMail } from '../../lib/mail/content.ts'
import { type EditableKind, PARTNER_MAIL_KINDS, type PartnerMailKind } from '../../lib/mail/mails.ts'
import { sampleDetails } from '../../lib/mail/samples.ts'
import { outboxContent } from '../../lib/mail/templates.tsx'
import { MAX_TEST_MAILS, queueTestMail } from '../../lib/mail/test-mails.queries.ts'
import { listMailTexts, saveMailText } from '../../lib/mail/texts.queries.ts'
import { MailTextChange } from '../../lib/mail/texts.schemas.ts'
import {
  type EditedText,
  isEditable,
  MAX_INTRO_LENGTH,
  placeholdersOf,
  TEXT_CHANGED,
  textInForce,
  textProblems,
} from '../../lib/mail/texts.ts'
import { controls, Field, type FormState, TextArea } from '../../lib/pages/fields.tsx'
import { MAIL_LABELS } from '../../lib/pages/mail-labels.ts'
import { Done, noticeFor, Problem, Table } from '../../lib/pages/parts.tsx'
import { noSuchPage, renderPage } from '../../lib/pages/render.tsx'
import { textsOf } from '../../lib/pages/text.ts'
import { listPrograms } from '../../lib/workspace/programs.queries.ts'

/** A mail runs nothing, and loads nothing but the logo; its styles are inline. */
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

/** Renders mails with made-up values, and with the names, the texts and the brand of the workspace and its newest program. */
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
    })
  return { facts, sample, textOf, brand }
}

const DONE = {
  saved: 'Text saved.',
  test: 'Test email queued. It will be sent to your address within two minutes.',
}

const LABELS = { subject: 'Subject', intro: 'Introduction' }

const TextForm = ({ kind, version, fields, errors }: FormState & { kind: EditableKind; version: number }) => {
  const control = controls(LABELS, { fields, errors })
  const names = placeholdersOf(kind).map((name) => `{${name}}`)
  return (
    <>
      <h2>Text</h2>
      <p>
        Placeholders: <code>{names.join(' ')}</code>. What follows the introduction stays the same. Emails
        that are not sent yet get the new text.
      </p>
      <form method="post">
        <input type="hidden" name="version" value={version} />
        <Field {...control('subject')} maxlength={MAX_SUBJECT_LENGTH} autocomplete="off" />
        <TextArea
          {...control('intro')}
          hint="A blank line starts a paragraph."
          maxlength={MAX_INTRO_LENGTH}
          rows={7}
        />
        <p class="actions">
          <button type="submit">Save text</button>{' '}
          <button type="submit" class="quiet" name="reset" value="on" formnovalidate>
            Reset to the default
          </button>
        </p>
      </form>
    </>
  )
}

/** Whether a text differs from the default. */
const hasEdits = (text: EditedText | undefined): boolean => Boolean(text?.subject ?? text?.intro)

/** A form as API input. */
const readForm = ({ version, subject = '', intro = '', reset }: Fields) => ({
  version: Number(version),
  ...(reset ? { subject: null, intro: null } : { subject, intro }),
})

/** The page of a mail, with the form of its text, or with one that was refused. */
const show = async (
  c: Context<WorkspaceEnv>,
  kind: PartnerMailKind,
  refused?: FormState,
  status: 200 | 400 | 409 = 200,
) => {
  const { sample, textOf } = await readSamples(c)
  const { subject, preview, text } = sample(kind)
  const base = `/app/${c.var.workspace.slug}/mails/preview`
  const label = textsOf(c)(MAIL_LABELS[kind])
  const children = (
    <>
      <p>
        <a href={base}>Emails to partners</a>
      </p>
      <h1>{label}</h1>
      <Done message={noticeFor(DONE, c.req.query('done'))} />
      <Problem errors={refused?.errors} labels={LABELS} />
      <p>Names, amounts and reasons in this example are made up.</p>
      <dl>
        <dt>Subject</dt>
        <dd>{subject}</dd>
        <dt>Preview text</dt>
        <dd>{preview}</dd>
      </dl>
      <h2>HTML</h2>
      <iframe class="mail" title={`${label}, as HTML`} src={`${base}/${kind}/html`} sandbox="" />
      <h2>Plain text</h2>
      <pre class="mail" tabindex={0}>
        {text}
      </pre>
      <form method="post" action={`${base}/${kind}/test`}>
        <button type="submit" class="quiet">
          Send a test email to {c.var.user.email}
        </button>
      </form>
      {isEditable(kind) ? (
        <TextForm
          kind={kind}
          version={textOf(kind)?.version ?? 0}
          {...(refused ?? { fields: textInForce(kind, textOf(kind)) })}
        />
      ) : (
        <p>The text of this email cannot be changed, because it protects the partner’s account.</p>
      )}
    </>
  )
  return renderPage(c, { title: label, section: '/mails', hasFrames: true, children }, status)
}

const PATH = '/app/:workspace/mails/preview'

/** /app/:workspace/mails/preview: what partners receive, with made-up values. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const { sample, textOf } = await readSamples(c)
    const children = (
      <>
        <p>
          <a href={`/app/${c.var.workspace.slug}/mails`}>Emails</a>
        </p>
        <h1>Emails to partners</h1>
        <p>Names, amounts and reasons in these examples are made up.</p>
        <Table caption="Emails to partners" head={['Type', 'Subject', 'Text']}>
          {PARTNER_MAIL_KINDS.map((kind) => (
            <tr>
              <td>
                <a href={`/app/${c.var.workspace.slug}/mails/preview/${kind}`}>
                  {textsOf(c)(MAIL_LABELS[kind])}
                </a>
              </td>
              <td class="words">{sample(kind).subject}</td>
              <td>{hasEdits(textOf(kind)) ? 'Changed' : 'Default'}</td>
            </tr>
          ))}
        </Table>
      </>
    )
    return renderPage(c, { title: 'Emails to partners', section: '/mails', children })
  })
  .get(`${PATH}/:kind`, managersOnly(), (c) => show(c, readKind(c.req.param('kind'))))
  .post(`${PATH}/:kind`, managersOnly(), form(), async (c) => {
    const kind = readKind(c.req.param('kind'))
    if (!isEditable(kind)) throw noSuchPage()
    const fields = c.req.valid('form')
    const { data, errors } = checked(MailTextChange, readForm(fields))
    if (errors) return show(c, kind, { fields, errors }, 400)
    const problems = textProblems(kind, data)
    if (problems.length > 0) return show(c, kind, { fields, errors: problems }, 400)
    const saved = await saveMailText(c.var.db, actOf(c), kind, data)
    if (!saved) return show(c, kind, { fields, errors: [{ path: 'intro', message: TEXT_CHANGED }] }, 409)
    return c.redirect(`/app/${c.var.workspace.slug}/mails/preview/${kind}?done=saved`, 303)
  })
  .post(`${PATH}/:kind/test`, managersOnly(), async (c) => {
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
      const message = `You have sent ${MAX_TEST_MAILS} test emails within an hour. Send the next one later.`
      throw new ApiError('rate_limited', message, { retryAfter: 3_600 })
    }
    return c.redirect(`/app/${workspace.slug}/mails/preview/${kind}?done=test`, 303)
  })
  .get(`${PATH}/:kind/html`, managersOnly(), async (c) => {
    const { sample, brand } = await readSamples(c)
    c.header('Content-Security-Policy', mailPolicy(brand))
    return c.html(sample(readKind(c.req.param('kind'))).html)
  })
