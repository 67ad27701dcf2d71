import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import * as z from 'zod'
import {
  readStanding,
  type Standing as StandingCode,
  saveApplication,
} from '../../../lib/applications/applications.queries.ts'
import { NewApplication } from '../../../lib/applications/applications.schemas.ts'
import { approveApplication } from '../../../lib/applications/decisions.queries.ts'
import { type PublicJoinPage, readJoinPage } from '../../../lib/applications/join-pages.queries.ts'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { noteForLog } from '../../../lib/http/logging.ts'
import { callerKey, limitRate } from '../../../lib/http/rate-limit.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { FormState } from '../../../lib/pages/forms/fields.tsx'
import { saleExampleOf } from '../../../lib/pages/forms/reward-example.ts'
import { describeReward } from '../../../lib/pages/forms/reward-words.ts'
import { Terms } from '../../../lib/pages/forms/terms.tsx'
import { accentClass, Logo, merchantAt, Support } from '../../../lib/pages/layout/brand.tsx'
import { ButtonLine } from '../../../lib/pages/layout/parts.tsx'
import { noSuchPage, renderPage, signedIn } from '../../../lib/pages/layout/render.tsx'
import { readerFor, t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo, name, strong } from '../../../lib/pages/parts/tags.tsx'
import { findProgram, type Program } from '../../../lib/programs/programs.queries.ts'
import { senderOf } from '../../../lib/values/emails.ts'
import { ApplyForm } from './apply-form.tsx'

/** The merchant's text, in paragraphs. */
const Written = ({ text }: { text: string }) => <p class="written">{text}</p>

type InvitationProps = { page: PublicJoinPage; program: Program; now: Date }

const Invitation = ({ page, program, now }: InvitationProps) => (
  <>
    <h1>{t(m.join_heading, { program: page.programName, name })}</h1>
    {page.intro && <Written text={page.intro} />}
    <h2>{t(m.what_you_earn)}</h2>
    <p>
      {t(m.join_reward, {
        reward: describeReward(program.reward),
        strong,
        days: program.attributionDays,
        example: saleExampleOf(program, now, money, t),
      })}
    </p>
    {page.agreement && <Terms agreement={page.agreement} />}
    {page.isOpen ? (
      <ButtonLine href={`/join/${page.programId}/apply`}>{t(m.apply)}</ButtonLine>
    ) : (
      <Closed page={page} />
    )}
    <p class="hint">
      {t(m.join_hint, { host: new URL(page.siteUrl).host, workspace: page.workspaceName, name })}
    </p>
  </>
)

/** The text for people who cannot apply. */
const Standing = ({ page, standing }: { page: PublicJoinPage; standing: NoApplicant }) => {
  const link = linkTo('/portal')
  switch (standing) {
    case 'applied':
      return <p>{t(m.standing_applied)}</p>
    case 'approved':
      return <p>{t(m.standing_approved, { link })}</p>
    case 'partner':
      return <p>{t(m.standing_partner, { link })}</p>
    default:
      return <p>{t(m.standing_barred, { merchant: merchantAt(page.contact) })}</p>
  }
}

type NoApplicant = Exclude<StandingCode, 'none' | 'invited' | 'rejected'>

/** The page is public, so it shows only the program's own address. */
const Closed = ({ page: { supportEmail, siteUrl } }: { page: PublicJoinPage }) => (
  <p class="empty">
    {supportEmail
      ? t(m.join_closed, { merchant: merchantAt(supportEmail) })
      : t(m.join_closed_site, { site: linkTo(siteUrl), host: new URL(siteUrl).host })}
  </p>
)

const PATH = '/join/:program'

/** @throws {ApiError} `not_found` */
const findPage = async (c: Context<SessionEnv>): Promise<PublicJoinPage> => {
  const id = z.uuid().safeParse(c.req.param('program'))
  const page = id.success ? await readJoinPage(c.var.db, id.data) : undefined
  if (!page) throw noSuchPage()
  noteForLog(c, { workspaceId: page.workspaceId })
  return page
}

