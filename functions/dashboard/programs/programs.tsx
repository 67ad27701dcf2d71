import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { isPasskeyMissing } from '../../../lib/auth/passkey-for-payouts.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { BRAND_CHANGED } from '../../../lib/brand/brand.ts'
import { readBrand, saveBrand } from '../../../lib/brand/brands.queries.ts'
import { BrandChange } from '../../../lib/brand/brands.schemas.ts'
import { newToken } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { checked, form, query } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { requestSupportCheck } from '../../../lib/mail/support-address.queries.ts'
import { programWhatIf } from '../../../lib/overview/what-if.service.ts'
import type { FormState } from '../../../lib/pages/forms/fields.tsx'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { programFields, readProgram } from '../../../lib/pages/forms/program-fields.tsx'
import { keepRules } from '../../../lib/pages/forms/read-reward.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { sha256 } from '../../../lib/platform/sha256.ts'
import { listGroups } from '../../../lib/programs/groups.queries.ts'
import {
  changeProgram,
  createProgram,
  findProgram,
  listPrograms,
  type Program,
} from '../../../lib/programs/programs.queries.ts'
import { NewProgram } from '../../../lib/programs/programs.schemas.ts'
import { type ProgramTerms, paysOtherwise } from '../../../lib/programs/programs.ts'
import { askForPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { readEmail } from '../../../lib/values/emails.ts'
import { readBranding } from './branding.tsx'
import { NewProgramPage, ProgramPage, ProgramPreviewPage, ProgramsPage } from './program-pages.tsx'

/** For pages with a form of rewards. */
const SCRIPTS = ['/rewards.js']

const DONE = {
  created: m.programs_created_add_snippet,
  branded: m.programs_branding_saved,
  confirmation: m.programs_link_sent_support,
  saved: m.programs_saved_sales_paid,
}

const PROGRAMS = '/app/:workspace/programs'

/** The target after signing in again, or for a form's address that was typed. */
const toProgram = (c: Context<WorkspaceEnv, `${typeof PROGRAMS}/:id/:form`>) =>
  c.redirect(`/app/${c.var.workspace.slug}/programs/${encodeURIComponent(c.req.param('id'))}`, 303)

/** /app/:workspace/programs: programs and their terms. */
export default createRoutes<WorkspaceEnv>()
  .get(PROGRAMS, query(Page), async (c) => {
    const { db, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const programs = await listPrograms(db, workspace.id, { cursor, limit: limit + 1 })
    const shown = page(programs, limit)
    return renderSection(
      c,
      '/programs',
      m.layout_programs,
      <ProgramsPage workspace={workspace} programs={shown} url={c.req.url} />,
    )
  })
  .get(`${PROGRAMS}/new`, (c) =>
    renderPage(c, {
      title: m.programs_new_program,
      section: '/programs',
      scripts: SCRIPTS,
      children: <NewProgramPage />,
    }),
  )
  .post(`${PROGRAMS}/new`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewProgram, readProgram(fields))
    if (errors) {
      const children = <NewProgramPage fields={fields} errors={errors} />
      return renderPage(
        c,
        { title: m.programs_new_program, section: '/programs', scripts: SCRIPTS, children },
        400,
      )
    }
    if (isPasskeyMissing(c) && paysOtherwise(null, data)) return askForPasskey(c, fields)
    const { id } = await createProgram(c.var.db, actOf(c), data)
    return c.redirect(`/app/${c.var.workspace.slug}/programs/${id}?done=created`, 303)
  })
  .get(`${PROGRAMS}/:id`, async (c) => {
    return show(c, await findOne(c), { done: noticeFor(DONE, c.req.query('done')) })
  })
  .post(`${PROGRAMS}/:id`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewProgram, readProgram(fields))
    if (errors) return show(c, await findOne(c), { terms: { fields, errors } }, 400)
    const program = await findOne(c)
    if (isPasskeyMissing(c) && paysOtherwise(program, data)) return askForPasskey(c, fields)
    const { id } = await changeById(c, 'program', changeProgram, ofForm(data, program))
    return c.redirect(`/app/${c.var.workspace.slug}/programs/${id}?done=saved`, 303)
  })
  .get(`${PROGRAMS}/:id/branding`, toProgram)
  .post(`${PROGRAMS}/:id/branding`, freshMembersOnly(), form(), async (c) => {
    const program = await findOne(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(BrandChange, readBranding(fields))
    if (errors) return show(c, program, { branding: { fields, errors } }, 400)
    if (!(await saveBrand(c.var.db, actOf(c), program.id, data))) {
      const changed = [{ path: 'logoUrl', message: BRAND_CHANGED }]
      return show(c, program, { branding: { fields, errors: changed } }, 409)
    }
    return c.redirect(
      `/app/${c.var.workspace.slug}/programs/${program.id}?done=branded#branding`,
      303,
    )
  })
  .post(`${PROGRAMS}/:id/branding/confirmation`, freshMembersOnly(), form(), async (c) => {
    const { db, now, user, workspace } = c.var
    const program = await findOne(c)
    const email = readEmail(c.req.valid('form').supportEmail) ?? ''
    const token = newToken()
    const isSent = await requestSupportCheck(db, actOf(c), {
      programId: program.id,
      email,
      tokenHash: await sha256(token),
      expiresAt: new Date(now.getTime() + LINK_DAYS * 86_400_000),
      details: {
        workspaceName: workspace.name,
        programName: program.name,
        sentBy: user.email,
        url: new URL(`/confirm-address/${token}`, c.req.url).href,
      },
    })
    if (!isSent) {
      const errors = [{ path: 'supportEmail', message: textsOf(c)(m.programs_no_link_sent) }]
      return show(c, program, { branding: { fields: { supportEmail: email }, errors } }, 409)
    }
    return c.redirect(
      `/app/${workspace.slug}/programs/${program.id}?done=confirmation#branding`,
      303,
    )
  })
  .get(`${PROGRAMS}/:id/what-if`, toProgram)
  .post(`${PROGRAMS}/:id/what-if`, expensive(), form(), async (c) => {
    const { db, now, workspace } = c.var
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewProgram, readProgram(fields))
    if (errors) return show(c, await findOne(c), { terms: { fields, errors } }, 400)
    const program = await readById(c, 'program', findProgram)
    const entered = ofForm(data, program)
    const whatIf = await programWhatIf(db, workspace.id, program, entered, now)
    const base = `/app/${workspace.slug}`
    const children = <ProgramPreviewPage {...{ base, program, now, fields, whatIf, entered }} />
    return renderPage(c, {
      title: textsOf(c)(m.layout_preview_of, { name: program.name }),
      section: '/programs',
      scripts: SCRIPTS,
      children,
    })
  })

