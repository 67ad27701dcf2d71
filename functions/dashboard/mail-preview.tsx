import type { Context } from 'hono'
import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { MailContent } from '../../lib/mail/content.ts'
import { PARTNER_MAIL_KINDS, type PartnerMailKind } from '../../lib/mail/mails.ts'
import { sampleDetails } from '../../lib/mail/samples.ts'
import { outboxContent } from '../../lib/mail/templates.tsx'
import { MAIL_LABELS } from '../../lib/pages/mail-labels.ts'
import { Table } from '../../lib/pages/parts.tsx'
import { noSuchPage, renderPage } from '../../lib/pages/render.tsx'
import { listPrograms } from '../../lib/workspace/programs.queries.ts'

/** A mail runs nothing and loads nothing; its styles are inline. */
const MAIL_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

/** The kind in a path. @throws {ApiError} `not_found` */
const readKind = (text: string | undefined): PartnerMailKind => {
  const kind = PARTNER_MAIL_KINDS.find((kind) => kind === text)
  if (!kind) throw noSuchPage()
  return kind
}

/** Renders a mail with made-up values, and the names of the workspace. */
const renderSamples = async (c: Context<WorkspaceEnv>) => {
  const { db, workspace, user } = c.var
  const [program] = await listPrograms(db, workspace.id, { limit: 1 })
  const { origin } = new URL(c.req.url)
  const facts = { workspaceName: workspace.name, program, managerEmail: user.email, origin }
  return (kind: PartnerMailKind): MailContent => outboxContent({ kind, details: sampleDetails(kind, facts) })
}

const PATH = '/app/:workspace/mails/preview'

/** /app/:workspace/mails/preview: what partners receive, with made-up values. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const sample = await renderSamples(c)
    const children = (
      <>
        <p>
          <a href={`/app/${c.var.workspace.slug}/mails`}>Emails</a>
        </p>
        <h1>Emails to partners</h1>
        <p>Names, amounts and reasons in these examples are made up.</p>
        <Table caption="Emails to partners" head={['Type', 'Subject']}>
          {PARTNER_MAIL_KINDS.map((kind) => (
            <tr>
              <td>
                <a href={`/app/${c.var.workspace.slug}/mails/preview/${kind}`}>{MAIL_LABELS[kind]}</a>
              </td>
              <td class="words">{sample(kind).subject}</td>
            </tr>
          ))}
        </Table>
      </>
    )
    return renderPage(c, { title: 'Emails to partners', section: '/mails', children })
  })
  .get(`${PATH}/:kind`, managersOnly(), async (c) => {
    const kind = readKind(c.req.param('kind'))
    const { subject, text } = (await renderSamples(c))(kind)
    const base = `/app/${c.var.workspace.slug}/mails/preview`
    const children = (
      <>
        <p>
          <a href={base}>Emails to partners</a>
        </p>
        <h1>{MAIL_LABELS[kind]}</h1>
        <p>Names, amounts and reasons in this example are made up.</p>
        <dl>
          <dt>Subject</dt>
          <dd>{subject}</dd>
        </dl>
        <h2>HTML</h2>
        <iframe
          class="mail"
          title={`${MAIL_LABELS[kind]}, as HTML`}
          src={`${base}/${kind}/html`}
          sandbox=""
        />
        <h2>Plain text</h2>
        <pre class="mail" tabindex={0}>
          {text}
        </pre>
      </>
    )
    return renderPage(c, { title: MAIL_LABELS[kind], section: '/mails', hasFrames: true, children })
  })
  .get(`${PATH}/:kind/html`, managersOnly(), async (c) => {
    const { html } = (await renderSamples(c))(readKind(c.req.param('kind')))
    c.header('Content-Security-Policy', MAIL_POLICY)
    return c.html(html)
  })