const show = (
  c: Context<SessionEnv>,
  page: PublicJoinPage,
  children: Child,
  status: 200 | 400 | 403 | 409 = 200,
) =>
  renderPage(
    c,
    {
      title: textsOf(c)(m.join_title, { program: page.programName }),
      home: '/portal',
      brands: [page],
      mainClass: accentClass(page),
      children: (
        <>
          <Logo logoUrl={page.logoUrl} name={page.programName} />
          {children}
          <Support supportEmail={page.supportEmail} />
        </>
      ),
    },
    status,
  )

/** The form, or why the person cannot apply. */
const showApplication = (
  c: Context<SessionEnv>,
  page: PublicJoinPage,
  standing: StandingCode,
  state: FormState,
  status: 200 | 400 | 409 = 200,
) => {
  const isInvited = standing === 'invited'
  const canApply = isInvited || standing === 'none' || standing === 'rejected'
  const isOpen = page.isOpen || isInvited
  const t = textsOf(c)
  const children = (
    <>
      <h1>{t(m.apply_to, { program: page.programName, name })}</h1>
      {!canApply && <Standing page={page} standing={standing} />}
      {canApply && !isOpen && <Closed page={page} />}
      {canApply && isOpen && (
        <>
          {standing === 'rejected' && <p>{t(m.application_was_rejected)}</p>}
          {isInvited && <p>{t(m.invited_to_join)}</p>}
          <ApplyForm page={page} email={c.var.user.email} isInvited={isInvited} {...state} />
        </>
      )}
    </>
  )
  return show(c, page, children, status)
}

/** /join/:program: the terms of a program, and the form in which signed-in people apply. */
export default createRoutes<SessionEnv>()
  .get(PATH, async (c) => {
    // The page is public, and each response reads the database.
    await limitRate(c.env.RATE_LIMIT, `from ${callerKey(c)}`)
    const page = await findPage(c)
    const program = await findProgram(c.var.db, page.workspaceId, page.programId)
    if (!program) throw noSuchPage()
    return show(c, page, <Invitation page={page} program={program} now={c.var.now} />)
  })
  .use(`${PATH}/apply`, signedIn())
  .get(`${PATH}/apply`, async (c) => {
    const page = await findPage(c)
    const standing = await readStanding(c.var.db, page.programId, c.var.user.email)
    return showApplication(c, page, standing, { fields: {} })
  })
  .post(`${PATH}/apply`, form(), async (c) => {
    const { db, now, user } = c.var
    const page = await findPage(c)
    const fields = c.req.valid('form')
    const before = await readStanding(db, page.programId, user.email)
    const isInvited = before === 'invited'
    if (
      !(page.isOpen || isInvited) ||
      !['none', 'invited', 'rejected', 'applied'].includes(before)
    ) {
      return showApplication(c, page, before, { fields }, 409)
    }
    const questions = isInvited ? [] : page.questions
    const blank = Object.fromEntries(questions.map((_, index) => [`answer${index}`, '']))
    const input = { name: '', promotion: '', siteUrl: null, ...blank, ...fields }
    const { data, errors } = checked(
      NewApplication(isInvited, questions.length, page.agreement !== null),
      input,
    )
    if (errors) return showApplication(c, page, before, { fields, errors }, 400)
    if (page.agreement && fields.version !== String(page.agreement.version)) {
      const { accepts: _, ...others } = fields
      const changed = [{ path: 'accepts', message: textsOf(c)(m.terms_changed) }]
      return showApplication(c, page, before, { fields: others, errors: changed }, 409)
    }
    const answers = questions.map((question, index) => ({
      question,
      answer: fields[`answer${index}`] ?? '',
    }))
    const application = {
      email: user.email,
      name: data.name,
      siteUrl: data.siteUrl,
      promotion: data.promotion,
      answers,
      language: readerFor(c).language,
    }
    const saved = await saveApplication(db, page, application, now)
    if (saved?.status === 'applied' && (saved.invitedBy || page.approves)) {
      const act = { workspaceId: page.workspaceId, actor: user.email, now }
      const { programId, workspaceName } = page
      const applicant = { id: saved.id, programId, email: user.email, name: data.name }
      await approveApplication(db, act, applicant, {
        groupId: saved.invitedBy ? saved.groupId : page.groupId,
        welcome: {
          workspaceName,
          sentBy: senderOf(saved.invitedBy),
          portalUrl: new URL('/portal', c.req.url).href,
        },
        decidedBy: saved.invitedBy,
      })
    }
    return c.redirect(`/join/${page.programId}/apply`, 303)
  })