/** The entered terms. What other pages change stays as it is. */
const ofForm = (entered: ProgramTerms, { reward, tiers, bonuses }: Program): ProgramTerms => ({
  ...entered,
  reward: keepRules(entered.reward, reward),
  tiers,
  bonuses,
})

const LINK_DAYS = 7

const findOne = (c: Context<WorkspaceEnv>): Promise<Program> => readById(c, 'program', findProgram)

type Shown = {
  /** A rejected form. */
  terms?: FormState
  branding?: FormState
  done?: Message | undefined
}

/** The page of a program, with the errors of a rejected form. */
const show = async (
  c: Context<WorkspaceEnv>,
  program: Program,
  { terms, branding, done }: Shown,
  status: 200 | 400 | 409 = 200,
) => {
  const { db, now, workspace } = c.var
  const [groups, brand] = await Promise.all([
    listGroups(db, workspace.id, program.id),
    readBrand(db, workspace.id, program.id),
  ])
  const { origin } = new URL(c.req.url)
  const { fields, errors } = terms ?? { fields: programFields(program) }
  const children = (
    <ProgramPage
      {...{ workspace, program, groups, brand, origin, now, fields, errors, branding, done }}
    />
  )
  return renderPage(
    c,
    { title: program.name, section: '/programs', scripts: SCRIPTS, brands: [brand], children },
    status,
  )
}
